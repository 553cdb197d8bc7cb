"""A collector's memory during a recording: values, rows in use, and the changes of each step."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.board.types import NO_MOVE
from uci.apps.lab.show.captions import page_score
from uci.apps.lab.show.memory_layout import Element, Panel, PanelRow, at_first, panels_of
from uci.apps.lab.show.recording import (
    ALLOCATED,
    BUFFER_WORDS,
    BUFFERS,
    RETURN,
    TABLE,
    Access,
    Recording,
    Step,
)
from uci.chess_io.convert import move_to_uci

Shown = int | str | None

KINDS = {np.dtype(np.uint16): "move", np.dtype(np.uint64): "key"}
"""Names of the contents of collectors' fields, by type."""

COUNTED = frozenset((BUFFERS, "root_line"))
"""Arrays of moves whose word 0 is the number of moves."""

BOUNDS = {0: "", 1: "≤", 2: "≥", 3: "="}


class MemoryStory:
    """Replays a recording's accesses; `panels` are those of the page, `told` returns a step's
    codes.

    A read is the number of a cell; a write is −1 − number and the value. ``"s"`` before a number
    and a value means that no code of the search did it. ``"x"`` before a row's number and two
    numbers sets the range of its cells in use from now on.
    """

    def __init__(self, recording: Recording, called: Callable[[int], str]) -> None:
        self._recording = recording
        self._names = {node.key: called(i) for i, node in reversed([*enumerate(recording.nodes)])}
        accesses = [access for step in recording.steps for access in step.accesses]
        self.panels: list[Panel] = panels_of(
            [name for name, *_ in recording.collector.fields],
            accesses,
            recording.found.depth,
            recording.with_table,
        )
        self.rows: list[PanelRow] = [row for panel in self.panels for row in panel.rows]
        places = [place for row in self.rows for place in row.cells if place is not None]
        self.cells: dict[Element, int] = {place: i for i, place in enumerate(dict.fromkeys(places))}
        self._state: dict[Element, int | None] = {
            place: at_first(recording.before, place) for place in self.cells
        }
        dtype = recording.before.dtype
        kinds = {name: KINDS.get(dtype[name].base) for name in dtype.names}
        self._kinds = {**kinds, BUFFERS: "move", TABLE[0]: "key", TABLE[1]: "move"}
        self._written: set[Element] = set()
        self._extents = [row.extent(self._state) if row.extent else None for row in self.rows]
        self._row_of = {
            place: number
            for number, row in enumerate(self.rows)
            for place in row.cells
            if place is not None
        }

    @property
    def extents(self) -> list[tuple[int, int] | None]:
        """The range of cells in use of each row; ``None`` for all cells."""
        return list(self._extents)

    def values(self) -> list[Shown]:
        """The values that all cells show now."""
        return [self._shown(place) for place in self.cells]

    def cell_names(self) -> list[str]:
        """Return the name of each cell, as an expression of the program."""
        return [self._name(place) for place in self.cells]

    def told(self, step: Step) -> tuple[list[Any], str]:
        """Return the codes of a step's accesses, and the changes of the memory in words."""
        before = {n: self._content(n) for n, row in enumerate(self.rows) if row.name}
        touched: set[int] = set()
        codes: list[Any] = []
        for access in step.accesses:
            codes.extend(self._play(access, touched))
        if step.kind == RETURN:
            codes.extend(self._freed(self._recording.nodes[step.node].ply + 1))
        return codes, self._words(before, touched, step)

    def _play(self, access: Access, touched: set[int]) -> Iterator[Any]:
        if access.field == ALLOCATED:
            yield from self._silently(access.index, "?")
            return
        place = (access.field, access.index)
        if place not in self.cells:
            return
        if not access.writes:
            yield self.cells[place]
            return
        self._state[place] = access.value
        self._written.add(place)
        touched.add(self._row_of[place])
        yield -1 - self.cells[place]
        yield self._shown(place)
        yield from self._moved_extents()

    def _moved_extents(self) -> Iterator[Any]:
        for number, row in enumerate(self.rows):
            if row.extent and (now := row.extent(self._state)) != self._extents[number]:
                self._extents[number] = now
                yield from ("x", number, *now)

    def _silently(self, ply: int, value: Shown) -> Iterator[Any]:
        """Yield the codes that set all words of a ply's buffer, just allocated or freed."""
        for place in self._buffer(ply):
            self._state[place] = None
            self._written.discard(place)
            yield from ("s", self.cells[place], value)
        yield from self._moved_extents()

    def _freed(self, ply: int) -> Iterator[Any]:
        if any(self._state[place] is not None for place in self._buffer(ply)):
            yield from self._silently(ply, None)

    def _buffer(self, ply: int) -> list[Element]:
        buffers = [place for place in self.cells if place[0] == BUFFERS]
        return [place for place in buffers if place[1] // BUFFER_WORDS == ply]

    # Values

    def _shown(self, place: Element) -> Shown:
        name, index = place
        value = self._state[place]
        if value is None:
            return None
        kind = self._kinds.get(name)
        if kind == "move" and (name not in COUNTED or index % BUFFER_WORDS):
            if value == NO_MOVE:
                return "∅" if place in self._written else ""
            return move_to_uci(value, chess960=False)
        if kind == "key":
            return self._position(value) if place in self._written else ""
        if name == "table_bound":
            return BOUNDS[value]
        if name == "table_score":
            return page_score(value) if place in self._written else ""
        return value if place in self._written or name != "table_depth" else ""

    def _position(self, key: int) -> str:
        return self._names.get(key) or f"{key:016x}"[:6]

    def _name(self, place: Element) -> str:
        name, index = place
        dtype = self._recording.before.dtype
        if name == BUFFERS:
            return f"buffer of ply {index // BUFFER_WORDS}, word {index % BUFFER_WORDS}"
        if name not in (dtype.names or ()):
            return f"{name}[{index}]"
        shape = dtype[name].shape
        if not shape:
            return name
        if len(shape) == 2:
            return f"{name}[{index // shape[1]}, {index % shape[1]}]"
        return f"{name}[{index}]"

    # Words

    def _content(self, number: int) -> str:
        row = self.rows[number]
        first, end = self._extents[number] or (0, len(row.cells))
        cells = [place for place in row.cells[first:end] if place is not None]
        if row.extent and cells and cells[0][0] in COUNTED:
            cells = cells[1:]
        shown = [(place[0], self._shown(place)) for place in cells]
        said = [(field, str(each)) for field, each in shown if each not in (None, "")]
        if row.extent:
            return " ".join(text for _, text in said)
        return ", ".join(_part(field, text) for field, text in said)

    def _words(self, before: dict[int, str], touched: set[int], step: Step) -> str:
        changes = []
        for number, was in before.items():
            now, name = self._content(number), self.rows[number].name
            if self.rows[number].extent is None:
                if number in touched and now != was:
                    lost = _position(was) not in ("", _position(now))
                    changes.append(f"{name} becomes {now}" + (f", instead of {was}" * lost))
            elif now != was and number in touched:
                changes.append(f"{name} becomes {now}" if now else f"{name} is cleared")
            elif number in touched and not now:
                changes.append(f"{name} is cleared")
            elif number in touched:
                changes.append(f"{name} stays {now}")
        changes.extend(self._pointed(step))
        return "; ".join(changes)

    def _pointed(self, step: Step) -> Iterator[str]:
        """Describe the changes of rows that are found through pointers."""
        written = [access for access in step.accesses if access.writes]
        plies = sorted(access.index for access in written if access.field == "row_of")
        if plies:
            row = self._state[("row_of", plies[0])] or 0
            yield f"plies {plies[0]} and {plies[1]} swap their rows, and the move is put in front"
            yield f"the PV of ply {plies[0]} becomes {self._content(row)}"
        else:
            for access in written:
                if access.field == "row_end":
                    yield f"the row of ply {access.index} is cleared"


def _part(field: str, text: str) -> str:
    """Return a part of an entry in words."""
    name = field.rpartition("_")[2]
    match name:
        case "key":
            return f"“{text}”"
        case "move":
            return text
    return f"{name} {text}"


def _position(entry: str) -> str:
    """Return the position of an entry in words, empty if it has none."""
    return entry.partition(",")[0] if entry.startswith("“") else ""
