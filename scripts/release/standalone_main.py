"""The ``__main__`` of the one-file engine: unpacks it once, and runs it from there.

numba stores compiled code by the path of the source. So the sources are unpacked into our private
cache folder, under a name derived from the archive's contents: copies of the file share them, other
versions do not. If nothing can be stored, they run from inside the file.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (no installer has checked)
    sys.exit("pythagoras: requires Python 3.11 or newer")

import hashlib
import importlib
import shutil
import zipfile
from importlib import util
from pathlib import Path

NEEDED = ("chess", "numpy")  # without numba it plays, with a message that it is slow
INDEPENDENT = {"--version", "--help", "-h", "--print-completion", "doctor"}
"""The arguments that work without any package."""


def unpack(archive: Path) -> Path:
    """Return the path of the sources, in a folder if they can be stored. Raises `OSError`."""
    from engine.jit import cache  # from the archive: nothing is unpacked yet

    name = hashlib.sha256(archive.read_bytes()).hexdigest()[:24]
    # Named by content alone: the cache's own digest would include the archive's path.
    folder = cache.folder(name)
    if folder is None:
        return archive
    sources = folder / "sources"
    if not sources.exists():
        with cache.compiling(folder):  # one process at a time
            if not sources.exists():
                draft = folder / "draft"
                shutil.rmtree(draft, ignore_errors=True)  # remains of a process that was killed
                with zipfile.ZipFile(archive) as file:
                    file.extractall(draft)
                draft.rename(sources)
    return sources


def main() -> int:
    """Run the command line; return the exit status."""
    missing = [name for name in NEEDED if util.find_spec(name) is None]
    if missing and not INDEPENDENT.intersection(sys.argv):
        from uci.apps.console.extras import install_command, project  # from the archive, as above

        print(
            f"pythagoras: {' and '.join(missing)} missing in {sys.executable};"
            f" install: {install_command(*project().packages)}",
            file=sys.stderr,
        )
        return 1
    try:
        sources = unpack(Path(__file__).parent)
    except OSError as error:
        print(f"pythagoras: could not unpack the engine: {error}", file=sys.stderr)
        return 1
    for name in [name for name in sys.modules if name.partition(".")[0] in ("engine", "uci")]:
        del sys.modules[name]  # loaded from the archive: load them from `sources`
    sys.path[0] = str(sources)
    importlib.invalidate_caches()
    from uci.cli.main import main as command

    return command()


if __name__ == "__main__":
    sys.exit(main())
