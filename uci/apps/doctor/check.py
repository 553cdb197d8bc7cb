"""A check: a name, and the function that performs it."""

from collections.abc import Callable
from dataclasses import dataclass

from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import REPORT, NotOk, Result
from uci.errors import reason


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name. ``find`` returns what it found if that is ok, and raises `NotOk` if not."""

    name: str
    wanted: str | Callable[[], str]
    find: Callable[[Diagnostics], str]

    def run(self, diagnostics: Diagnostics) -> Result:
        """Return the result; an unexpected exception makes it "wrong"."""
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
) -> Callable[[Callable[[Diagnostics], str]], Check]:
    """Turn a function into the `Check` of this ``name``."""
    return lambda find: Check(name, wanted, find)
