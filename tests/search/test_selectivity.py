"""What the search reduces and prunes: by move, by node and by what earlier nodes found."""

from typing import Any

import chess
import numpy as np
import pytest

from engine.board.position import POSITION
from engine.jit.kernel import entry
from engine.search import pruning, reductions, singular, tt
from engine.search.reductions import PLY
from engine.search.searcher import Searcher
from engine.search.thread import THREAD, new_thread
from helpers import naive
from helpers.naive_search import search
from uci.chess_io.adapter import board_of, encode_move, fill

pytestmark = pytest.mark.interpreted

QUIET, NOISY = 1, 0
PLY_HERE = 3


@entry(THREAD, *[np.int64] * 5)
def base_reduction(
    th: Any, depth: Any, move_count: Any, quiet: Any, is_pv: Any, improving: Any
) -> Any:
    return reductions.base_reduction(th, depth, move_count, quiet, is_pv, improving)


@entry(THREAD, *[np.int64] * 7)
def late_move_reduction(
    th: Any, ply: Any, base: Any, in_check: Any, checks: Any, cutnode: Any, noisy: Any, merit: Any
) -> Any:
    return reductions.late_move_reduction(th, ply, base, in_check, checks, cutnode, noisy, merit)


@entry(THREAD, *[np.int64] * 3)
def may_reduce(th: Any, depth: Any, move_count: Any, is_pv: Any) -> Any:
    return reductions.may_reduce(th, depth, move_count, is_pv)


@entry(THREAD, *[np.int64] * 3)
def pruning_depth(th: Any, depth: Any, reduction: Any, merit: Any) -> Any:
    return pruning.pruning_depth(th, depth, reduction, merit)


@entry(POSITION, THREAD, *[np.int64] * 3)
def see_prune_quiet(pos: Any, th: Any, depth: Any, lmr_depth: Any, move: Any) -> Any:
    return pruning.see_prune_quiet(pos, th, depth, lmr_depth, move)


@entry(POSITION, THREAD, *[np.int64] * 5)
def noisy_futility(
    pos: Any, th: Any, lmr_depth: Any, move: Any, merit: Any, static: Any, alpha: Any
) -> Any:
    return pruning.noisy_futility(pos, th, lmr_depth, move, merit, static, alpha)


@entry(THREAD, *[np.int64] * 4)
def singular_extension(th: Any, ply: Any, is_pv: Any, tt_noisy: Any, short: Any) -> Any:
    return singular.singular_extension(th, ply, is_pv, tt_noisy, short)


@entry(POSITION, THREAD)
def was_pv(pos: Any, th: Any) -> Any:
    return tt.entry_was_pv(tt.probe(th, pos.key))


def test_base_reductions_grow_with_depth_and_move_count() -> None:
    """In fractions of a ply; less for noisy moves, in PV nodes, and while improving."""
    th = new_thread()
    plain = base_reduction(th, 10, 8, QUIET, 0, 1)
    assert plain < base_reduction(th, 11, 8, QUIET, 0, 1) < plain + PLY // 4
    assert plain < base_reduction(th, 10, 9, QUIET, 0, 1) < plain + PLY // 4
    assert plain > base_reduction(th, 10, 8, NOISY, 0, 1)
    assert plain > base_reduction(th, 10, 8, QUIET, 1, 1)
    assert plain < base_reduction(th, 10, 8, QUIET, 0, 0)


def test_late_move_reductions_depend_on_the_node() -> None:
    """They are rounded down at the end."""
    th = new_thread()
    node = PLY_HERE, 5 * PLY + 900
    plain = late_move_reduction(th, *node, 0, 0, 0, 0, 0)
    assert plain == 5
    assert late_move_reduction(th, *node, 1, 0, 0, 0, 0) < plain, "an evasion"
    assert late_move_reduction(th, *node, 0, 1, 0, 0, 0) < plain, "a check"
    assert late_move_reduction(th, *node, 0, 0, 1, 0, 0) > plain, "a cut node"
    assert late_move_reduction(th, *node, 0, 0, 0, 1, 0) > plain, "a noisy table move"
    assert late_move_reduction(th, *node, 0, 0, 0, 0, 20_000) < plain, "a good history"
    th.tt_pv[PLY_HERE] = 1
    assert late_move_reduction(th, *node, 0, 0, 0, 0, 0) < plain
    th.tt_pv[PLY_HERE] = 0
    th.cutoffs[PLY_HERE + 1] = 20
    assert late_move_reduction(th, *node, 0, 0, 0, 0, 0) > plain


