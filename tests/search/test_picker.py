"""The move picker: every legal move once, in the right order, whatever is to be tried first."""

import random
from typing import Any

import chess
import numpy as np
import pytest

from engine.board import see
from engine.board.move import is_noisy
from engine.board.movegen import legal_moves
from engine.board.position import POSITION
from engine.board.types import MAX_MOVES, MAX_PLY, NO_MOVE
from engine.jit.kernel import COMPILED
from engine.search import picker
from engine.search.history import HISTORY_LIMIT
from engine.search.thread import THREAD, new_thread
from helpers import naive
from helpers.entries import entry
from helpers.naive_search import random_positions
from helpers.search_steps import plain
from uci.chess_io.convert import encode_move

GAMES = 6 if COMPILED else 1
STEP = 1 if COMPILED else 4
CHECK_BONUS = int(plain(picker._check)(new_thread()))


@entry(POSITION, THREAD, *[np.int64] * 3)
def pick_all(pos: Any, th: Any, ply: Any, first: Any, second: Any) -> Any:
    """Write the picker's moves into the line table; return their number."""
    picker.start_picker(pos, th, ply, first, second)
    count = 0
    while count < MAX_MOVES:
        move = picker.next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        th.pv[count] = move
        count += 1
    return count


@entry(POSITION, THREAD, np.int64)
def pick_tactical(pos: Any, th: Any, ply: Any) -> Any:
    picker.start_noisy_picker(pos, th, ply)
    count = 0
    while count < MAX_MOVES:
        move = picker.next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        th.pv[count] = move
        count += 1
    return count


@entry(POSITION, THREAD, *[np.int64] * 3)
def pick_and_skip(pos: Any, th: Any, ply: Any, first: Any, patience: Any) -> Any:
    """Pick moves, and skip quiet ones after ``patience`` of them; return the number of moves."""
    picker.start_picker(pos, th, ply, first, np.int64(NO_MOVE))
    count = 0
    while count < MAX_MOVES:
        move = picker.next_move(pos, th, ply)
        if move == NO_MOVE:
            break
        if not is_noisy(move):
            patience -= 1
            if patience == -1:
                picker.skip_quiets(pos, th, ply)
                continue
        th.pv[count] = move
        count += 1
    return count


@entry(POSITION, *[np.int64] * 2)
def see_at_least(pos: Any, move: Any, threshold: Any) -> Any:
    return see.see_at_least(pos, move, threshold)


def see_at_least_zero(pos: Any, move: int) -> bool:
    return bool(see_at_least(pos, move, 0))


def noisy(move: int) -> bool:
    return move >> 14 != 0


def told(th: Any, count: int) -> list[int]:
    return th.pv[:count].tolist()


def learned(rng: random.Random, legal: list[int], ply: int) -> Any:
    """Return a record with random history and killers, legal here or not."""
    th = new_thread()
    numbers = np.random.default_rng(rng.randrange(1 << 32))
    for field in (th.history, th.continuation):
        field[:] = numbers.integers(-HISTORY_LIMIT, HISTORY_LIMIT + 1, field.shape)
    th.conthist_index[:] = numbers.integers(0, len(th.continuation), th.conthist_index.shape)
    quiet = [move for move in [*legal, *rng.sample(range(1, 1 << 14), 4)] if not noisy(move)]
    th.killers[ply] = [NO_MOVE, NO_MOVE] if rng.random() < 0.2 else rng.sample(quiet, 2)
    return th


def merit(th: Any, pos: Any, board: chess.Board, ply: int, move: int) -> int:
    """Return the sum of a quiet move's histories."""
    origin, target = move & 63, move >> 6 & 63
    leaves, enters = (board.is_attacked_by(not board.turn, square) for square in (origin, target))
    here = 1 + 64 * int(pos.board[origin]) + target
    last, second, fourth = (
        int(th.continuation[th.conthist_index[ply + 4 - back], here]) for back in (0, 1, 3)
    )
    threat = 2 * leaves + enters
    return int(th.history[pos.side, threat, origin, target]) + last + second + (fourth >> 1)


