"""The file that a command writes: looked at before the work, and written as a whole behind it."""

from pathlib import Path

from engine.files import replace_file
from uci.errors import UciError, shorten


def check_target(target: Path, force: bool) -> None:
    """Raise `UciError` where no file can go, or none without ``force``."""
    name = shorten(str(target))
    if name == "-":
        raise UciError("-: a file is needed, not the standard output")
    try:
        exists, is_file, has_place = target.exists(), target.is_file(), target.parent.is_dir()
    except OSError as error:
        raise UciError(f"{name}: {error.strerror}") from None
    if exists and not is_file:
        raise UciError(f"{name}: not a regular file")
    if exists and not force:
        raise UciError(f"{name} is there already: --force replaces it")
    if not has_place:
        raise UciError(f"{name}: no such folder")


def write_target(target: Path, data: bytes) -> None:
    """Write it. Raises `UciError`."""
    try:
        replace_file(target, data)
    except OSError as error:
        raise UciError(f"{shorten(str(target))}: {error.strerror}") from None
