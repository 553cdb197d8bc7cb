"""The output file of a command: checked before the work, and written as a whole after it."""

import errno
import json
import stat
from pathlib import Path

from engine.files import replace_file
from uci.apps.console.arguments import STREAM
from uci.errors import UciError, named_errors, shorten


def check_target(target: Path, force: bool) -> None:
    """Raise `UciError` if the file cannot be written, or exists and ``force`` is false."""
    name = shorten(str(target))
    if name == "-":
        raise UciError("-: expected a file name; standard output is not supported here")
    with named_errors(target):
        found, folder = _mode(target), _mode(target.parent)
    if found and not stat.S_ISREG(found):
        raise UciError(f"{name}: not a regular file")
    if found and not force:
        raise UciError(f"{name} already exists; use --force to replace it")
    if not stat.S_ISDIR(folder):
        raise UciError(f"{name}: the folder does not exist")


def _mode(path: Path) -> int:
    """Return the mode of what ``path`` leads to, 0 if that is nothing. Raises other `OSError`.

    From Python 3.14 on `Path.exists` returns False for those, too.
    """
    try:
        return path.stat().st_mode
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return 0
        raise


def check_json_target(target: str | None, force: bool) -> None:
    """Check the value of ``--json FILE`` as `check_target` does; ``-`` and None are fine."""
    if target not in (None, STREAM):
        check_target(Path(target), force)


def write_json(target: str, value: object) -> None:
    """Write ``value`` as JSON to a file, or to standard output if ``target`` is ``-``.

    Raises `UciError`.
    """
    text = json.dumps(value, indent=1)
    if target == STREAM:
        print(text)
    else:
        write_target(Path(target), f"{text}\n".encode())


def write_target(target: Path, data: bytes) -> None:
    """Write the file. Raises `UciError`."""
    with named_errors(target):
        replace_file(target, data)
