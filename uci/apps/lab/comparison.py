"""The measurements of `pythagoras pv-lab`: all ways to collect the principal variation."""

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

import chess

from engine.lab.collectors.collector import Line
from engine.lab.collectors.refutation import REFUTATIONS_FIRST
from engine.lab.lab_record import CUT, NOTHING_FIRST, ORDER, PV_FIRST, STORE, TREE_FIRST
from engine.lab.laboratory import LAB, Found, Lab
from engine.lab.registry import COLLECTORS
from uci.apps.console.signals import ending_at_once
from uci.apps.engines.pv_checks import line_may_end
from uci.chess_io.convert import fill, text_of
from uci.session.backend import ProgressCallback

RUNS = 5
MINIMAX_DEPTH_MARGIN = 2
"""Plies that minimax searches less deep than the others."""

TABLE_MB = 16
TREE_MB = 64
REFERENCE = ("PVS", "triangular")

PAIRS = (
    *(("PVS", name) for name in COLLECTORS),
    *(("fail-hard", name) for name in ("none", "save_line")),
    *(("MTD(f)", name) for name in ("none", "hash_walk", "refutation")),
    *(("minimax", name) for name in ("none", "quadratic")),
)
"""Pairs of search and collector: all collectors in PVS, and the literature's combinations."""

SEEDS = (
    ("nothing", NOTHING_FIRST, STORE),
    ("the line before", PV_FIRST, STORE),
    ("a line for each root move", REFUTATIONS_FIRST, STORE),
    ("the whole tree's best moves", TREE_FIRST, ORDER),
    ("nothing, with a table", NOTHING_FIRST, CUT),
    ("the line before, with a table", PV_FIRST, CUT),
)


@dataclass(slots=True)
class Row:
    """The measurements of one pair over all positions.

    ``whole`` and ``agreeing`` are shares of the positions: where the line has all of its plies or
    ends the game, and where it is that of PVS with the triangular table at the same depth.
    ``lengths`` are mean plies at each depth. ``time`` is relative to the search that collects
    nothing, ``None`` where it is not measured.
    """

    search: str
    collector: str
    whole: float = 0.0
    agreeing: float = 0.0
    lengths: list[float] = field(default_factory=list)
    nodes: int = 0
    time: float | None = None
    bytes: int = 0


def is_whole(board: chess.Board, line: Line, depth: int) -> bool:
    """Return whether ``line`` is legal and has ``depth`` plies or ends the game."""
    board = board.copy(stack=False)
    for code in line:
        try:
            board.push_uci(text_of(code, chess960=True))
        except ValueError:
            return False
    return len(line) == depth or line_may_end(board)


def compile_pairs(progress: ProgressCallback) -> dict[tuple[str, str], Lab]:
    """Return a laboratory for each pair, compiled or loaded from the cache."""
    labs = {pair: Lab(pair[0], COLLECTORS[pair[1]]) for pair in PAIRS}
    with ending_at_once():
        LAB.warm(progress)
    return labs


