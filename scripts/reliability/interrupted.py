"""Stop searches of tactical positions within an iteration, and check the output and the move.

Usage: python -m scripts.reliability.interrupted [--positions 2000] [--seed 1] [--stockfish PATH].
Each position is searched with 1, 2 and 4 threads and with each of `STOPS`. No exact mate score may
be refuted: by a search of all moves or, if that takes too long, by a search four plies deeper and
by Stockfish. If the move played differs from that of the last completed depth, both moves are
searched four plies deeper. On average the move played must lose nothing, and more than `LARGE`
centipawns in at most one of a thousand searches. The exit status is 1 otherwise.
"""

import argparse
import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import chess
import chess.engine

from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import moves_to_mate
from engine.search.searcher import Searcher
from scripts.console import track
from scripts.match.exit_status import DEFECT
from scripts.match.runner import find_engine
from uci.chess_io.convert import fill, move_to_uci

THREADS = 1, 2, 4

TACTICAL = 100
"""A position is tactical if a deeper search differs by this many centipawns from a shallow one."""

SHALLOW_NODES, DEEPER_NODES = 150, 4_000
PROOF_NODES, JUDGE_NODES = 300_000, 300_000
DEEPER = 4
"""Plies."""

LARGE, MOST = 150, 1_000
"""Centipawns: a large loss, and the value of a won game."""


@dataclass(frozen=True, slots=True)
class Stop:
    """How a search ends: by its limits, or after some milliseconds."""

    name: str
    limits: Limits
    milliseconds: int | None = None


def stops(dice: random.Random) -> tuple[Stop, ...]:
    """Return the ways to stop a search; the last one is a random number of nodes."""
    return (
        Stop("depth 40, 30 ms", Limits(depth=40), 30),
        Stop("depth 40, nodes 20000", Limits(depth=40, nodes=20_000)),
        Stop("stop after 20 ms", Limits(), 20),
        Stop("nodes 1000 to 100000", Limits(nodes=round(1_000 * 100 ** dice.random()))),
    )


def search(
    searcher: Searcher, board: chess.Board, stop: Stop, moves: Sequence[int] | None = None
) -> list[Iteration]:
    """Return the results for ``board``; if ``moves`` is given, only these are searched."""
    fill(searcher.pos, board)
    results = searcher.begin(stop.limits, None, root_moves=moves)
    timer = threading.Timer((stop.milliseconds or 0) / 1000, searcher.stop)
    if stop.milliseconds is not None:
        timer.start()
    found = [result for result in results if isinstance(result, Iteration)]
    timer.cancel()
    return found


def score_of(searcher: Searcher, board: chess.Board, limits: Limits, *moves: int) -> int:
    """Return the last exact score of a search with an empty table, clamped to ± `MOST`."""
    searcher.clear()
    results = search(searcher, board, Stop("", limits), moves or None)
    exact = [result.score for result in results if result.bound == "exact"]
    return max(-MOST, min(MOST, exact[-1] if exact else 0))


def tactical_positions(seed: int) -> Iterator[chess.Board]:
    """Yield positions of quick games in which a deeper search differs from a shallow one.

    A quarter of the moves of these games are random.
    """
    dice, searcher = random.Random(seed), Searcher(1)
    score = partial(score_of, searcher)
    while True:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 160:
            found = search(searcher, board, Stop("", Limits(nodes=SHALLOW_NODES)))
            if board.ply() < 8 or not found or dice.random() < 0.25:
                board.push(dice.choice(list(board.legal_moves)))
                continue
            if dice.random() < 0.1:
                past = board.copy(stack=False)
                shallow, deeper = (
                    score(past, Limits(nodes=nodes)) for nodes in (SHALLOW_NODES, DEEPER_NODES)
                )
                if abs(shallow - deeper) >= TACTICAL:
                    yield past
            board.push_uci(move_to_uci(found[-1].pv[0], False))


@dataclass
class Report:
    """The results; ``losses`` are centipawns, one for each search."""

    done: Counter[str] = field(default_factory=Counter)
    refuted: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)
    loss: int = 0

    def failures(self) -> list[str]:
        """Return the violated requirements."""
        searches = self.done["searches"]
        failed = [f"refuted: {text}" for text in self.refuted]
        if self.loss > 0:
            failed.append(f"the moves played lose {self.loss / searches:.2f} centipawns on average")
        if len(self.large) > searches / 1_000:
            failed.append(f"{len(self.large)} large losses in {searches:,} searches")
        return failed


