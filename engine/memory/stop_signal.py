"""The stop signal: two words by which all threads end a search, a depth of it, or a perft.

They have a cache line of their own and are only written to end something. A thread that ends by
itself notes that in its own record: so working threads share no cache line but the table's.
"""

from typing import Any

import numpy as np

from engine.jit.intrinsics import load
from engine.jit.kernel import kernel
from engine.memory.records import Field, Record, address_of, new_record

SIGNAL_FIELDS: list[Field] = [("signal", np.int64)]
"""The field of a record that holds the address of the signal."""

_WORDS = np.dtype([("ended", np.int64), ("passed", np.int64)])
_PASSED = _WORDS.fields["passed"][1]  # type: ignore[index]


class Signal:
    """A stop signal; it must outlive every kernel that reads it."""

    def __init__(self) -> None:
        self._record = new_record(_WORDS)
        self.clear()

    @property
    def address(self) -> int:
        """The address of the words, for kernels."""
        return address_of(self._record)

    def set(self) -> None:
        """End the work within milliseconds; from any thread."""
        self._record.ended = 1

    def is_set(self) -> bool:
        """Return whether `set` was called."""
        return bool(self._record.ended)

    def pass_depth(self, depth: int) -> None:
        """End the search of ``depth``, in plies, and of every depth below it."""
        self._record.passed = depth

    def clear(self) -> None:
        """Reset the signal, before the next work begins."""
        self._record.ended, self._record.passed = 0, -1


NEVER = Signal()
"""A signal that is never set."""


@kernel
def has_ended(signal: int | np.int64) -> Any:
    """Return whether the signal at this address was set."""
    return load(signal) != 0


@kernel
def is_set(th: Record) -> Any:
    """Return whether the search, or its present depth, was stopped."""
    return has_ended(th.signal) or np.int64(load(th.signal + _PASSED)) >= th.root_depth
