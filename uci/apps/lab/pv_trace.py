"""``pythagoras pv-lab --truth``: checks every PV down to its last position.

The PV is replayed, including its quiescence moves, and its last position is judged again: by the
rules, and by the evaluation computed from scratch.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from engine.search.limits import Limits
from engine.search.score import MATE
from uci.apps.console.signals import INTERRUPTED, ending_at_once
from uci.apps.engines.pv_checks import (
    CHECKS,
    COMPLETE,
    MAX_FAULTS,
    STABLE,
    Tally,
    check_lines,
    line_may_end,
    replay,
)
from uci.chess_io.convert import fill, info_of, move_to_uci
from uci.chess_io.positions import read_positions
from uci.errors import UciError
from uci.protocol.messages import format_info
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.session.bench import POSITIONS

if TYPE_CHECKING:
    from engine.board.annotations import Position
    from engine.search.results import Iteration
    from engine.search.searcher import Searcher
    from uci.chess_io.syzygy import Tables

EVALUATION, DRAW, MATED, TABLES, REFINED, UNEXPLAINED = (
    "evaluation", "draw", "mate", "tables", "refined", "unexplained"
)  # fmt: skip
CLASSES = (EVALUATION, DRAW, MATED, TABLES, REFINED, UNEXPLAINED)
"""Classes of scores: the static eval of the PV's last position, a draw or mate there, its tablebase
value, the eval after the search's correction history, or none of these."""

COMPLETE_SHARE = 0.999
"""The required share of complete PVs, among the last ones of each search."""

SEED = 1
REPORT_INTERVAL = 100
"""Number of positions between two lines of progress."""


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """Search settings. ``interrupted`` ends each search after a random part of its nodes; ``plain``
    means without table, pruning and reductions."""

    name: str
    limits: Limits
    hash_mb: int = 1
    multipv: int = 1
    interrupted: bool = False
    plain: bool = False


SETTINGS = (
    SearchSetting("depth 12, Hash 1", Limits(depth=12)),
    SearchSetting("depth 12, Hash 256", Limits(depth=12), 256),
    SearchSetting("depth 12, Hash 1, MultiPV 4", Limits(depth=12), multipv=4),
    SearchSetting("nodes 1000000, Hash 1", Limits(nodes=1_000_000)),
    SearchSetting("nodes 1000000, Hash 256", Limits(nodes=1_000_000), 256),
    SearchSetting("stopped within 100000 nodes", Limits(nodes=100_000), interrupted=True),
    SearchSetting("depth 4, no table or pruning", Limits(depth=4, nodes=3_000_000), plain=True),
)


@dataclass
class TraceResult:
    """The result of one setting."""

    setting: SearchSetting
    positions: int = 0
    nodes: int = 0
    plies: int = 0
    tally: Tally = field(default_factory=Tally)
    classes: Counter[str] = field(default_factory=Counter)

    def failed(self) -> list[str]:
        """Return the checks that failed too often."""
        tally = self.tally
        failed = [p for p in CHECKS if tally.failed(p) > (p == COMPLETE) * self._tolerated()]
        if self.setting.plain and self.classes[REFINED]:
            failed.append(REFINED)
        return failed + [UNEXPLAINED] * bool(self.classes[UNEXPLAINED])

    def _tolerated(self) -> int:
        return int(self.tally.applied[COMPLETE] * (1 - COMPLETE_SHARE) + 1e-9)


