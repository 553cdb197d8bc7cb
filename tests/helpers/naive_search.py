"""Slow, obvious oracles for the search: minimax without a window, a table or an order of moves.

They use the board and the evaluation, which have tests of their own, and of `engine.search`
only the scores and the sizes.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import chess
import numpy as np

from engine.board.makemove import make, unmake
from engine.board.move import is_noisy
from engine.board.movegen import generate
from engine.board.position import POSITION, insufficient_material, repeated
from engine.board.see import see_at_least
from engine.board.types import ALL_MOVES, MAX_MOVES
from engine.evaluation.network import default_network, install
from engine.evaluation.nnue import EVALUATION, evaluate_from_scratch
from engine.jit.kernel import kernel
from engine.memory.records import new_record
from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import INFINITE, MATE
from engine.search.searcher import Searcher
from helpers import naive
from helpers.endgames import random_endgame
from helpers.entries import entry
from uci.chess_io.convert import move_to_uci

DRAW = 0
CLOCKS = 0, 0, 0, 96, 97, 98, 99
"""Halfmove clocks of random endgames, sometimes near the fifty moves."""

SCRATCH = new_record(EVALUATION)
install(SCRATCH, default_network())
ORACLE = np.dtype(
    [("root", np.uint64), ("nodes", np.int64), ("most", np.int64), ("returns", np.int64),
     ("inside", np.int64)]
)  # fmt: skip
"""The key of the root; the nodes spent, and their limit, beyond which there is no answer; how often
a position other than the root was repeated, since such a draw depends on the path; and whether
repetitions inside the search are draws."""


@kernel
def _over(pos: Any, ply: Any, replies: Any, inside: Any) -> Any:
    """Return whether the game ends here, with ``replies`` legal moves; mate comes first."""
    if replies == 0 and pos.checkers != 0:
        return True
    return pos.halfmove >= 100 or repeated(pos, ply, inside) or insufficient_material(pos)


@kernel
def _begins(pos: Any, oracle: Any, ply: Any) -> Any:
    """Count a node, and whether it occurred before; return whether the node limit allows it."""
    oracle.nodes += 1
    if pos.key != oracle.root and repeated(pos, ply, True):
        oracle.returns += 1
    return oracle.nodes <= oracle.most


@kernel
def _settle(pos: Any, oracle: Any, scratch: Any, ply: Any) -> Any:
    """Return the score after captures that win material, and evasions; all lines are searched."""
    if not _begins(pos, oracle, ply):
        return DRAW
    start = ply * MAX_MOVES
    end = generate(pos, start, np.int64(ALL_MOVES))
    in_check = pos.checkers != 0
    if start == end or _over(pos, ply, end - start, oracle.inside != 0):
        return ply - MATE if in_check and start == end else DRAW
    best = np.int64(-INFINITE) if in_check else evaluate_from_scratch(pos, scratch)
    for index in range(start, end):
        move = np.int64(pos.moves[index])
        if in_check or (is_noisy(move) and see_at_least(pos, move, np.int64(0))):
            make(pos, move)
            best = max(best, -_settle(pos, oracle, scratch, ply + 1))
            unmake(pos)
    return best


@kernel
def _minimax(pos: Any, oracle: Any, scratch: Any, ply: Any, depth: Any) -> Any:
    if depth <= 0:
        return _settle(pos, oracle, scratch, ply)
    if not _begins(pos, oracle, ply):
        return DRAW
    start = ply * MAX_MOVES
    end = generate(pos, start, np.int64(ALL_MOVES))
    if start == end:
        return ply - MATE if pos.checkers != 0 else DRAW
    # The root is searched in any case.
    if ply > 0 and _over(pos, ply, end - start, oracle.inside != 0):
        return DRAW
    best = np.int64(-INFINITE)
    for index in range(start, end):
        make(pos, np.int64(pos.moves[index]))
        best = max(best, -_minimax(pos, oracle, scratch, ply + 1, depth - 1))
        unmake(pos)
    return best


@entry(POSITION, ORACLE, EVALUATION, np.int64, np.int64)
def _root(pos: Any, oracle: Any, scratch: Any, ply: Any, depth: Any) -> Any:
    return _minimax(pos, oracle, scratch, ply, depth)


@entry(POSITION, np.int64)
def is_over(pos: Any, ply: Any) -> Any:
    """Return whether the rules end the game at ``ply``; stalemate among them."""
    replies = generate(pos, ply * MAX_MOVES, np.int64(ALL_MOVES)) - ply * MAX_MOVES
    return replies == 0 or _over(pos, ply, replies, True)


def static_score(pos: Any) -> int:
    """Return the static score in centipawns for the side to move."""
    return int(evaluate_from_scratch(pos, SCRATCH))


def minimax(
    pos: Any,
    ply: int,
    depth: int,
    most: int = 1_000_000,
    returning: bool = True,
    inside: bool = True,
) -> int | None:
    """Return the score in centipawns ``depth`` plies below ``ply``, with `_settle` at the leaves.

    ``None`` if that takes more than ``most`` nodes, or, unless ``returning``, if some line comes
    back to a position other than the root. Repetitions ``inside`` the search are draws.
    """
    oracle = np.rec.array(np.zeros(1, ORACLE))[0]
    oracle.root, oracle.most, oracle.inside = pos.key, most, inside
    score = int(_root(pos, oracle, SCRATCH, ply, depth))
    unknown = oracle.nodes > most or (oracle.returns > 0 and not returning)
    return None if unknown else score


def plain_searcher(table: bool = False) -> Searcher:
    """Return a searcher without pruning and reductions, which has a ``table`` only if asked for.

    It yields the results of complete depths only.
    """
    searcher = Searcher(1 if table else 0, selective=False)
    searcher.report_after = searcher.progress_after = math.inf
    return searcher


def each(searcher: Searcher, talkative: bool = False, **limits: Any) -> Iterator[Iteration]:
    """Yield the results of a search; provisional ones only if ``talkative``."""
    searcher.report_after = 0.0 if talkative else math.inf
    searcher.progress_after = math.inf
    for result in searcher.begin(Limits(**limits), None):
        assert isinstance(result, Iteration)
        yield result


def search(
    searcher: Searcher, depth: int | None = None, talkative: bool = False, **limits: int
) -> list[Iteration]:
    return list(each(searcher, talkative, depth=depth, **limits))


def final(iterations: list[Iteration]) -> list[Iteration]:
    """Return the last exact result of each depth."""
    exact = [iteration for iteration in iterations if iteration.bound == "exact"]
    return list({iteration.depth: iteration for iteration in exact}.values())


def facts(iterations: list[Iteration]) -> list[Iteration]:
    """Return iterations as if they had taken no time."""
    return [replace(iteration, time=0) for iteration in iterations]


def replay(board: chess.Board, line: tuple[int, ...]) -> chess.Board:
    """Return the board after a line; `ValueError` for an illegal move."""
    board = board.copy()
    for move in line:
        board.push_uci(move_to_uci(move, chess960=True))
    return board


def random_positions(seed: int, games: int) -> Iterator[chess.Board]:
    """Yield a few positions of each of ``games`` random games, half of them Chess960, and endgames.

    None has a history, and each has a legal move.
    """
    rng = random.Random(seed)
    for game in range(games):
        boards = [board.copy(stack=False) for board in naive.random_boards(rng, game % 2 == 1, 120)]
        alive = [board for board in boards if any(board.generate_legal_moves())]
        yield from rng.sample(alive, min(6, len(alive)))
        yield from (random_endgame(rng, pieces, CLOCKS) for pieces in (1, 2, 3, 4, 5, 6))
