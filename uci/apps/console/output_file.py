"""The output file of a command: checked before the work, and written as a whole after it."""

from pathlib import Path

from engine.files import replace_file
from uci.errors import UciError, shorten


def check_target(target: Path, force: bool) -> None:
    """Raise `UciError` if the file cannot be written, or exists and ``force`` is false."""
    name = shorten(str(target))
    if name == "-":
        raise UciError("-: expected a file name; standard output is not supported here")
    try:
        exists, is_file, has_place = target.exists(), target.is_file(), target.parent.is_dir()
    except OSError as error:
        raise UciError(f"{name}: {error.strerror}") from None
    if exists and not is_file:
        raise UciError(f"{name}: not a regular file")
    if exists and not force:
        raise UciError(f"{name} already exists; use --force to replace it")
    if not has_place:
        raise UciError(f"{name}: the folder does not exist")


def write_target(target: Path, data: bytes) -> None:
    """Write the file. Raises `UciError`."""
    try:
        replace_file(target, data)
    except OSError as error:
        raise UciError(f"{shorten(str(target))}: {error.strerror}") from None