def checks(pos: Any, board: chess.Board, move: int) -> bool:
    """Return whether a quiet move's piece gives check from its new square without being lost."""
    origin, target = move & 63, move >> 6 & 63
    if board.piece_type_at(origin) in (chess.PAWN, chess.KING):
        return False
    after = board.copy(stack=False)
    after.push(chess.Move(origin, target))
    return target in after.checkers() and bool(see_at_least(pos, move, -75))


def order(
    th: Any, pos: Any, board: chess.Board, ply: int, first: int, second: int
) -> list[tuple[int, int]]:
    """Return a key for each move: its stage, and its rank there if history decides."""
    ranks = []
    killers = th.killers[ply].tolist()
    for move in told(th, pick_all(pos, th, ply, first, second)):
        if move in (first, second):
            ranks.append(((first, second).index(move), 0))
        elif noisy(move):
            ranks.append((2 if pos.checkers or see_at_least_zero(pos, move) else 6, 0))
        elif pos.checkers:
            rank = merit(th, pos, board, ply, move)
            ranks.append((3, 0) if move == killers[0] else (4, -rank))
        elif move in killers:
            ranks.append((3 + killers.index(move), 0))
        else:
            bonus = CHECK_BONUS if checks(pos, board, move) else 0
            ranks.append((5, -merit(th, pos, board, ply, move) - bonus))
    return ranks


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_every_legal_move_once_and_in_order() -> None:
    rng = random.Random(1)
    for board in list(random_positions(5, GAMES))[::STEP]:
        pos = naive.position(board)
        legal = legal_moves(pos)
        for _ in range(4):
            ply = rng.choice([0, 1, 50, MAX_PLY - 1])
            th = learned(rng, legal, ply)
            first = rng.choice([NO_MOVE, *legal])
            second = rng.choice([NO_MOVE, first, *legal, *rng.sample(range(1 << 16), 5)])
            found = told(th, pick_all(pos, th, ply, first, second))
            assert sorted(found) == sorted(legal), board.fen()
            ranks = order(th, pos, board, ply, first, second)
            assert ranks == sorted(ranks), board.fen()


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_quiescence_sees_what_loses_nothing_and_all_evasions() -> None:
    rng = random.Random(2)
    checks = 0
    for board in list(random_positions(6, GAMES))[::STEP]:
        pos = naive.position(board)
        legal = legal_moves(pos)
        ply = rng.choice([0, 1, 50, MAX_PLY - 1])
        th = learned(rng, legal, ply)
        found = told(th, pick_tactical(pos, th, ply))
        if board.is_check():
            checks += 1
            assert sorted(found) == sorted(legal), board.fen()
            assert [noisy(move) for move in found] == sorted(map(noisy, found), reverse=True)
        else:
            good = [move for move in legal if noisy(move) and see_at_least_zero(pos, move)]
            assert sorted(found) == sorted(good), board.fen()
    assert checks >= (8 if COMPILED else 1)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_quiet_moves_can_be_skipped() -> None:
    """After skipping quiet moves, all noisy moves still come, losing captures too.

    Quiet checks come as well, unless killers are skipped: then no quiet moves are generated.
    """
    late_checks = 0
    rng = random.Random(3)
    for board in list(random_positions(7, GAMES))[::STEP]:
        if board.is_check():
            continue
        pos = naive.position(board)
        legal = legal_moves(pos)
        th = learned(rng, legal, 1)
        first = rng.choice([NO_MOVE, *legal])
        patience = rng.randrange(1, 5)
        ordered = [m for m in told(th, pick_all(pos, th, 1, first, NO_MOVE)) if not noisy(m)]
        expected, rest = ordered[:patience], ordered[patience:]
        if rest and rest[0] not in th.killers[1]:
            direct = {
                encode_move(board, move)
                for move in board.legal_moves
                if naive.gives_direct_check(board, move)
                and board.piece_type_at(move.from_square) != chess.PAWN
            }
            checks = [move for move in rest[1:] if move in direct]
            late_checks += len(checks)
            expected += checks
        found = told(th, pick_and_skip(pos, th, 1, first, patience))
        quiets = [move for move in found if not noisy(move)]
        assert sorted(set(found) - set(quiets)) == sorted(filter(noisy, legal)), board.fen()
        assert len(set(found)) == len(found)
        assert sorted(quiets) == sorted(expected), board.fen()
    assert late_checks > 0 or not COMPILED
