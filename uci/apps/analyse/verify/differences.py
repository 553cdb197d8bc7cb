"""The differences between recorded and computed values."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any

from uci.errors import printable, shorten

_BEFORE = 30
"""Characters of a long text that are shown before the first difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded value that differs from the computed one; ``place`` names the object with it."""

    place: str
    field: str
    recorded: Any
    computed: Any

    def __str__(self) -> str:
        recorded, computed = _excerpts(_text(self.recorded), _text(self.computed))
        return printable(f"{self.place}: {self.field}: recorded {recorded}, computed {computed}")


def differences(place: str, recorded: Any, computed: Any) -> Iterator[Difference]:
    """Yield the fields of ``recorded``, a dataclass or dictionary, that differ in ``computed``."""
    known, found = _fields(recorded), _fields(computed)
    for name in {**known, **found}:
        if known.get(name) != found.get(name):
            yield Difference(place, name, known.get(name), found.get(name))


def _fields(value: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = value if isinstance(value, Mapping) else asdict(value)
    return found


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return " ".join(map(str, value)) or "nothing"
    return json.dumps(value, ensure_ascii=False)


def _excerpts(*texts: str) -> list[str]:
    """Return texts shortened for a message, from a little before the place where they differ."""
    alike = takewhile(lambda characters: len({*characters}) == 1, zip(*texts, strict=False))
    start = len([*alike]) - _BEFORE
    if start <= 0 or all(shorten(text) == text for text in texts):
        return [*map(shorten, texts)]
    return [shorten("..." + text[start:]) for text in texts]
