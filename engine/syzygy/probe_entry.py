"""The probe as machine code of its own, which the search calls through its address.

So the search compiles as fast as without tables, and the probe only when tables are opened.
"""

import threading

import numpy as np

from engine.board.annotations import Count
from engine.board.position import POSITION
from engine.jit.intrinsics import record_reader
from engine.jit.kernel import EntryPoints, code_address
from engine.syzygy.probing import probe_wdl

_PROBES = EntryPoints()
_LOCK = threading.Lock()
_position_at = record_reader(POSITION)


@_PROBES.entry(*[np.int64] * 4)
def probe_at(position: Count, tables: Count, cache: Count, start: Count) -> Count:
    """Return `probe_wdl` of the record at the address ``position``."""
    return probe_wdl(_position_at(position), tables, cache, start)


def is_compiled() -> bool:
    """Return whether `load_probe` only has to load machine code that was kept."""
    return _PROBES.is_warm()


def is_loaded() -> bool:
    """Return whether `load_probe` has nothing to do."""
    return code_address(probe_at) != 0


def load_probe() -> int:
    """Load the probe from the cache, or compile it; return the address of its machine code.

    The address is 0 if this numba does not reveal it.
    """
    with _LOCK:
        if not is_loaded():
            _PROBES.warm()
    return code_address(probe_at)
