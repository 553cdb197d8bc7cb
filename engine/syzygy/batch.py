"""Probes many positions at once: for tests and for measuring the speed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Count
from engine.board.position import POSITION, new_position, refresh
from engine.jit.kernel import entry
from engine.memory.records import Record, address_of, array_of, new_record
from engine.syzygy.probing import probe_wdl
from engine.syzygy.table_records import CACHE
from engine.syzygy.wdl_tables import Tablebases

BATCH = np.dtype(
    [
        ("count", np.int64),
        ("boards", np.int8, (1024, 64)),
        ("sides", np.int8, 1024),
        ("en_passant", np.int8, 1024),
        ("values", np.int8, 1024),
    ],
    align=True,
)
"""Up to 1024 positions without castling rights, as `engine.board.position.set_position` takes them,
and their values."""


@entry((POSITION, (1,)), (BATCH, (1,)), np.int64, np.int64)
def _probe_batch(
    positions: NDArray[Any], batches: NDArray[Any], tables: Count, cache: Count
) -> None:
    pos, batch = positions[0], batches[0]
    for number in range(batch.count):
        for square in range(64):
            pos.board[square] = batch.boards[number, square]
        pos.side = np.int64(batch.sides[number])
        pos.en_passant = np.int64(batch.en_passant[number])
        refresh(pos)
        batch.values[number] = probe_wdl(pos, tables, cache, np.int64(0))


class BatchProber:
    """Probes `BATCH` records, in one thread."""

    def __init__(self, tables: Tablebases) -> None:
        self._tables = tables
        self._pos, self._cache = new_position(), new_record(CACHE)

    def probe(self, batch: Record) -> None:
        """Set the value of each record of a batch: see `engine.syzygy.probing.probe_wdl`."""
        _probe_batch(
            array_of(self._pos), array_of(batch), self._tables.address, address_of(self._cache)
        )
