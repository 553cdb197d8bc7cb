"""The signals that end the process."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from uci.protocol.writer import exit_process

INTERRUPTED = 130
"""The conventional exit status after Ctrl-C."""


def status_of(stop: BaseException) -> int:
    """Return the exit status of a Ctrl-C, or of a `SystemExit` that a signal has raised."""
    return int(stop.code or 0) if isinstance(stop, SystemExit) else INTERRUPTED


def exit_signals() -> list[signal.Signals]:
    """Return SIGTERM, and SIGHUP (the terminal was closed) unless it is ignored (nohup)."""
    found = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return found


def exit_on_signals(work: bool) -> None:
    """Make the first signal raise `SystemExit`, and a second one end the process at once.

    If ``work`` is true, the status is the shell's for this signal, otherwise 0.
    """

    def end(ended_by: int, _: object) -> None:
        status = 128 + ended_by if work else 0
        for number in exit_signals():
            signal.signal(number, lambda *_: exit_process(status))
        sys.exit(status)

    for number in exit_signals():
        signal.signal(number, end)


def ending_at_once() -> AbstractContextManager[None]:
    """Return a context in which Ctrl-C and the exit signals end the process at once.

    For the main thread, while it compiles: LLVM crashes if an exception interrupts it.
    """
    return handled(lambda ended_by, _: exit_process(128 + ended_by))


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call ``handler`` for Ctrl-C and the exit signals; in the main thread."""
    before = {
        number: signal.signal(number, handler)
        for number in (signal.SIGINT, *exit_signals())
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
