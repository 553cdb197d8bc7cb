"""Syzygy tables made for a test, in which every position has the same value."""

from pathlib import Path

from engine.syzygy.wdl_file import MAGIC
from engine.syzygy.wdl_tables import Tablebases

_CONSTANT = 0x80


def constant_file(value: int) -> bytes:
    """Return the bytes of KQvK.rtbw with the same ``value`` everywhere: see `constant_table`."""
    pieces = bytes([6 | 6 << 4, 14 | 14 << 4, 5 | 5 << 4])
    sides = bytes([_CONSTANT, 2 + value, _CONSTANT, 2 - value])
    return (MAGIC + b"\1\0" + pieces + b"\0" + sides).ljust(64, b"\0") + bytes(16)


def constant_table(folder: Path, value: int) -> Tablebases:
    """Return a table of king and queen against king, written to ``folder``, in which the queen's
    side has the ``value``, from -2 to 2, and the other its opposite."""
    file = folder / "KQvK.rtbw"
    file.write_bytes(constant_file(value))
    return Tablebases([file])
