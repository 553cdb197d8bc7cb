"""Pruning, step by step: where each step begins and ends, and what changes its margin."""

from typing import Any

import pytest

from engine.board.move import is_noisy
from engine.search import pruning
from engine.search.reductions import PLY
from engine.search.thread import new_thread
from engine.search.tt import EXACT, LOWER, UPPER
from helpers import naive
from helpers.search_steps import FAR, Shelf, depths, first, is_rising, plain
from uci.chess_io.convert import board_of, encode_move

pytestmark = pytest.mark.interpreted
TH = new_thread()
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def code(fen: str, move: str) -> int:
    board = board_of(fen)
    return encode_move(board, board.parse_uci(move))


# Reverse futility


def reverse_from(
    depth: int, improving: int = 0, beta: int = 0, correction: int = 0, **parameters: int
) -> int:
    """Return the least evaluation that fails high."""
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    reverse = plain(pruning.reverse_futility, values)
    return first(lambda static: reverse(TH, depth, static, improving, correction, beta))


def test_reverse_futility_wants_more_the_deeper_the_node() -> None:
    reverse = plain(pruning.reverse_futility)
    shallow = depths(lambda depth: reverse(TH, depth, 20_000, 0, 0, 0))
    assert shallow.start == 1
    assert shallow.stop < 20
    assert reverse_from(1) > 0
    assert is_rising(reverse_from(depth) for depth in shallow)


def test_reverse_futility_wants_less_when_the_side_improves() -> None:
    assert reverse_from(3, improving=1) < reverse_from(3)


@pytest.mark.parametrize("beta", [-700, -1, 1, 350])
def test_reverse_futility_follows_beta(beta: int) -> None:
    assert reverse_from(3, beta=beta) == reverse_from(3) + beta


