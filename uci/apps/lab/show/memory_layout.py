"""The layout of a collector's memory on the page: panels of rows of cells, and the cells in use.

Only the part of the real memory is shown that a search of this depth can reach, and of tables only
the accessed entries.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.board.types import MAX_PLY
from engine.lab.collectors.hash_store import MAX_LINE_LENGTH
from engine.lab.interpreted import source_of
from engine.search.triangular import row_start
from uci.apps.lab.show.recording import ALLOCATED, BUFFER_WORDS, BUFFERS, TABLE, Access

Element = tuple[str, int]
"""A field and the index of one of its elements."""

Cells = list[Element | None]
"""What a row shows; None is an empty place."""

State = Mapping[Element, int | None]
Extent = Callable[[State], tuple[int, int]]
"""Returns the range of a row's cells in use, by number, the end excluded."""


@dataclass(slots=True)
class PanelRow:
    """A row of cells; ``extent`` is set if not all cells are in use."""

    label: str
    cells: Cells
    extent: Extent | None = None
    name: str = ""
    """The name in captions; "" if changes of the row are not described."""

    beside: int = 0
    """Number of cells at the end that are drawn next to the row without belonging to it."""


@dataclass(slots=True)
class Panel:
    """Some rows under a title; ``kind`` is a CSS class."""

    title: str
    kind: str
    rows: list[PanelRow]
    heads: list[str] = field(default_factory=list)


def panels_of(
    fields: Iterable[str], accesses: Iterable[Access], depth: int, with_table: bool
) -> list[Panel]:
    """Return the panels of a collector's ``fields``; every accessed element is on one of them."""
    touched = sorted({(access.field, access.index) for access in accesses})
    panels = [*_panels(set(fields), touched, depth + 1)]
    if with_table:
        panels.append(_table("Transposition table", TABLE, touched, "entry"))
    shown = {cell for panel in panels for row in panel.rows for cell in row.cells}
    rest = [place for place in touched if place not in shown and place[0] != ALLOCATED]
    if rest:
        rows = [PanelRow(f"{field}[{index}]", [(field, index)]) for field, index in rest]
        panels.append(Panel("Other fields", "list", rows))
    return [panel for panel in panels if panel.rows]


def _panels(fields: set[str], touched: list[Element], plies: int) -> Iterator[Panel]:
    start = source_of(row_start)
    if "pv" in fields:
        yield _triangle("pv", plies, start, "pv_length", ("pv_main", "pv_leaf"))
    if "formula" in fields:
        yield _triangle("formula", plies, start, "formula_length")
    if "running" in fields:
        yield _triangle("running", plies, start, "running_length")
    if "ended" in fields:
        yield _triangle("ended", plies, start, "")
    if "square" in fields:
        yield _square("square", plies, "square_length")
    if "refuting" in fields:
        yield _square("refuting", plies, "refuting_length")
        yield _refutations(touched, plies)
    if "saved" in fields:
        yield _saved(plies)
    if "rows" in fields:
        yield from _pointers(plies)
    if "only_line" in fields:
        cells = _span("only_line", 0, plies + 1)
        row = PanelRow("row", cells, _to_null(cells), "the row")
        yield Panel("The only row", "row", [row], _numbers(plies + 1))
    if "root_line" in fields:
        yield _buffers(plies)
    if "pv_key" in fields:
        yield _table("Table of exact nodes", ("pv_key", "pv_move"), touched, "slot")
    for moves, length in (("walked", "walked_length"), ("pv_walked", "pv_walked_length")):
        if moves in fields:
            yield _walked(moves, length, plies)
    if "store_key" in fields:
        yield _store(touched)
    if "tree_key" in fields:
        yield from _cells(touched, plies)


def _span(field: str, first: int, count: int, void: int = 0) -> Cells:
    """Return ``count`` elements of a field from index ``first`` on, and ``void`` empty places."""
    return [*((field, first + i) for i in range(count)), *[None] * void]


def _numbers(count: int) -> list[str]:
    return [*map(str, range(count))]


def _short(name: str) -> str:
    return name.rpartition("_")[2]


def _until(length: Element, first: int = 0) -> Extent:
    return lambda state: (first, state.get(length) or 0)


def _to_null(cells: Cells) -> Extent:
    def extent(state: State) -> tuple[int, int]:
        values = [state.get(cell) for cell in cells if cell is not None]
        return 0, next((i for i, value in enumerate(values) if not value), len(values))

    return extent


def _triangle(
    moves: str, plies: int, start: Callable[[int], Any], length: str, more: tuple[str, ...] = ()
) -> Panel:
    """Return rows of N − ply moves without gaps between them."""
    tails = [name for name in (length, *more) if name]
    rows = []
    for ply in range(plies):
        first = int(start(ply))
        cells = _span(moves, first, plies - ply, ply)
        extent = _until((length, ply)) if length else _to_null(cells)
        cells += [(name, ply) for name in tails]
        rows.append(PanelRow(f"row {ply} at {first}", cells, extent, f"row {ply}", len(tails)))
    title = f"{moves}: the top of a triangle of {MAX_PLY} rows"
    return Panel(title, "triangle", rows, [*_numbers(plies), *map(_short, tails)])


def _square(moves: str, plies: int, length: str) -> Panel:
    """Return rows of N moves; every move is in the column of its ply."""
    rows = []
    for ply in range(plies):
        cells = [*_span(moves, ply * MAX_PLY, plies), (length, ply)]
        rows.append(PanelRow(f"row {ply}", cells, _until((length, ply), ply), f"row {ply}", 1))
    title = f"{moves}: a square of {MAX_PLY} rows, best moves on the diagonal"
    return Panel(title, "square", rows, [*_numbers(plies), "ends at"])


