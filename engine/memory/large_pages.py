"""Memory in large pages, where the system has them: an access needs fewer page table steps."""

import contextlib
import mmap

import numpy as np
from numpy.typing import NDArray

LARGE_PAGE = 2 << 20

_PRIVATE = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
)
"""Python maps shared memory by default, which gets no large pages."""


def allocate(size: int) -> NDArray[np.uint8]:
    """Return ``size`` zeroed bytes, aligned to a large page.

    Raises `MemoryError` if the machine has too little memory. Pages that were never written take no
    memory. A remainder that fills no large page lies on small ones.
    """
    try:
        memory = mmap.mmap(-1, size + LARGE_PAGE, **_PRIVATE)
    except (OSError, ValueError, OverflowError) as error:
        raise MemoryError(f"not enough memory for {size} bytes") from error
    whole = np.frombuffer(memory, dtype=np.uint8)
    start = -whole.ctypes.data % LARGE_PAGE
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            memory.madvise(mmap.MADV_NOHUGEPAGE)  # some systems give large pages unasked
            if size >= LARGE_PAGE:
                memory.madvise(mmap.MADV_HUGEPAGE, start, size - size % LARGE_PAGE)
    return whole[start : start + size]
