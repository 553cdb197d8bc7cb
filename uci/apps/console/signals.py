"""The signals that end the process."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

from uci.protocol.writer import exit_process

INTERRUPTED = 130
"""The exit status that shells know for Ctrl-C."""


def exit_signals() -> list[signal.Signals]:
    """Return SIGTERM, and SIGHUP (a closed terminal) unless it is ignored (nohup); not Ctrl-C's."""
    found = [signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return found


def exit_on_signals(work: bool) -> None:
    """Make the first signal raise `SystemExit`, and a second one end the process at once.

    For ``work`` that is not done then the status is what shells know for the signal, otherwise 0.
    """

    def end(ended_by: int, _: object) -> None:
        status = 128 + ended_by if work else 0
        for number in exit_signals():
            signal.signal(number, lambda *_: exit_process(status))
        sys.exit(status)

    for number in exit_signals():
        signal.signal(number, end)


def ending_at_once() -> AbstractContextManager[None]:
    """Have a Ctrl-C or one of these signals end the process at once meanwhile; in the main thread.

    For the time of compiling: LLVM, left in the middle by an exception, crashes.
    """
    return handled(lambda ended_by, _: exit_process(128 + ended_by))


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have ``handler`` called for a Ctrl-C or one of these signals; in the main thread."""
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
