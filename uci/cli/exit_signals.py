"""The signals that end the process, apart from Ctrl-C."""

import signal
import sys

from uci.protocol.writer import exit_process


def exit_signals() -> list[signal.Signals]:
    """Return SIGTERM, and SIGHUP (a closed terminal) unless it is ignored (nohup)."""
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
