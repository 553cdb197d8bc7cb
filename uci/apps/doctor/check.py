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

DEPENDS = "depends on a check above that is not ok"
REPORT = "report it, with the last line"


class NotOk(Exception):
    """A result that is not ok: what was found, and a fix in place of the check's own."""

    def __init__(self, status: Status, found: str, fix: str = "") -> None:
        super().__init__(found)
        self.status, self.found, self.fix = status, found, fix


Note, Wrong, Skipped = partial(NotOk, "note"), partial(NotOk, "wrong"), partial(NotOk, "skipped")


@dataclass(frozen=True, slots=True)
class Result:
    """What was found, what was expected, and the fix, in a few words each."""

    name: str
    status: Status
    found: str
    wanted: str
    fix: str


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name. ``find`` returns what it found if that is ok, and raises `NotOk` if not.

    Any other exception, and a crash, is "wrong". ``fix`` is how to fix what is not ok.
    """

    name: str
    wanted: str
    fix: str
    find: Callable[[], str]

    def run(self) -> Result:
        """Perform the check."""
        try:
            return self.result("ok", self.find())
        except NotOk as error:
            return self.result(error.status, error.found, error.fix)
        except Exception as error:  # noqa: BLE001  (the other checks must run)
            file = getattr(error, "filename", None)
            return self.result("wrong", f"{reason(error)}: {file}" if file else reason(error))

    def result(self, status: Status, found: str, fix: str = "") -> Result:
        """Return a result of this check, with its own fix unless another is given."""
        if status in ("note", "wrong"):
            fix = fix or self.fix
        return Result(self.name, status, found, self.wanted, fix)


def check(name: str, wanted: str, fix: str = REPORT) -> Callable[[Callable[[], str]], Check]:
    """Turn a function into the `Check` of this ``name``."""
    return partial(Check, name, wanted, fix)


def needed(find: Callable[..., T], *words: str) -> T:
    """Return ``find(*words)``. If it fails, skip this check: one above reports why."""
    try:
        return find(*words)
    except Exception:  # noqa: BLE001  (anything may be broken)
        raise Skipped(DEPENDS) from None