def sample_positions(boards: Sequence[chess.Board], sample: int | None) -> Sequence[chess.Board]:
    """Return ``sample`` of the positions, spread over all; all if it is ``None``.

    Raises `UciError` if none would be left.
    """
    if not boards or (sample is not None and sample < 1):
        raise UciError("--sample: no positions are left")
    if sample is None or sample >= len(boards):
        return boards
    return [boards[index * len(boards) // sample] for index in range(sample)]


def classify(
    iteration: "Iteration",
    board: chess.Board,
    evaluate: Callable[["Position"], int],
    tables: "Tables | None" = None,
) -> str:
    """Return the class of an exact iteration's score, one of `CLASSES`.

    ``tables`` are those that the search has probed.
    """
    from engine.board.position import new_position
    from engine.search.correction import MAX_CORRECTION
    from uci.apps.lab.table_truth import table_score

    end, fault = replay(board, _texts(iteration))
    if iteration.ending is None or iteration.score != iteration.ending.value or fault:
        return UNEXPLAINED
    sign = -1 if len(iteration.pv) % 2 else 1
    if end.is_checkmate():
        return MATED if iteration.score == sign * (len(iteration.pv) - MATE) else UNEXPLAINED
    if line_may_end(end):
        return DRAW if iteration.score == 0 else UNEXPLAINED
    known = None if tables is None else table_score(tables, board, _texts(iteration))
    if known is not None:
        return TABLES if iteration.score == known else UNEXPLAINED
    record = new_position()
    fill(record, end)
    difference = abs(iteration.score - sign * evaluate(record))
    if difference == 0:
        return EVALUATION
    return REFINED if difference <= MAX_CORRECTION else UNEXPLAINED


def scored_line(iteration: "Iteration") -> ScoredLine:
    """Return an iteration as a client would parse it, with the plies of the main search."""
    line = parse_info(format_info(info_of(iteration, chess960=True)))
    assert line is not None
    return replace(line, main_plies=iteration.ending.main_plies if iteration.ending else None)


def trace_lines(
    searcher: "Searcher",
    boards: Iterable[chess.Board],
    setting: SearchSetting,
    tables: "Tables | None" = None,
) -> Iterator[TraceResult]:
    """Search ``boards``, with ``tables`` unless None; after each one yield the updated result."""
    from engine.search import results
    from engine.search.table_setting import TableSetting

    dice = random.Random(SEED)
    result = TraceResult(setting)
    if tables is not None and tables.results is not None:
        searcher.use_tables(TableSetting(tables.results))
    searcher.report_after = 0.0  # yield bounds and new best moves, too
    for board in boards:
        limits = setting.limits
        if setting.interrupted:
            limits = replace(limits, nodes=dice.randint(1, limits.nodes or 1))
        fill(searcher.pos, board)
        iterations = [
            one
            for one in searcher.begin(limits, None, setting.multipv)
            if isinstance(one, results.Iteration)
        ]
        exact = [one for one in iterations if one.bound == "exact"]
        result.positions += 1
        result.nodes += searcher.nodes
        result.plies += len(exact[-1].pv) if exact else 0
        result.tally.add(board, check_lines(board, [scored_line(one) for one in iterations]))
        for one in exact:
            kind = classify(one, board, searcher.evaluate, tables)
            result.classes[kind] += 1
            if kind == UNEXPLAINED and result.classes[kind] <= MAX_FAULTS:
                result.tally.faults.append(f"{kind}: {scored_line(one)} in {board.fen()}")
        yield result


def table(results: Sequence[TraceResult]) -> Iterator[str]:
    """Yield the lines of a table of results."""
    checks = [check for check in CHECKS if check != STABLE]
    width = max(len(result.setting.name) for result in results)
    head = [
        f"{'':{width}}",
        f"{'positions':>9}",
        f"{'nodes':>12}",
        f"{'length':>6}",
        f"{'lines':>7}",
    ]
    yield " ".join(head + [f"{name:>11}" for name in (*checks, *CLASSES)])
    for result in results:
        lines = sum(result.classes.values())
        words = [f"{result.setting.name:{width}}", f"{result.positions:9}", f"{result.nodes:12}"]
        words += [f"{result.plies / max(1, result.positions):6.1f}", f"{lines:7}"]
        words += [*(f"{result.tally.share(name):>9} %" for name in checks)]
        yield " ".join(words + [f"{result.classes[name]:11}" for name in CLASSES])


def run_trace(
    epd: Path | None,
    sample: int | None,
    say: Callable[[str], None],
    settings: Sequence[SearchSetting] = SETTINGS,
    tables: str = "",
) -> int:
    """Trace the PVs of a file's positions with every setting; return the exit status.

    ``tables`` names folders of tablebases to search with, as UCI's `SyzygyPath`. See
    `sample_positions` for ``sample``. Ctrl-C prints the table so far. Raises `UciError`.
    """
    from engine.search.searcher import Searcher
    from uci.session.backend import load

    boards = sample_positions(read_positions(epd, POSITIONS), sample)
    opened = None
    if tables:
        from uci.chess_io.syzygy import open_tables

        opened = open_tables(tables)
    with ending_at_once():
        load(say)
    results: list[TraceResult] = []
    stopped = False
    try:
        for setting in settings:
            searcher = Searcher(0 if setting.plain else setting.hash_mb, not setting.plain)
            for result in trace_lines(searcher, boards, setting, opened):
                if result.positions == 1:
                    results.append(result)
                if result.positions % REPORT_INTERVAL == 0:
                    say(f"{setting.name}: {result.positions} of {len(boards)} positions")
            for fault in result.tally.faults:
                say(f"{setting.name}: {fault}")
    except KeyboardInterrupt:
        stopped = True
    for line in table(results) if results else ():
        say(line)
    if stopped:
        say("stopped: the table covers the positions traced so far")
        return INTERRUPTED
    failed = [f"{r.setting.name}: {', '.join(r.failed())}" for r in results if r.failed()]
    for line in failed or ["all checks passed"]:
        say(line)
    return 1 if failed else 0


def _texts(iteration: "Iteration") -> tuple[str, ...]:
    return tuple(move_to_uci(move, chess960=True) for move in iteration.pv)