def test_a_pv_node_reduces_a_move_later() -> None:
    th = new_thread()
    first = [min(n for n in range(1, 9) if may_reduce(th, 9, n, is_pv)) for is_pv in (0, 1)]
    assert 1 < first[0] == first[1] - 1
    assert not may_reduce(th, 2, 8, 0)


def test_what_a_reduction_leaves_of_the_depth() -> None:
    th = new_thread()
    assert pruning_depth(th, 5, 2 * PLY + 100, 0) == 3 * PLY - 100
    assert pruning_depth(th, 5, 6 * PLY, 0) == 0
    assert 0 < pruning_depth(th, 5, 2 * PLY, -3000) < 3 * PLY < pruning_depth(th, 5, 2 * PLY, 3000)


def move(board: chess.Board, text: str) -> int:
    return encode_move(board, chess.Move.from_uci(text))


def test_a_quiet_check_may_lose_more_than_other_moves() -> None:
    """The exchange counts by the full depth where the move gives check, even a discovered one."""
    board, th = chess.Board("4k3/p4p2/1b4p1/8/4N3/8/4R3/4K2Q w - - 0 1"), new_thread()
    pos = naive.position(board)
    for depth, pruned in ((1, True), (7, False)):
        assert bool(see_prune_quiet(pos, th, depth, 0, move(board, "e4c5"))) == pruned, "discovered"
        assert see_prune_quiet(pos, th, depth, 0, move(board, "h1h5")), "loses a queen, no check"
    assert not see_prune_quiet(pos, th, 1, 0, move(board, "h1h2"))
    assert not see_prune_quiet(pos, th, 1, 8 * PLY, move(board, "h1h5"))


def test_captures_that_cannot_reach_alpha_are_pruned() -> None:
    board, th = chess.Board("q3k3/8/8/8/r7/8/8/R3K2R w - - 0 1"), new_thread()
    pos = naive.position(board)
    capture, check = move(board, "a1a4"), move(board, "h1h8")
    assert not noisy_futility(pos, th, 0, capture, 0, 0, 200)
    assert noisy_futility(pos, th, 0, capture, 0, 0, 900)
    assert not noisy_futility(pos, th, 6 * PLY, capture, 0, 0, 600)
    assert not noisy_futility(pos, th, 0, check, 0, 0, 900)


def test_singular_extensions() -> None:
    """The farther the others fall short, the longer; three plies for quiet moves, none in PV."""
    th = new_thread()
    assert [singular_extension(th, PLY_HERE, 0, 0, short) for short in (1, 25, 300)] == [1, 2, 3]
    assert [singular_extension(th, PLY_HERE, 0, 1, short) for short in (1, 25, 300)] == [1, 2, 2]
    assert singular_extension(th, PLY_HERE, 1, 0, 300) == 1
    th.double_extensions[PLY_HERE] = 100
    assert singular_extension(th, PLY_HERE, 0, 0, 300) == 1


def test_the_table_remembers_pv_nodes() -> None:
    """All of the line that the main search made, and not every node beside it."""
    searcher, board = Searcher(1), board_of(None)
    fill(searcher.pos, board)
    line = search(searcher, 6)[-1].pv
    th = searcher._threads[0].th
    for step in line[:3]:
        board.push(next(each for each in board.legal_moves if encode_move(board, each) == step))
        assert was_pv(naive.position(board), th) == 1
    board = board_of(None)
    marks = []
    for each in board.legal_moves:
        board.push(each)
        marks.append(int(was_pv(naive.position(board), th)))
        board.pop()
    assert 0 < sum(marks) < len(marks)