class Comparison:
    """The measurement of every pair of search and collector; `rows` are those of what is done.

    With ``cutoffs`` the transposition table cuts off all nodes, PV nodes too; in MTD(f) it always
    does. The lines are measured once, each search seeded with its own; the time `RUNS` times, the
    pairs in turn and all seeded with the triangular table's lines, so that they visit the same
    tree.
    """

    def __init__(
        self,
        labs: dict[tuple[str, str], Lab],
        boards: Sequence[chess.Board],
        depth: int,
        cutoffs: bool,
    ) -> None:
        """Compare ``labs`` over ``boards``, at ``depth`` plies."""
        self.runs = 0
        """The runs that have measured the time of every pair."""
        self._labs, self._boards = labs, boards
        self._depth, self._cutoffs = depth, cutoffs
        self._lines: dict[tuple[str, str], list[list[Found]]] = {}
        self._times: dict[tuple[str, str], list[float]] = {pair: [] for pair in labs}

    def run(self, progress: ProgressCallback) -> None:
        """Measure everything. A `KeyboardInterrupt` leaves what was measured in `rows`."""
        steps = len(self._labs) * (1 + RUNS)
        # The reference comes first: without it no line can be judged.
        for step, pair in enumerate(sorted(self._labs, key=lambda pair: pair != REFERENCE)):
            progress(step, steps, f"lines: {' '.join(pair)}")
            plies, use = self._setting(pair)
            self._lines[pair] = [
                _deepen(self._labs[pair], board, plies, use) for board in self._boards
            ]
        reference = self._lines[REFERENCE]  # shorter than the depth where a mate was found
        depths = range(self._depth)
        seeds = [[each[min(d, len(each) - 1)].line for d in depths] for each in reference]
        for run in range(1, RUNS + 1):
            for step, (pair, lab) in enumerate(self._labs.items(), run * len(self._labs)):
                progress(step, steps, f"time, run {run} of {RUNS}: {' '.join(pair)}")
                self._times[pair].append(_time(lab, self._boards, *self._setting(pair), seeds))
            self.runs = run
        progress(steps, steps, "")

    def rows(self) -> list[Row]:
        """Return a row for each pair whose lines are measured, in the order of the pairs."""
        rows = []
        for search, name in self._labs:
            if (search, name) in self._lines:
                row = Row(search, name, bytes=COLLECTORS[name].bytes)
                _rate(row, self._lines[search, name], self._lines[REFERENCE], self._boards)
                pairs = zip(self._times[search, name], self._times[search, "none"], strict=False)
                shares = [time / nothing for time, nothing in pairs]
                row.time = median(shares) if shares else None
                rows.append(row)
        return rows

    def _setting(self, pair: tuple[str, str]) -> tuple[int, int]:
        """Return the plies to search, and the use of the table: MTD(f) searches again and again."""
        search, _ = pair
        plies = self._depth - MINIMAX_DEPTH_MARGIN if search == "minimax" else self._depth
        return max(1, plies), CUT if self._cutoffs or search == "MTD(f)" else STORE


def _deepen(lab: Lab, board: chess.Board, depth: int, use: int) -> list[Found]:
    fill(lab.pos, board)
    lab.prepare(use=use, megabytes=TABLE_MB)
    return list(lab.deepen(depth))


def _time(
    lab: Lab,
    boards: Sequence[chess.Board],
    depth: int,
    use: int,
    seeds: Sequence[Sequence[Line]],
) -> float:
    """Return the seconds of all searches, without the time between them."""
    seconds = 0.0
    gc.disable()
    try:
        for board, lines in zip(boards, seeds, strict=True):
            fill(lab.pos, board)
            lab.prepare(use=use, megabytes=TABLE_MB)
            started = perf_counter()
            for _ in lab.deepen(depth, lines):
                pass
            seconds += perf_counter() - started
    finally:
        gc.enable()
    return seconds


def _rate(
    row: Row,
    found_lines: Sequence[list[Found]],
    reference: Sequence[list[Found]],
    boards: Sequence[chess.Board],
) -> None:
    """Set the row's measurements of its lines."""
    count = len(boards)
    ends = [each[-1] for each in found_lines]
    row.nodes = sum(found.nodes for found in ends)
    row.whole = sum(is_whole(b, f.line, f.depth) for b, f in zip(boards, ends, strict=True)) / count
    expected = [each[min(f.depth, len(each)) - 1] for each, f in zip(reference, ends, strict=True)]
    row.agreeing = sum(f.line == e.line for f, e in zip(ends, expected, strict=True)) / count
    for depth in range(max(len(each) for each in found_lines)):
        lengths = [len(each[depth].line) for each in found_lines if len(each) > depth]
        row.lengths.append(sum(lengths) / len(lengths))


def seeding(
    boards: Sequence[chess.Board], depth: int, progress: ProgressCallback
) -> Iterator[tuple[str, list[int]]]:
    """Yield, for each of `SEEDS`, the nodes that PVS needs to depth 1, 2, ... over ``boards``."""
    lab = Lab("PVS", COLLECTORS["refutation"])
    with ending_at_once():
        LAB.warm(progress)
    for step, (name, seed, use) in enumerate(SEEDS):
        progress(step, len(SEEDS), f"seeding: {name}")
        nodes = [0] * depth
        for board in boards:
            fill(lab.pos, board)
            lab.prepare(seed, use, TREE_MB if seed == TREE_FIRST else TABLE_MB)
            spent = 0
            for found in lab.deepen(depth):
                spent = found.nodes
                nodes[found.depth - 1] += spent
            for plies in range(found.depth, depth):
                nodes[plies] += spent  # after a mate deeper searches cost nothing
        yield name, nodes
    progress(len(SEEDS), len(SEEDS), "")