class Judge:
    """Searches that are not stopped, with engines of their own."""

    def __init__(self, report: Report, stockfish: str | None) -> None:
        """Start Stockfish, unless None. Raises `OSError`."""
        self._report = report
        self._searcher = Searcher(16)
        self._known: dict[tuple[str, int], str] = {}
        self._stockfish = chess.engine.SimpleEngine.popen_uci(stockfish) if stockfish else None

    def close(self) -> None:
        """End Stockfish."""
        if self._stockfish is not None:
            self._stockfish.quit()

    def judge(
        self, board: chess.Board, results: Sequence[Iteration], best: Iteration | None
    ) -> str:
        """Judge the ``results`` of a search; ``best`` is its last completed one.

        Return a description of the loss if it is large.
        """
        for result in results:
            mate = moves_to_mate(result.score)
            if mate and result.bound == "exact":
                self._judge_mate(board, mate, result.depth)
        if best is None or results[-1].pv[0] == best.pv[0]:
            return ""
        moves = results[-1].pv[0], best.pv[0]
        self._report.done["moves other than the completed depth's"] += 1
        limits = Limits(depth=best.depth + DEEPER, nodes=JUDGE_NODES)
        played, completed = (score_of(self._searcher, board, limits, move) for move in moves)
        self._report.loss += completed - played
        if completed - played <= LARGE:
            return ""
        played_text, completed_text = (move_to_uci(move, False) for move in moves)
        return f"{played_text} {played}, {completed_text} {completed}"

    def _judge_mate(self, board: chess.Board, moves: int, depth: int) -> None:
        key = board.fen(), moves
        if key not in self._known:
            self._known[key] = verdict = self._verdict(board, moves, depth)
            self._report.done[f"mates {verdict}"] += 1
            if verdict == "refuted":
                self._report.refuted.append(f"mate {moves} at depth {depth} in {board.fen()}")

    def _verdict(self, board: chess.Board, moves: int, depth: int) -> str:
        """Return the verdict on a mate in ``moves``, against the side to move if negative."""
        if moves > 0:
            proofs = [self._proof(board, moves)]
        else:
            proofs = []
            for move in board.legal_moves:
                board.push(move)
                proofs.append(self._proof(board, -moves))
                board.pop()
        if False in proofs:
            return "refuted"
        if None not in proofs:
            return "proved"
        limits = Limits(depth=depth + DEEPER, nodes=JUDGE_NODES)
        deeper = score_of(self._searcher, board, limits)
        if abs(deeper) == MOST or self._agrees(board, moves, depth):
            return "confirmed"
        return "refuted"

    def _proof(self, board: chess.Board, moves: int) -> bool | None:
        """Return whether there is a mate in ``moves``; None if that takes too long."""
        fill(self._searcher.pos, board)
        for result in self._searcher.begin(Limits(mate=moves, nodes=PROOF_NODES), None):
            if isinstance(result, Iteration):
                found = moves_to_mate(result.score)
                if found and 0 < found <= moves and result.bound != "upper":
                    return True
        return False if self._searcher.ruled_out else None

    def _agrees(self, board: chess.Board, moves: int, depth: int) -> bool:
        if self._stockfish is None:
            return False
        limit = chess.engine.Limit(depth=max(depth, 2 * abs(moves)) + DEEPER, nodes=JUDGE_NODES)
        score = self._stockfish.analyse(board, limit)["score"].relative
        return score.is_mate() and (score > chess.engine.Cp(0)) == (moves > 0)


def run(positions: int, seed: int, stockfish: str | None) -> Report:
    """Search ``positions`` positions with all threads and stops. Raises `OSError`."""
    report, dice = Report(), random.Random(seed)
    judge = Judge(report, stockfish)
    searchers = [Searcher(16, threads=threads) for threads in THREADS]
    try:
        for board in track(islice(tactical_positions(seed), positions), "positions", positions):
            for searcher in searchers:
                for stop in stops(dice):
                    searcher.clear()
                    results = search(searcher, board, stop)
                    report.done["searches"] += 1
                    if results and (loss := judge.judge(board, results, searcher.completed)):
                        how = f"{searcher.threads} threads, {stop.name}"
                        report.large.append(f"{loss}: {how}, {board.fen()}")
    finally:
        judge.close()
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for a finding."""
    parser = argparse.ArgumentParser(prog="interrupted", description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=2_000, help="number of positions (2,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the positions (1)")
    parser.add_argument("--stockfish", default=find_engine("stockfish"), help="path of Stockfish")
    options = parser.parse_args(arguments)
    report = run(options.positions, options.seed, options.stockfish)
    for what, count in sorted(report.done.items()):
        print(f"{count:12,} {what}")
    print(f"{report.loss / max(report.done['searches'], 1):12.2f} centipawns lost on average")
    for text in report.large:
        print(f"large loss: {text}")
    failures = report.failures()
    for text in failures:
        print(text)
    return DEFECT if failures else 0


if __name__ == "__main__":
    sys.exit(main())
