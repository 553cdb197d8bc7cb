"""The result of a check, and the exceptions of a check that is not ok."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from uci.apps.console.extras import reinstall_command

Status = Literal["ok", "note", "wrong", "skipped"]
"""With a note, the engine still plays. A check is skipped if it does not apply, or if a check that
it depends on has failed."""

_NOT_OK: tuple[Status, ...] = "note", "wrong", "skipped"

REPORT = "report it, with the last line"
REINSTALL_COMPILER = f"{reinstall_command('numba', 'llvmlite')}; if that does not help, {REPORT}"
"""The fix for unexpected failures."""


class NotOk(Exception):
    """A result that is not ok: what was found, and how to fix it."""

    def __init__(self, status: Status, found: str, fix: str = "") -> None:
        super().__init__(found)
        self.status, self.found, self.fix = status, found, fix


Note, Wrong, Skipped = (partial(NotOk, status) for status in _NOT_OK)


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, what was expected, and the fix, in a few words each."""

    name: str
    status: Status
    found: str
    wanted: str
    fix: str = ""
