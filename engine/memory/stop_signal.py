"""What ends a search, a depth of it, or a perft: words on a cache line of their own, which all
threads read.

They are written when something ends. A thread that ends by itself notes that in its own record: so
while they work, no line of memory but the table's is written by two.
"""

from typing import Any

import numpy as np

from engine.jit.intrinsics import load
from engine.jit.kernel import kernel
from engine.memory.records import Field, Record, address_of, new_record

SIGNAL_FIELDS: list[Field] = [("signal", np.int64)]
"""What a record needs: the address of the words."""

_WORDS = np.dtype([("ended", np.int64), ("passed", np.int64)])
_PASSED = _WORDS.fields["passed"][1]  # type: ignore[index]


class Signal:
    """It must outlive every kernel that listens to it."""

    def __init__(self) -> None:
        self._record = new_record(_WORDS)
        self.clear()

    @property
    def address(self) -> int:
        """Where the words lie, for kernels."""
        return address_of(self._record)

    def set(self) -> None:
        """End the work within milliseconds; from any thread."""
        self._record.ended = 1

    def is_set(self) -> bool:
        """Return whether the work was ended so."""
        return bool(self._record.ended)

    def pass_depth(self, depth: int) -> None:
        """End the search of ``depth``, in plies, and of every depth below it."""
        self._record.passed = depth

    def clear(self) -> None:
        """Let the next work begin."""
        self._record.ended, self._record.passed = 0, -1


NEVER = Signal()
"""For who is not to be told."""


@kernel
def has_ended(signal: int | np.int64) -> Any:
    """Return whether the work has been told to end, with the address of its signal."""
    return load(signal) != 0


@kernel
def is_set(th: Record) -> Any:
    """Return whether the search, or that of this depth, has been told to end."""
    return has_ended(th.signal) or np.int64(load(th.signal + _PASSED)) >= th.root_depth
