"""An executor that makes up analyses at once, in place of processes that search."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import chess
import pytest

from uci.apps.analyse.analyst import Chunk, PositionAnalysis, analyse_chunk
from uci.apps.engines import make_executor
from uci.apps.engines.executor import TaskExecutor
from uci.apps.games.passing import after_pass
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine

LONG = 8
"""Moves of a line."""

RISE = 10.0
"""Centipawns by which the mover's score rises with each ply, so that most moves seem bad."""


def line_from(board: chess.Board, move: chess.Move) -> tuple[str, ...]:
    """Return a line that begins with ``move``."""
    end, line = board.copy(stack=False), []
    for _ in range(LONG):
        line.append(end.uci(move, chess960=True))
        end.push(move)
        moves = sorted(end.legal_moves, key=lambda move: (move.from_square % 7, move.uci()))
        if not moves:
            break
        move = moves[len(line) % len(moves)]
    return tuple(line)


def threat_on(board: chess.Board) -> ScoredLine | None:
    """Return the best capture after a pass, and a score that is far better than all others."""
    try:
        passed = after_pass(board)
    except UciError:
        return None
    values = {m: passed.piece_type_at(m.to_square) or chess.PAWN for m in passed.legal_moves}
    captures = [move for move in values if passed.is_capture(move)]
    best = max(captures, key=lambda move: (values[move], move.uci()), default=None)
    if best is None:
        return None
    return ScoredLine(5, 600, None, "", (passed.uci(best, chess960=True),), nodes=10)


def analyse_inline(chunk: Chunk) -> list[PositionAnalysis]:
    """Return two lines for each position, the score rising with each ply; threats if asked for."""
    board, analyses = chess.Board(chunk.start, chess960=True), []
    for move in chunk.moves[: chunk.first]:
        board.push_uci(move)
    for ply in range(chunk.first, chunk.last + 1):
        moves = sorted(board.legal_moves, key=lambda move: move.uci())[:2]
        scores = [round(RISE * ply), round(RISE * ply) - 50]
        lines = [
            ScoredLine(9, score, None, "", line_from(board, move), number, nodes=100)
            for number, (move, score) in enumerate(zip(moves, scores, strict=False), 1)
        ]
        mated = board.is_checkmate()
        over = ScoredLine(0, None if mated else 0, 0 if mated else None, "", ())
        searched = chunk.go_threat and ply < len(chunk.moves)
        threat = threat_on(board) if searched else None
        analyses.append(PositionAnalysis(tuple(lines) or (over,), threat=threat))
        if ply < len(chunk.moves):
            board.push_uci(chunk.moves[ply])
    return analyses


def stop_after(chunks: int, error: type[BaseException] | BaseException) -> Any:
    """Return an `analyse_chunk` that raises ``error`` after so many chunks."""
    left = iter(range(chunks))

    def analyse_chunk(chunk: Chunk) -> list[PositionAnalysis]:
        if next(left, None) is None:
            raise error
        return analyse_inline(chunk)

    return analyse_chunk


class Inline(TaskExecutor):
    """Runs each task when it is submitted; ``options`` are the engine's.

    Chunks of games are analysed by ``analyse_chunk``; other tasks run unchanged.
    """

    def __init__(
        self, analyse_chunk: Callable[[Chunk], list[PositionAnalysis]] = analyse_inline
    ) -> None:
        self.analyse_chunk = analyse_chunk
        self.chunks: list[Chunk] = []
        self.options: Mapping[str, str] = {}
        self.jobs = 1

    @property
    def size(self) -> int:
        return self.jobs

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if fn is analyse_chunk:
            self.options, chunk, _ = args
            self.chunks.append(chunk)
            fn, args = self.analyse_chunk, (chunk,)
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


def inline_executor(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Make `uci.apps.engines.make_executor.make_executor` return an `Inline`, and return that."""
    inline = Inline()

    def make(jobs: int, *_: object) -> Inline:
        inline.jobs = jobs
        return inline

    monkeypatch.setattr(make_executor, "make_executor", make)
    return inline
