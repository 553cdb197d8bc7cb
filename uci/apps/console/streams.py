"""The process's standard streams: all three are open, and a protocol has its output for itself."""

import contextlib
import io
import os
import sys
from typing import BinaryIO

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_missing() -> None:
    """Open the null device for each stream that was closed when the process started.

    The next file to be opened would take its number, and be written to by all who think that they
    write messages.
    """
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def print_any_letter() -> None:
    """Make the output print a question mark for a letter that is not in its encoding."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def print_now(text: str, end: str = "\n") -> None:
    """Print at once. An `OSError` names the output: files that are full give the same one."""
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        error.filename = "standard output"
        raise


def write_out(status: int) -> int:
    """Write what is pending, and return the exit status: 1 in place of 0 where there is no room.

    What cannot be written is dropped, or Python complains as it ends.
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
    """Return the output for us alone; what others print goes to the errors from now on.

    numba prints what it compiles when its settings say so, and a client would take that for
    answers.
    """
    try:
        ours = os.dup(sys.stdout.fileno())
    except OSError:  # a stand-in without a descriptor
        return sys.stdout.buffer
    with contextlib.suppress(OSError):
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return os.fdopen(ours, "wb")
