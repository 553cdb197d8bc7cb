"""The word that ends a search, on a cache line of its own: who stops writes it, all threads read.

A thread that ends by itself notes that in its own record, and so no line of memory but the
table's is written by two.
"""

from typing import Any

import numpy as np

from engine.intrinsics import load
from engine.kernel import kernel
from engine.records import address_of, new_record

SIGNAL_FIELDS: list[tuple[Any, ...]] = [("signal", np.int64)]
"""What a record needs: the address of the word."""

_WORD = np.dtype([("word", np.int64)])


class Signal:
    """It must outlive every search that listens to it."""

    def __init__(self) -> None:
        self._record = new_record(_WORD)

    @property
    def address(self) -> int:
        """Where the word lies, for the ``signal`` of a record."""
        return address_of(self._record)

    def set(self) -> None:
        """End the search within milliseconds; from any thread."""
        self._record.word = 1

    def clear(self) -> None:
        """Let the next search begin."""
        self._record.word = 0


NEVER = Signal()
"""For who is not to be told."""


@kernel
def is_set(th: Any) -> Any:
    """Return whether the search has been told to end."""
    return load(th.signal) != 0