def _saved(plies: int) -> Panel:
    rows = []
    for ply in range(plies):
        length = ("saved_length", ply)
        cells = [*_span("saved", ply * MAX_PLY, plies - ply, ply), length]
        rows.append(PanelRow(f"line {ply}", cells, _until(length), f"line {ply}", 1))
    heads = [*_numbers(plies), "length"]
    return Panel("saved: a line for each ply, reset by its parent", "triangle", rows, heads)


def _pointers(plies: int) -> Iterator[Panel]:
    """Yield rows that belong to the ply whose pointer leads there."""
    rows, own = [], []
    for number in range(plies):
        cells = _span("rows", number * MAX_PLY, plies)
        rows.append(PanelRow(f"row {number}", cells, _pointed(number, plies)))
        own.append(PanelRow(f"ply {number}", [("row_of", number), ("row_end", number)]))
    yield Panel("rows: the pointers below say whose they are", "pointers", rows, _numbers(plies))
    yield Panel("row_of, row_end: the row of each ply", "list", own, ["row", "ends at"])


def _pointed(number: int, plies: int) -> Extent:
    def extent(state: State) -> tuple[int, int]:
        for ply in range(plies):
            if state.get(("row_of", ply)) == number:
                return ply, state.get(("row_end", ply)) or 0
        return 0, 0

    return extent


def _buffers(plies: int) -> Panel:
    """Return buffers whose words 0 are lengths. A buffer lives as long as the call that owns it."""
    rows = []
    for ply in range(plies):
        cells = _span(BUFFERS, ply * BUFFER_WORDS, plies - ply + 1, ply)
        name = f"the buffer for ply {ply}"
        rows.append(PanelRow(f"for ply {ply}", cells, _counted(cells), name))
    line = _span("root_line", 0, plies + 1)
    rows.append(PanelRow("root_line", line, _counted(line), "root_line"))
    title = "LINE buffers on the stack: each in the call that tries moves there"
    return Panel(title, "stack", rows, ["length", *_numbers(plies + 1)[1:]])


def _counted(cells: Cells) -> Extent:
    def extent(state: State) -> tuple[int, int]:
        length = state.get(cells[0]) if cells[0] else None
        return (0, 0) if length is None else (0, length + 1)

    return extent


def _walked(moves: str, length: str, plies: int) -> Panel:
    cells = [*_span(moves, 0, plies), (length, 0)]
    row = PanelRow("walk", cells, _until((length, 0)), "the walk", 1)
    return Panel("The PV, collected at the end", "row", [row], [*_numbers(plies), "length"])


def _indices(touched: list[Element], names: Iterable[str]) -> list[int]:
    return sorted({index for field, index in touched if field in names})


def _entries(names: tuple[str, ...], indices: Iterable[int], word: str) -> list[PanelRow]:
    """Return a row for each index, with the elements of all fields; ``word`` names an entry."""
    return [
        PanelRow(f"{word} {index}", [(name, index) for name in names], None, f"{word} {index}")
        for index in indices
    ]


def _table(title: str, names: tuple[str, ...], touched: list[Element], word: str) -> Panel:
    heads = [_short(name).replace("key", "position") for name in names]
    return Panel(title, "table", _entries(names, _indices(touched, names), word), heads)


def _store(touched: list[Element]) -> Panel:
    rows = []
    longest = 1 + max(
        (index % MAX_LINE_LENGTH for name, index in touched if name == "store_line"), default=0
    )
    for slot in _indices(touched, ("store_key",)):
        length = ("store_length", slot)
        line = _span("store_line", slot * MAX_LINE_LENGTH, longest)
        cells = [*line, length, ("store_key", slot)]
        rows.append(PanelRow(f"slot {slot}", cells, _until(length), f"slot {slot}", 2))
    return Panel("Store of PVs", "table", rows, [*_numbers(longest), "length", "position"])


def _cells(touched: list[Element], plies: int) -> Iterator[Panel]:
    names = ("tree_key", "tree_move", "tree_next", "tree_left", "tree_right")
    rows = _entries(names, filter(None, _indices(touched, names)), "cell")
    heads = ["position", *map(_short, names[1:])]
    yield Panel("Cells of the tree; 0 is none", "table", rows, heads)
    ends = [
        PanelRow(f"ply {ply}", [("tree_head", ply), ("tree_tail", ply)]) for ply in range(plies)
    ]
    yield Panel("The cell of each ply, and of its best child", "list", ends, ["head", "tail"])
    single = [
        PanelRow(_short(name), [(name, 0)])
        for name in ("tree_root", "tree_size", "tree_limit", "tree_full")
        if (name, 0) in touched
    ]
    yield Panel("The pool", "list", single)


def _refutations(touched: list[Element], plies: int) -> Panel:
    rows = []
    for row in _indices(touched, ("refuted",)):
        length = ("refutation_length", row)
        cells = [("refuted", row), *_span("refutation", row * MAX_PLY + 1, plies - 1), length]
        rows.append(PanelRow(f"row {row}", cells, _until(length), f"refutation {row}", 1))
    rows.append(PanelRow("best row", [("refuted_best", 0)]))
    return Panel("A PV for every root move", "list", rows, [*_numbers(plies), "length"])


def at_first(record: Any, place: Element) -> int | None:
    """Return the value of an element before the search; ``None`` if it did not exist yet."""
    name, index = place
    if name == BUFFERS:
        return None
    if name in TABLE:
        return 0
    return int(np.ravel(record[name])[index])
