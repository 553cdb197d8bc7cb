"""Build the release files, and test each in an empty environment.

Usage: python -m scripts.release.distributions FOLDER [--tag TAG], or ``make release``. It writes
the wheel, the source archive and the one-file build. Each is installed into a new virtual
environment, started with an empty home, and must play; all must have the same node count. The exit
status is 1 if one does not work, 2 if nothing can be built.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

from scripts.release import standalone
from uci import __version__

ROOT = Path(__file__).resolve().parents[2]
ONE_FILE = "pythagoras"
DEPTH = 4
"""Depth of the bench, which is the first search and so compiles the kernels."""

SCRIPTS = "Scripts" if os.name == "nt" else "bin"
CONVERSATION = "uci\nisready\nposition startpos moves e2e4\ngo depth 5\nquit\n"


class Unusable(Exception):
    """Raised if a distribution does not work; the message says how."""


def build(folder: Path) -> list[Path]:
    """Write the wheel, the source archive and the one-file build into ``folder``."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    standalone.pack(folder / ONE_FILE)
    return [*folder.glob("*.whl"), *folder.glob("*.tar.gz"), folder / ONE_FILE]


def install(distribution: Path, prefix: Path) -> list[str]:
    """Install a distribution into a new environment at ``prefix``; return its command.

    Only the dependencies are installed for the one-file build.
    """
    venv.create(prefix, with_pip=True)
    python = prefix / SCRIPTS / "python"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    alone = distribution.name == ONE_FILE
    wanted = project["dependencies"] if alone else [str(distribution)]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *wanted], check=True)
    return [str(python), str(distribution)] if alone else [str(prefix / SCRIPTS / "pythagoras")]


def try_out(command: Sequence[str], home: Path) -> int:
    """Start an installed engine with ``home``; return the nodes of its bench. Raises `Unusable`."""
    home.mkdir(mode=0o700)
    places = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(home))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA_"))}

    def run(*words: str, said: str = "") -> str:
        done = subprocess.run(
            [*command, *words], input=said, cwd=home, env=kept | places, text=True,
            capture_output=True, timeout=1800, check=False,
        )  # fmt: skip
        if done.returncode or done.stderr:
            raise Unusable(f"{words or 'uci'}: status {done.returncode}\n{done.stderr}")
        return done.stdout

    def must_match(pattern: str, output: str) -> str:
        found = re.search(pattern, output, re.MULTILINE)
        if found is None:
            raise Unusable(f"no {pattern} in:\n{output}")
        return found[found.re.groups]

    must_match(rf"\b{re.escape(__version__)}\b", run("--version"))
    nodes = must_match(r"^(\d+) nodes \d+ nps$", run("bench", str(DEPTH)))
    heard = run(said=CONVERSATION)
    must_match("^uciok$", heard)
    must_match(r"^bestmove [a-h][1-8][a-h][1-8]", heard)
    run("doctor")
    return int(nodes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="distributions", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="output folder; empty or new")
    parser.add_argument("--tag", help="tag of the commit; must be v plus the version")
    options = parser.parse_args(arguments)
    if options.tag not in (None, f"v{__version__}"):
        parser.error(f"tag {options.tag} does not match version {__version__}")
    if options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty: run make clean")
    options.folder.mkdir(parents=True, exist_ok=True)
    counted = set()
    for distribution in build(options.folder.resolve()):
        place = Path(tempfile.mkdtemp(prefix="pythagoras-release-"))
        try:
            nodes = try_out(install(distribution, place / "environment"), place / "home")
        except Unusable as error:
            print(f"{distribution.name}: {error}", file=sys.stderr)
            return 1
        finally:
            shutil.rmtree(place, ignore_errors=True)
        print(f"{distribution.name}: works, {nodes} nodes", flush=True)
        counted.add(nodes)
    return 0 if len(counted) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
