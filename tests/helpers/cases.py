"""Cases that a test tries, and how many of them it must have."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def at_least(number: int, cases: Iterable[T]) -> Iterator[T]:
    """Yield ``cases``; after the last one, fail if there were fewer than ``number``.

    For cases that a condition selects, which could leave none without notice.
    """
    tried = 0
    for tried, case in enumerate(cases, 1):  # noqa: B007  (counts)
        yield case
    assert tried >= number, f"{tried} cases were tried, and {number} are needed"
