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
from uci.chess_io.adapter import fill, text_of
from uci.protocol.exit_signals import ending_at_once
from uci.pvlab.pv_checks import line_may_end
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
    ``lengths`` are mean plies at each depth, ``time`` is relative to the search that collects
    nothing.
    """

    search: str
    collector: str
    whole: float = 0.0
    agreeing: float = 0.0
    lengths: list[float] = field(default_factory=list)
    nodes: int = 0
    time: float = 0.0
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


def measure(
    labs: dict[tuple[str, str], Lab],
    boards: Sequence[chess.Board],
    depth: int,
    cutoffs: bool,
    progress: ProgressCallback,
) -> list[Row]:
    """Search ``boards`` with every pair and return a row for each, in the order of ``labs``.

    With ``cutoffs`` the transposition table cuts off all nodes, PV nodes too; in MTD(f) it always
    does.

    The lines are measured once, each search seeded with its own; the time `RUNS` times, the
    pairs in turn and all seeded with the triangular table's lines, so that they visit the
    same tree.
    """
    rows = {(s, c): Row(s, c, bytes=COLLECTORS[c].bytes) for s, c in labs}
    found_lines: dict[tuple[str, str], list[list[Found]]] = {}
    steps = len(labs) * (1 + RUNS)
    step = 0
    for pair, lab in labs.items():
        progress(step, steps, f"lines: {' '.join(pair)}")
        plies, use = _plies(pair, depth), _table_use(pair, cutoffs)
        found_lines[pair] = [_deepen(lab, board, plies, use) for board in boards]
        step += 1
    for pair, row in rows.items():
        _rate(row, found_lines[pair], found_lines[REFERENCE], boards)

    reference = found_lines[REFERENCE]  # shorter than the depth where a mate was found
    seeds = [[each[min(d, len(each) - 1)].line for d in range(depth)] for each in reference]
    times: dict[tuple[str, str], list[float]] = {pair: [] for pair in labs}
    for run in range(1, RUNS + 1):
        for pair, lab in labs.items():
            progress(step, steps, f"time, run {run} of {RUNS}: {' '.join(pair)}")
            step += 1
            plies, use = _plies(pair, depth), _table_use(pair, cutoffs)
            times[pair].append(_time(lab, boards, plies, use, seeds))
    for (search, name), row in rows.items():
        nothing = times[search, "none"]
        row.time = median(t / n for t, n in zip(times[search, name], nothing, strict=True))
    progress(steps, steps, "")
    return list(rows.values())


def _plies(pair: tuple[str, str], depth: int) -> int:
    return max(1, depth - MINIMAX_DEPTH_MARGIN) if pair[0] == "minimax" else depth


def _table_use(pair: tuple[str, str], cutoffs: bool) -> int:
    """Return the use of the table: MTD(f) needs cut-offs, since it searches again and again."""
    return CUT if cutoffs or pair[0] == "MTD(f)" else STORE


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
    for board, lines in zip(boards, seeds, strict=True):
        fill(lab.pos, board)
        lab.prepare(use=use, megabytes=TABLE_MB)
        started = perf_counter()
        for _ in lab.deepen(depth, lines):
            pass
        seconds += perf_counter() - started
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
