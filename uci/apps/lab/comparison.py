"""The measurements of `pythagoras pv-lab`: all ways to collect the PV."""

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
from uci.chess_io.convert import fill, move_to_uci
from uci.session.backend import ProgressCallback

LAB_POSITIONS = (
    "r1bqkbnr/p1pp1p1p/p7/6p1/4p3/5N2/PPPPPPPP/R1BQKB1R w KQkq - 0 6",
    "r2qkbnr/ppp3p1/2n2p2/3p2Pp/4p1bP/1P2P2B/PBPP1P2/RN1QK1NR w KQkq - 2 9",
    "r2qkb1r/5ppp/2pppn2/8/3Pn3/2N1PN2/PP3PPP/R1BQ1RK1 w kq - 0 11",
    "2rq1rk1/pp1b1ppp/P1np4/3pp3/3P4/4PN1P/1PPnBPP1/R2Q1RK1 w - - 0 14",
    "r1b1k2r/pp4pp/3pn3/1P3p2/P1N1p3/2P1n2P/4PPP1/R3KB1R w KQkq - 0 16",
    "r3k2r/2p3bp/p1p2p1p/8/3P4/N6P/PPq1PP2/2R2RK1 w kq - 0 19",
    "r2k4/5p1p/2nb4/1p6/B1p5/4PN2/3P1P2/RN2K3 w Q - 0 21",
    "r1b2k1r/p2p1pp1/1b1Np3/4P1B1/1pPP4/6Pp/P1P2P1P/2KR1R2 w - - 2 24",
    "2br2k1/5pp1/7p/p2pN3/P3p3/1P2n1PP/4P1BK/2R5 w - - 0 27",
    "8/1p1k2p1/3p3p/p2Pp2P/Pn6/1PNP1K2/1B4P1/3R4 w - - 5 31",
    "r1bqkb1r/pppp3p/2n4n/5pp1/P3p2N/2NP2P1/1PP1PPBP/R1BQK2R b KQkq - 0 7",
    "rnb2rk1/ppp1p3/4Bnpb/8/8/1P3N2/PBPP1P1P/RN1QK2R b KQ - 0 10",
    "r1b1k2r/Nppp1ppp/4p3/p7/4P2q/2PPb1PN/PP3P1P/R2QKB1R b KQkq - 0 12",
    "2rq1b1r/pp1nk1p1/2pp1nB1/3b2Np/3Pp3/2P1P1BP/PP1N1PP1/R2Q1RK1 b - - 1 15",
    "r2q1rk1/1bp2ppp/pp2p3/4P3/P1PPpP2/4nN1P/1P1Q2P1/R3KBR1 b - - 2 17",
    "2kr4/pp2pp1r/2p3pp/8/P3P1b1/1PK2N2/2P2PPP/R2R4 b - - 0 20",
    "1k1rr3/1pp3pp/p3Bb2/4R3/8/1P1b2N1/P4PPP/4R1K1 b - - 2 22",
    "1r6/1pp4p/2P1kp2/p2rp3/6pN/1P6/P4PPP/2R1K1R1 b - - 0 25",
    "6k1/6pp/p3p3/4Pn2/4R3/5Q1P/2r2PPK/5q2 b - - 3 28",
    "6k1/7p/2p1N1p1/1p1rRnP1/1b1P4/2P5/1B3PK1/3R4 b - - 0 32",
    "rnbq1rk1/pp2p1bp/7p/2pp1P2/8/2PP1N1B/PP2PP1P/RN1Q1RK1 w - - 4 9",
    "r2q1rk1/pp1b1ppp/3ppb1n/8/3nP3/2N1BPP1/PPP3BP/R2Q1RK1 w - - 0 12",
    "2r2rk1/pp1qbpp1/2n1b1n1/2ppp1P1/7P/P1NPBN2/1PP1PPB1/2RQ1RK1 w - - 0 14",
    "2rqr1k1/pppnbp1N/4p1p1/P2pP2Q/8/2P1P3/1PB2PPP/R1B2RK1 w - - 0 17",
    "r3k2r/1bp2pp1/p1n1p3/8/1b1p1P1q/1PNB4/2PBN2P/R2QK2R w q - 2 19",
    "r1b1r3/2p2pk1/p1p1p1p1/1p2n2P/4N3/4P1P1/PPP1BPR1/2KR4 b - - 0 22",
    "2r1r1k1/1b1p1ppp/p2pp3/8/2R1P3/1P3B2/P4PPP/3R2K1 b - - 0 24",
    "rn2kr2/1p2ppb1/1q2PB2/1NpP4/8/pP4PQ/P1P4P/3R1RK1 b - - 0 27",
    "1k2r3/ppp2R2/7p/4b3/2Pp4/7P/PPK2P2/5B2 b - - 2 30",
    "8/1np2p1p/p5k1/1p1P4/1P1K2Pp/P6P/2P2P2/5R2 b - - 2 34",
    "rnb2rk1/3p2p1/2pbpn1p/qp3p2/3P4/P1N2NP1/2P1PPBP/R1BQK2R w KQ - 0 11",
    "r2q1rk1/1p1b2pp/p1npp3/3P1p2/3P3P/4PN2/PP1nBPP1/R2Q1RK1 w - - 0 14",
    "rn2k2r/pp4pp/2p5/2N2p2/3P1n2/4q2P/PPP3BP/R2Q1K1R w kq - 4 16",
    "rn2r1k1/p4p1p/2p2b2/5Pp1/7P/1P1P4/3PNP2/1R2K2R w K - 2 19",
    "r2rb3/1pk3pp/p1pRp3/4N3/8/P3P1PB/1PP1P2P/2KR4 w - - 3 21",
    "3r2kr/1ppb2p1/2n1p2p/5p2/p1P5/P2RPNP1/1PP1PnBP/RK6 w - - 6 24",
    "4r3/p1p2p1k/2p2P1p/8/6B1/P7/1PK2PPP/3R4 w - - 3 26",
    "5rk1/6p1/p1pr3p/6P1/3p4/P2P2P1/1P6/2R1R1K1 w - - 0 29",
    "2r5/N1r2p2/R7/3pkP1p/1P6/4PK2/2P2P2/3R4 w - - 3 32",
    "8/R7/p3k1pp/1p6/5p2/P3n3/1P4PP/6K1 w - - 0 36",
    "r1bqkb1r/1ppp2p1/p7/3Nnp2/4p2p/4P1P1/PPPBBP1P/R2Q1RK1 b kq - 1 12",
    "r1bqk2r/p4p2/2p1p1p1/2p3P1/3b4/2NP1N1P/PPP1P3/R1BQK3 b Qkq - 1 15",
    "r2qk2r/1pp2bp1/2P2p1n/p6p/P3P2P/2P2N2/2P1BPP1/R2QK2R b KQk - 0 17",
    "r1bqr1k1/bp5p/4P2n/p2p2pQ/8/P1PN3P/1P1B1PP1/R4RK1 b - - 2 20",
    "2r2rk1/2pb1pb1/5qpp/1B1pP3/1P2p1P1/2P1B2P/3N1P2/R2Q1RK1 b - - 0 22",
    "r4rk1/2p2pp1/5n1p/1p2p3/4P3/qNP2PP1/P4Q1P/3R2K1 b - - 3 25",
    "2R2rk1/5p1p/1p1q2p1/3pNn2/P2P4/5Q2/1B4PP/6K1 b - - 0 27",
    "1k5r/pp2pp2/6p1/2R3Pp/2P5/n1K5/P4P2/8 b - - 0 30",
    "r4rk1/1p1b4/p1p2pQ1/3NB3/3P4/5B2/1qP3P1/4R1K1 b - - 0 33",
    "8/2p5/P1N4p/1n6/1k1P2p1/4P3/4PK1P/8 b - - 0 37",
)
"""Positions from quick games of the engine against itself."""

