"""The standard streams: opens missing ones, and reserves the output for the UCI protocol."""

import contextlib
import io
import os
import sys
from typing import BinaryIO

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_missing() -> None:
    """Open the null device for each standard stream that was closed at the start.

    Otherwise the next opened file would get its number, and messages would be written into that
    file.
    """
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def print_any_letter() -> None:
    """Make the output print a question mark for characters that its encoding cannot represent."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def print_now(text: str) -> None:
    """Print and flush. An `OSError` gets "standard output" as its file name."""
    try:
        print(text, flush=True)
    except OSError as error:
        error.filename = "standard output"
        raise


def write_out(status: int) -> int:
    """Flush the output, and return the exit status: 1 instead of 0 if that fails.

    Unwritten text is dropped; otherwise Python would report it at exit.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
        if status == 0 and not isinstance(error, BrokenPipeError):
            print(f"pythagoras: standard output: {error.strerror}", file=sys.stderr)
            return 1
    return status


def own_output() -> BinaryIO:
    """Return the output for our use only; other prints go to standard error from now on.

    numba prints compiler output if its settings say so, and a client would take that for answers.
    """
    try:
        ours = os.dup(sys.stdout.fileno())
    except OSError:  # `sys.stdout` was replaced by a stream without a descriptor
        return sys.stdout.buffer
    with contextlib.suppress(OSError):
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(ours, "wb")
