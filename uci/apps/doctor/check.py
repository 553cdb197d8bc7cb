"""What a check finds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from uci.apps.console.extras import reinstall_command

Status = Literal["ok", "note", "wrong", "skipped"]
"""Sound; worth knowing, and the engine plays; not sound; not to be told, since another check failed
or the system has no such thing."""

TELL = f"{reinstall_command('numba', 'llvmlite')}; if it stays, tell us, with the last line"
"""What mends what should never be."""


@dataclass(frozen=True, slots=True)
class Check:
    """What was found, what was wanted, and what mends it, in few words each."""

    name: str
    status: Status
    found: str
    wanted: str
    mend: str = ""


def names_of(checks: Iterable[Check], status: Status) -> list[str]:
    """Return the names of the checks of one status."""
    return [check.name for check in checks if check.status == status]