RUNS = 5
MINIMAX_DEPTH_MARGIN = 2
"""Plies by which minimax searches less deep than the others."""

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

    ``whole`` and ``agreeing`` are shares of the positions: where the PV is complete or ends the
    game, and where it equals that of PVS with the triangular table at the same depth. ``lengths``
    are mean plies at each depth. ``time`` is relative to the search without a collector, ``None``
    if not measured.
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
    """Return whether ``line`` is legal, and has ``depth`` plies or ends the game."""
    board = board.copy(stack=False)
    for code in line:
        try:
            board.push_uci(move_to_uci(code, chess960=True))
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
    """The measurement of every pair of search and collector; `rows` has the results so far.

    With ``cutoffs`` the transposition table cuts off all nodes, PV nodes too; in MTD(f) it always
    does. PVs are measured once, with each search seeded by its own. Times are measured `RUNS`
    times, with the pairs alternating and all seeded with the triangular table's PVs, so that they
    visit the same tree.
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
        """Number of runs in which every pair's time was measured."""
        self._labs, self._boards = labs, boards
        self._depth, self._cutoffs = depth, cutoffs
        self._lines: dict[tuple[str, str], list[list[Found]]] = {}
        self._times: dict[tuple[str, str], list[float]] = {pair: [] for pair in labs}

    def run(self, progress: ProgressCallback) -> None:
        """Measure everything. A `KeyboardInterrupt` keeps the results so far in `rows`."""
        steps = len(self._labs) * (1 + RUNS)
        # The reference comes first: all other PVs are compared with it.
        for step, pair in enumerate(sorted(self._labs, key=lambda pair: pair != REFERENCE)):
            progress(step, steps, f"lines: {' '.join(pair)}")
            plies, use = self._setting(pair)
            self._lines[pair] = [
                _deepen(self._labs[pair], board, plies, use) for board in self._boards
            ]
        reference = self._lines[REFERENCE]  # shorter than the depth if a mate was found
        depths = range(self._depth)
        seeds = [[each[min(d, len(each) - 1)].line for d in depths] for each in reference]
        for run in range(1, RUNS + 1):
            for step, (pair, lab) in enumerate(self._labs.items(), run * len(self._labs)):
                progress(step, steps, f"time, run {run} of {RUNS}: {' '.join(pair)}")
                self._times[pair].append(_time(lab, self._boards, *self._setting(pair), seeds))
            self.runs = run
        progress(steps, steps, "")

    def rows(self) -> list[Row]:
        """Return a row for each pair whose PVs are measured, in the order of the pairs."""
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
        """Return the depth, and the use of the table: MTD(f) needs it for its repeated searches."""
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
    """Return the seconds of all searches, excluding the time between them."""
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
    """Set the row's measurements of its PVs."""
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
                nodes[plies] += spent  # after a mate, deeper searches add no nodes
        yield name, nodes
    progress(len(SEEDS), len(SEEDS), "")
