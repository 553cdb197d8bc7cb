"""The ``__main__`` of the engine in one file: unpack it once, and run it from there.

numba files its code by the path of the source. So the sources are laid into our private cache
directory, under a name made from the archive's content: a copy of the file finds them there, and
another version cannot. Where nothing can be kept, they run from inside the file.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (no installer has checked)
    sys.exit("pythagoras: Python 3.11 or newer is needed")

import hashlib
import importlib
import shutil
import zipfile
from importlib import util
from pathlib import Path

NEEDED = ("chess", "numpy")  # without numba it plays, and says that it is slow
INDEPENDENT = {"--version", "--help", "-h", "--print-completion", "doctor"}
"""What works without any package."""


def unpack(archive: Path) -> Path:
    """Return where the sources are, in a folder if one can be kept. Raises `OSError`."""
    from engine.jit import cache  # in here, from the archive

    name = hashlib.sha256(archive.read_bytes()).hexdigest()[:24]
    folder = cache.folder(name)  # by content alone: a digest would hold the archive's place too
    if folder is None:
        return archive
    sources = folder / "sources"
    if not sources.exists():
        with cache.compiling(folder):  # one process at a time
            if not sources.exists():
                draft = folder / "draft"
                shutil.rmtree(draft, ignore_errors=True)  # of a process that died
                with zipfile.ZipFile(archive) as file:
                    file.extractall(draft)
                draft.rename(sources)
    return sources


def main() -> int:
    """Run the command line; return the exit status."""
    missing = [name for name in NEEDED if util.find_spec(name) is None]
    if missing and not INDEPENDENT.intersection(sys.argv):
        from uci.apps.console.extras import install_command  # in here, from the archive

        print(
            f"pythagoras: {' and '.join(missing)} missing in {sys.executable};"
            f" install: {install_command('chess<1.12', 'numba', 'numpy')}",
            file=sys.stderr,
        )
        return 1
    try:
        sources = unpack(Path(__file__).parent)
    except OSError as error:
        print(f"pythagoras: there is no room to unpack: {error}", file=sys.stderr)
        return 1
    for name in [name for name in sys.modules if name.partition(".")[0] in ("engine", "uci")]:
        del sys.modules[name]  # those of the archive
    sys.path[0] = str(sources)
    importlib.invalidate_caches()
    from uci.cli import parser

    return parser.main()


if __name__ == "__main__":
    sys.exit(main())
