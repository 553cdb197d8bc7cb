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


def exit_on_signals() -> None:
    """Make the first signal raise `SystemExit`, and a second one end the process at once."""

    def end(*_: object) -> None:
        for number in exit_signals():
            signal.signal(number, lambda *_: exit_process())
        sys.exit(0)

    for number in exit_signals():
        signal.signal(number, end)
