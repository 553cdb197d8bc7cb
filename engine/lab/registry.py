"""All collectors by name, in the order of the tables."""

from collections.abc import Iterable

import numpy as np

from engine.lab.collectors.collector import NONE, Collector, Fields
from engine.lab.collectors.hash_store import HASH_STORE
from engine.lab.collectors.hash_walk import hash_walk
from engine.lab.collectors.line import LINE, LINE_EMPTY, LINE_MEASURED, LINE_TRIANGULAR
from engine.lab.collectors.pointers import POINTERS
from engine.lab.collectors.pv_hash import PV_HASH
from engine.lab.collectors.quadratic import QUADRATIC
from engine.lab.collectors.refutation import REFUTATION
from engine.lab.collectors.save_line import SAVE_LINE
from engine.lab.collectors.single import SINGLE
from engine.lab.collectors.tree import TREE
from engine.lab.collectors.triangles import EVERYWHERE, FORMULA, INCREMENTAL, TRIANGULAR, UNTIL_NULL
from engine.lab.lab_record import FIELDS
from engine.lab.table import table_move
from engine.memory.records import Field, Record


def _protect(record: Record) -> None:
    record.protect = 1


def _do_not_protect(record: Record) -> None:
    record.protect = 0


HASH_WALK = hash_walk("hash_walk", table_move, _protect)
HASH_WALK_BARE = hash_walk("hash_walk, unprotected", table_move, _do_not_protect)
"""The same walk, with a table that does not protect exact entries."""

COLLECTORS: dict[str, Collector] = {
    collector.name: collector
    for collector in (
        NONE,
        TRIANGULAR,
        EVERYWHERE,
        FORMULA,
        INCREMENTAL,
        UNTIL_NULL,
        QUADRATIC,
        LINE,
        LINE_TRIANGULAR,
        LINE_EMPTY,
        SAVE_LINE,
        POINTERS,
        SINGLE,
        HASH_WALK,
        HASH_WALK_BARE,
        PV_HASH,
        HASH_STORE,
        TREE,
        REFUTATION,
    )
}


def all_fields(collectors: Iterable[Collector]) -> Fields:
    """Return the fields of all ``collectors``, each once; `TypeError` for two of one name."""
    found: dict[str, Field] = {}
    for collector in collectors:
        for field in collector.fields:
            if found.setdefault(field[0], field) != field:
                raise TypeError(f"{collector.name}: another collector has a field {field[0]}")
    return tuple(found.values())


RECORD = np.dtype([*FIELDS, *all_fields((*COLLECTORS.values(), LINE_MEASURED))], align=True)
"""The record of a plain search, with the fields of every collector, so that the kernels that do
not depend on the collector are compiled once."""
