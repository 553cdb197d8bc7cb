"""Machine code from the cache, loaded without the compiler. Imported where there is numba."""

from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from engine.cache import storing


class Stored(FunctionCache):  # type: ignore[misc]
    """What is stored of an entry point, somewhere below ``folder``."""

    def __init__(self, function: Any, folder: Path) -> None:
        with storing:  # numba tries whether it can write
            super().__init__(function)
        self._folder = folder

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for ``signature``; None where there is none.

        numba's own first imports all that it can compile, half the time of a warm start. What
        machine code calls is its runtime alone; the compiler asks for the rest when it begins.
        """
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)

    def save_overload(self, signature: Any, code: Any) -> None:
        """Store the code, unless the folder is gone: numba would make it again as we leave."""
        with storing:
            if self._folder.exists():
                super().save_overload(signature, code)
