"""A check: its name, what it expects, and the function that performs it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from uci.errors import reason

T = TypeVar("T")

Status = Literal["ok", "note", "wrong", "skipped"]
"""With a note, the engine still plays. A check is skipped if it does not apply, or if another check
reports why it cannot be performed."""

_NOT_OK: tuple[Status, ...] = "note", "wrong", "skipped"

DEPENDS = "depends on a failed check above"
REPORT = "report it, with the last line"


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


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name. ``find`` returns what it found if that is ok, and raises `NotOk` if not.

    Any other exception, and a crash, is "wrong". ``repair`` is the fix where `Wrong` names none.
    """

    name: str
    wanted: str
    repair: str
    find: Callable[[], str]

    def run(self) -> Result:
        """Perform the check."""
        try:
            return self.result("ok", self.find())
        except NotOk as error:
            repair = self.repair if error.status == "wrong" else ""
            return self.result(error.status, error.found, error.fix or repair)
        except Exception as error:  # noqa: BLE001  (the other checks must run)
            found = reason(error)  # of a `KeyError` it is just the key
            return self.result("wrong", found if " " in found else repr(error), self.repair)

    def result(self, status: Status, found: str, fix: str = "") -> Result:
        """Return a result of this check."""
        return Result(self.name, status, found, self.wanted, fix)


def check(name: str, wanted: str, repair: str = REPORT) -> Callable[[Callable[[], str]], Check]:
    """Turn a function into the `Check` of this ``name``."""
    return partial(Check, name, wanted, repair)


def needed(find: Callable[..., T], *words: str) -> T:
    """Return ``find(*words)``. Raises `NotOk` if it fails, to skip what another check reports."""
    try:
        return find(*words)
    except NotOk:
        raise
    except Exception:  # noqa: BLE001  (anything may be broken)
        raise Skipped(DEPENDS) from None
