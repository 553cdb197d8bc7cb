"""The classic bug, on purpose: rows that are cleared once, before the search, and never again.

A node that returns before any move has improved it, at mate, at stalemate, at a draw or by a
cut-off of the table, then leaves its parent the row of an elder sibling.
"""

from dataclasses import replace

from engine.board.types import MAX_PLY
from engine.lab.collectors.collector import Collector
from engine.lab.collectors.save_line import SAVE_LINE
from engine.lab.interpreted import Interpreter
from engine.memory.records import Record


def uncleared(collector: Collector) -> Collector:
    """Return ``collector`` without the clearing of rows; `ValueError` if it does not clear rows or
    keeps its line in buffers."""
    enter = collector.hooks.get("enter")
    if enter is None:
        raise ValueError(f"{collector.name} does not clear rows")
    if "allocate" in collector.hooks:
        raise ValueError(
            f"{collector.name}: the contents of a buffer that is not cleared are undefined"
        )
    clear = Interpreter().copy(enter)
    clearing = ("enter", "before_child") if collector is SAVE_LINE else ("enter",)

    def prepare(record: Record) -> None:
        collector.prepare(record)
        for ply in range(MAX_PLY):
            clear(record, ply, True, 0)

    return replace(
        collector,
        name=f"{collector.name}, uncleared",
        hooks={name: hook for name, hook in collector.hooks.items() if name not in clearing},
        prepare=prepare,
    )
