"""The result of a check, and what a check raises where not all is well."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from uci.apps.console.extras import reinstall_command

Status = Literal["ok", "note", "wrong", "skipped"]
"""A note is worth knowing, and the engine plays. A check is skipped where it does not apply, or
where another one has failed that it depends on."""

_NOT_OK: tuple[Status, ...] = "note", "wrong", "skipped"

REPORT = "report it with the last line"
REINSTALL_COMPILER = f"{reinstall_command('numba', 'llvmlite')}; if that does not help, {REPORT}"
"""The fix for what should never happen."""


class NotOk(Exception):
    """The result of a check that is not ok: what was found, and what fixes it."""

    def __init__(self, status: Status, found: str, fix: str = "") -> None:
        super().__init__(found)
        self.status, self.found, self.fix = status, found, fix


Note, Wrong, Skipped = (partial(NotOk, status) for status in _NOT_OK)


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, what was wanted, and what fixes it, in few words each."""

    name: str
    status: Status
    found: str
    wanted: str
    fix: str = ""
