"""A check, its result, and what it raises where not all is well."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from uci.apps.console.extras import reinstall_command
from uci.errors import reason

if TYPE_CHECKING:
    from uci.apps.doctor.diagnostics import Diagnostics

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


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name. ``find`` returns what it found if that is ok, and raises `NotOk` if not."""

    name: str
    wanted: str | Callable[[], str]
    find: Callable[["Diagnostics"], str]

    def run(self, diagnostics: "Diagnostics") -> Result:
        """Return the result; a check that raises anything else is wrong itself."""
        wanted = "a result"
        try:
            wanted = self.wanted if isinstance(self.wanted, str) else self.wanted()
            return Result(self.name, "ok", self.find(diagnostics), wanted)
        except NotOk as result:
            return Result(self.name, result.status, result.found, wanted, result.fix)
        except Exception as error:  # noqa: BLE001  (the other checks must run)
            found = f"{type(error).__name__}: {reason(error)}"
            return Result(self.name, "wrong", found, wanted, REPORT)


def check(
    name: str, wanted: str | Callable[[], str]
) -> Callable[[Callable[["Diagnostics"], str]], Check]:
    """Make a function the `Check` of this ``name``."""
    return lambda find: Check(name, wanted, find)
