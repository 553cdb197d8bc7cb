"""Machine code from the cache, loaded without the compiler. Imported where there is numba."""

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys


class Stored(FunctionCache):  # type: ignore[misc]
    """What is stored of an entry point."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for ``signature``; None where there is none.

        numba's own first imports all that it can compile, half the time of a warm start. What
        machine code calls is its runtime alone; the compiler asks for the rest when it begins.
        """
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)