def test_the_margin_of_reverse_futility_is_its_parameter() -> None:
    assert reverse_from(2, reverse_margin=41) - reverse_from(2, reverse_margin=40) == 2
    assert not plain(pruning.reverse_futility, {pruning._reverse_margin: FAR})(
        TH, 1, 20_000, 1, 0, 0
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_reverse_futility_wants_more_where_the_evaluation_is_uncertain(sign: int) -> None:
    large = sign * 40
    assert reverse_from(3, correction=large, reverse_correction=50) == reverse_from(3) + 20
    assert reverse_from(3, correction=large, reverse_correction=0) == reverse_from(3)


# Futility


def futile_from(depth: int, static: int = 0, **parameters: int) -> int:
    """Return the least alpha at which a quiet move is pruned."""
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    futile = plain(pruning.futility, values)
    return first(lambda alpha: futile(TH, depth * PLY, static, alpha))


def test_futility_leaves_more_the_deeper_the_node() -> None:
    futile = plain(pruning.futility)
    shallow = depths(lambda depth: futile(TH, depth * PLY, 0, 20_000))
    assert shallow.start == 1
    assert shallow.stop < 20
    assert futile_from(1) > 0
    assert is_rising(futile_from(depth) for depth in shallow)


@pytest.mark.parametrize("static", [-900, -1, 1, 250])
def test_futility_follows_the_evaluation(static: int) -> None:
    assert futile_from(2, static) == futile_from(2) + static


def test_the_margins_of_futility_are_its_parameters() -> None:
    assert futile_from(3, futility_base=51) - futile_from(3, futility_base=50) == 1
    assert futile_from(3, futility_margin=51) - futile_from(3, futility_margin=50) == 3
    assert not plain(pruning.futility, {pruning._futility_base: FAR})(TH, PLY, 0, 20_000)


def test_what_a_reduction_leaves_of_the_depth() -> None:
    left = plain(pruning.pruning_depth)
    assert left(TH, 5, 2 * PLY + 100, 0) == 3 * PLY - 100
    assert left(TH, 5, 6 * PLY, 0) == 0
    assert 0 < left(TH, 5, 2 * PLY, -3000) < 3 * PLY < left(TH, 5, 2 * PLY, 3000)


# Noisy moves

EXCHANGES = "q3k3/8/8/8/r7/8/8/R3K2R w - - 0 1"
TAKES_ROOK, CHECKS = code(EXCHANGES, "a1a4"), code(EXCHANGES, "h1h8")


def out_of_reach_from(left: int, history: int = 0, **parameters: int) -> int:
    """Return the least alpha at which a capture of a rook is pruned."""
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    step, pos = plain(pruning.noisy_futility, values), naive.position(EXCHANGES)
    return first(lambda alpha: step(pos, TH, left, TAKES_ROOK, history, 0, alpha))


def test_a_capture_may_win_its_victim_and_more_the_deeper_the_node() -> None:
    assert out_of_reach_from(0) > 200
    assert is_rising(out_of_reach_from(left * PLY) for left in range(6))
    assert out_of_reach_from(0, history=8000) > out_of_reach_from(0)


def test_the_margins_of_noisy_moves_are_their_parameters() -> None:
    base = out_of_reach_from(0, noisy_futility_base=50)
    assert out_of_reach_from(0, noisy_futility_base=51) == base + 1
    step, pos = plain(pruning.noisy_futility), naive.position(EXCHANGES)
    assert not step(pos, TH, 30 * PLY, TAKES_ROOK, 0, 0, 20_000), "not far from the leaves"
    assert not step(pos, TH, 0, CHECKS, 0, 0, 20_000)


# History


def bad_from(depth: int, left: int, **parameters: int) -> int:
    """Return how far below zero the history of a pruned quiet move has to be."""
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    step = plain(pruning.history_pruning, values)
    return first(lambda badness: step(TH, depth, left, -badness), low=0, high=FAR)


def test_history_pruning_wants_less_the_deeper_the_node() -> None:
    assert is_rising(bad_from(depth, PLY) for depth in range(1, 8))
    assert bad_from(3, PLY, history_margin=101) == bad_from(3, PLY, history_margin=100) + 3
    assert not plain(pruning.history_pruning)(TH, 1, 20 * PLY, -57_000)


# Late moves


def late_from(depth: int, improving: int = 0, **parameters: int) -> int:
    """Return the number of the first move that is pruned as too late."""
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    late = plain(pruning.late_move_pruning, values)
    return first(lambda count: late(TH, depth, count, improving), low=1, high=10_000)


def test_late_moves_come_later_the_deeper_the_node() -> None:
    late = plain(pruning.late_move_pruning)
    shallow = depths(lambda depth: late(TH, depth, 10_000, 0))
    assert shallow.start == 1
    assert shallow.stop < 20
    assert is_rising(late_from(depth) for depth in shallow)


def test_late_moves_come_later_when_the_side_improves() -> None:
    assert late_from(3, improving=1) > late_from(3)


def test_late_move_pruning_is_switched_off_by_its_parameter() -> None:
    late = plain(pruning.late_move_pruning, {pruning._late_base: 1000 * FAR})
    assert not late(TH, 1, 218, 0)
    assert late_from(4, late_slope=200) > late_from(4, late_slope=100)


# Static exchange evaluation

QUEEN_TAKES = "4k3/2p5/3p4/8/8/8/8/3QK3 w - - 0 1", "d1d6"  # for a pawn that another guards
QUEEN_STEPS = "4k3/2p5/8/8/8/8/8/3QK3 w - - 0 1", "d1d6"  # onto a guarded square
ROOK_TAKES = "4k3/8/3p4/8/8/8/8/3RK3 w - - 0 1", "d1d6"  # a loose pawn
ROOK_STEPS = "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d6"


def prunes(case: tuple[str, str], **parameters: int) -> Any:
    fen, move = case
    values = {getattr(pruning, f"_{name}"): value for name, value in parameters.items()}
    pos, played = naive.position(fen), code(fen, move)
    if is_noisy(played):
        noisy = plain(pruning.see_prune_noisy, values)
        return lambda depth: noisy(pos, TH, depth, played, 0)
    quiet = plain(pruning.see_prune_quiet, values)
    return lambda depth: quiet(pos, TH, depth, depth * PLY, played)


@pytest.mark.parametrize("case", [ROOK_TAKES, ROOK_STEPS])
def test_what_loses_nothing_is_never_pruned_by_the_exchange(case: tuple[str, str]) -> None:
    assert not any(map(prunes(case), range(1, 60)))


@pytest.mark.parametrize("case", [QUEEN_TAKES, QUEEN_STEPS])
def test_a_lost_queen_is_pruned_near_the_leaves_only(case: tuple[str, str]) -> None:
    near = depths(prunes(case))
    assert near.start == 1
    assert near.stop < 20


@pytest.mark.parametrize(
    ("case", "name", "lost"),
    [(QUEEN_TAKES, "see_noisy", 850), (QUEEN_STEPS, "see_quiet", 950)],
)
def test_the_exchange_may_lose_what_the_parameter_says(
    case: tuple[str, str], name: str, lost: int
) -> None:
    """The exact limit at depth 2, on the loss of a queen for a pawn, or for nothing."""
    enough = -(-lost // 4)
    assert prunes(case, **{name: enough - 1})(2)
    assert not prunes(case, **{name: enough})(2)
    assert not prunes(case, **{name: FAR})(1)


def test_a_quiet_check_may_lose_more_than_other_moves() -> None:
    """For a quiet check, even a discovered one, the limit grows with the full depth."""
    fen = "4k3/p4p2/1b4p1/8/4N3/8/4R3/4K2Q w - - 0 1"
    step, pos = plain(pruning.see_prune_quiet), naive.position(fen)
    assert step(pos, TH, 1, 0, code(fen, "e4c5"))
    assert not step(pos, TH, 7, 0, code(fen, "e4c5")), "discovered"
    assert step(pos, TH, 7, 0, code(fen, "h1h5")), "loses a queen, no check"
    assert not step(pos, TH, 1, 0, code(fen, "h1h2"))
    assert not step(pos, TH, 1, 8 * PLY, code(fen, "h1h5"))
    off = plain(pruning.see_prune_quiet, {pruning._see_check: FAR})
    assert not off(pos, TH, 1, 0, code(fen, "e4c5"))


def test_a_good_capture_history_may_lose_more() -> None:
    fen, move = QUEEN_TAKES
    pos, played = naive.position(fen), code(fen, move)
    step = plain(pruning.see_prune_noisy, {pruning._see_noisy: 1, pruning._see_noisy_history: 10})
    assert first(lambda history: not step(pos, TH, 1, played, history)) == 8490


# The null move

PAWNS = "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"
KNIGHT = "4k3/pppp4/8/8/8/8/PPPP4/4KN2 w - - 0 1"
THEIR_KNIGHT = "4kn2/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1"


def passes(fen: str, depth: int = 6, static: int = 500, refined: int = 500, beta: int = 0) -> Any:
    allowed = plain(pruning.null_move_allowed)
    return allowed(naive.position(fen), TH, depth, static, refined, beta)


def test_a_null_move_needs_a_piece_of_ones_own() -> None:
    assert passes(KNIGHT)
    assert passes(START)
    assert not passes(PAWNS)
    assert not passes(THEIR_KNIGHT)


def test_a_null_move_needs_some_depth_and_beta_within_reach() -> None:
    found = depths(lambda depth: passes(KNIGHT, depth), 40)
    assert 1 < found.start < 8
    assert found.stop == 40
    assert first(lambda refined: passes(KNIGHT, refined=refined)) == 0
    assert first(lambda refined: passes(KNIGHT, static=600, refined=refined, beta=77)) == 77


def test_a_null_move_is_switched_off_by_its_parameter() -> None:
    allowed = plain(pruning.null_move_allowed, {pruning._null_base: FAR})
    assert not allowed(naive.position(KNIGHT), TH, 20, 20_000, 20_000, 0)
    static = first(lambda static: passes(KNIGHT, static=static))
    higher = plain(
        pruning.null_move_allowed, {pruning._null_base: int(plain(pruning._null_base)(TH)) + 9}
    )
    assert first(lambda s: higher(naive.position(KNIGHT), TH, 6, s, 500, 0)) == static + 9


def test_a_null_move_is_searched_less_deeply_the_larger_the_surplus() -> None:
    reduced = plain(pruning.null_move_depth)
    for depth in (3, 8, 20):
        found = [int(reduced(TH, depth, surplus)) for surplus in range(0, 2000, 10)]
        assert found == sorted(found, reverse=True)
        assert found[0] < depth - 1
        assert found[0] - found[-1] in range(1, 6), "up to a limit"


# The table


@pytest.mark.parametrize(
    ("bound", "score", "cuts"),
    [
        (EXACT, -50, True),
        (EXACT, 50, True),
        (LOWER, 10, False),
        (LOWER, 11, True),
        (UPPER, 10, True),
        (UPPER, 11, False),
    ],
)
def test_an_entry_cuts_off_when_its_bound_decides(bound: int, score: int, cuts: bool) -> None:
    shelf, cutoff = Shelf(START), plain(pruning.tt_cutoff)
    data = shelf.entry(8, score, bound)
    assert bool(cutoff(shelf.pos, shelf.th, 3, data, 8, 10, 11)) == cuts


def test_an_entry_that_is_too_shallow_cuts_off_nothing() -> None:
    shelf, cutoff = Shelf(START), plain(pruning.tt_cutoff)
    data = shelf.entry(8, 500, EXACT)
    assert cutoff(shelf.pos, shelf.th, 3, data, 8, 10, 11)
    assert not cutoff(shelf.pos, shelf.th, 3, data, 9, 10, 11)
    assert not cutoff(shelf.pos, shelf.th, 3, data, 8, 10, 12), "a PV node"


def test_near_the_fifty_moves_no_entry_cuts_off() -> None:
    shelf, cutoff = Shelf(START), plain(pruning.tt_cutoff)
    data = shelf.entry(8, 500, EXACT)

    def cuts(clock: int) -> bool:
        shelf.pos.halfmove = clock
        return bool(cutoff(shelf.pos, shelf.th, 3, data, 8, 10, 11))

    last = max(filter(cuts, range(100)))
    assert 50 < last < 99
    assert all(map(cuts, range(last)))
