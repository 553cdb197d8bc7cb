"""Makes numba refuse negative indices where it checks the bounds of arrays.

With ``NUMBA_BOUNDSCHECK=1`` numba adds the length to a negative index before it checks it, so that
−1 to −n pass. No kernel counts from the end: a negative index is a mistake. Needs numba's private
parts, and is imported only where bounds are checked.
"""

from typing import Any

from numba.core import types
from numba.np import arrayobj


def _as_it_is(context: Any, builder: Any, index_type: Any, index: Any, _: Any) -> Any:
    """Return an index as a word; a negative one stays negative, and fails the check."""
    word = types.intp if index_type.signed else types.uintp
    return context.cast(builder, index, index_type, word)


arrayobj.fix_integer_index = _as_it_is
