"""How strongly the engine plays against a person: by Elo, by skill, or as well as it can."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from uci.errors import UciError, shorten
from uci.protocol.commands import whole_number
from uci.strength.limited_strength import ELO_HIGH, ELO_LOW, FULL_LEVEL

ELO, SKILL, FULL = "level", "skill", "full"


@dataclass(frozen=True, slots=True)
class Level:
    """``kind`` is `ELO`, `SKILL` or `FULL`, which has no number."""

    kind: str = FULL
    number: int = 0

    @classmethod
    def parse(cls, kind: str, text: str) -> Self:
        """Return the level of ``level 1500``, ``skill 5`` or ``level full``. Raises `UciError`."""
        if text.strip().lower() == FULL:
            return cls()
        low, high = (ELO_LOW, ELO_HIGH) if kind == ELO else (0, FULL_LEVEL)
        number = whole_number(text.strip())
        if number is None or not low <= number <= high:
            said = shorten(text) or "nothing"
            raise UciError(f"{kind}: {low} to {high} are possible, or {FULL}; not {said}")
        return cls(kind, number)

    @property
    def is_limited(self) -> bool:
        """Whether it plays less well than it can."""
        return self.kind == ELO or (self.kind == SKILL and self.number < FULL_LEVEL)

    def options(self) -> Iterator[tuple[str, str]]:
        """Yield the engine's options and their values."""
        yield "UCI_LimitStrength", str(self.kind == ELO).lower()
        yield "UCI_Elo", str(self.number if self.kind == ELO else ELO_LOW)
        yield "Skill Level", str(self.number if self.kind == SKILL else FULL_LEVEL)

    def __str__(self) -> str:
        return "full strength" if self.kind == FULL else f"{self.kind} {self.number}"

    def words(self) -> tuple[str, str]:
        """Return the two words that `parse` takes."""
        return (ELO, FULL) if self.kind == FULL else (self.kind, str(self.number))
