"""Pack the engine into one executable file.

Usage: python -m scripts.release.standalone NAME, or ``make EXE=NAME``.

The file is a zip of ``engine/`` and ``uci/`` after a line that names Python; numba, numpy and
python-chess come from the environment of the ``python3`` on the PATH.
"""

import argparse
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "uci")
MAIN = Path(__file__).with_name("standalone_main.py")
SHEBANG = b"#!/usr/bin/env python3\n"


def files() -> Iterator[tuple[str, Path]]:
    """Yield the name inside the archive and the path of each file in it, sorted.

    These are all files of our packages, except the documents.
    """
    yield "__main__.py", MAIN
    yield "LICENSE", ROOT / "LICENSE"
    yield "pyproject.toml", ROOT / "pyproject.toml"  # `doctor` reads the required versions from it
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".md":
                yield path.relative_to(ROOT).as_posix(), path


def pack(target: Path) -> None:
    """Write the executable ``target``; equal sources give equal bytes. Raises `OSError`."""
    draft = target.with_name(f"{target.name}.draft")
    with draft.open("wb") as file:
        file.write(SHEBANG)
        with zipfile.ZipFile(file, "w") as archive:
            for name, path in files():
                # Dated 1980 by default, so that the bytes do not depend on the time.
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
    draft.chmod(0o755)
    draft.replace(target)  # a running engine keeps the old file


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="standalone", description=__doc__.splitlines()[0])
    parser.add_argument("name", type=Path, help="output file")
    target = parser.parse_args(arguments).name
    try:
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder")
        pack(target)
    except OSError as error:
        print(f"standalone: {error}", file=sys.stderr)
        return 1
    print(f"{target}: {target.stat().st_size // 1024} KiB, run by the python3 on the PATH")
    return 0


if __name__ == "__main__":
    sys.exit(main())
