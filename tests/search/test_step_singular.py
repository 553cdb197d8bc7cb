"""Singular extensions: the suitable entries, the bound for other moves, and the extensions."""

import pytest

from engine.board.types import NO_MOVE
from engine.search import singular
from engine.search.score import MATE_IN_MAX, TB_WIN_IN_MAX
from engine.search.tt import EXACT, LOWER, UPPER
from helpers.search_steps import FAR, NOTHING, Shelf, depths, first, is_rising, plain
from uci.chess_io.convert import board_of, encode_move

pytestmark = pytest.mark.interpreted
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
GOOD = encode_move(board_of(START), board_of(START).parse_uci("e2e4"))


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(START)


def may(
    shelf: Shelf, depth: int = 10, stored: int = 10, score: int = 20, bound: int = LOWER,
    move: int = GOOD, ply: int = 3,
) -> bool:  # fmt: skip
    data = shelf.entry(stored, score, bound, move, ply=ply)
    check = plain(singular.may_be_singular)
    return bool(check(shelf.pos, shelf.th, data, ply, depth))


def test_a_deep_move_of_the_table_may_be_singular(shelf: Shelf) -> None:
    assert may(shelf, bound=LOWER)
    assert may(shelf, bound=EXACT)
    assert not may(shelf, bound=UPPER), "it is one of many that failed low"
    check = plain(singular.may_be_singular)
    assert not check(shelf.pos, shelf.th, NOTHING, 3, 10)


def test_not_near_the_leaves(shelf: Shelf) -> None:
    deep = depths(lambda depth: may(shelf, depth, stored=depth), 40)
    assert 3 < deep.start < 12
    assert deep.stop == 40


def test_not_when_the_entry_is_much_shallower(shelf: Shelf) -> None:
    least = first(lambda stored: may(shelf, 12, stored), low=1, high=40)
    assert 12 // 2 < least < 12


def test_not_without_a_legal_move(shelf: Shelf) -> None:
    assert not may(shelf, move=NO_MOVE)
    illegal = encode_move(board_of(START), board_of(START).parse_uci("e2e4")) ^ 1 << 6
    assert not may(shelf, move=illegal)


@pytest.mark.parametrize("sign", [1, -1])
def test_not_for_a_mate(shelf: Shelf, sign: int) -> None:
    assert not may(shelf, score=sign * TB_WIN_IN_MAX)
    assert may(shelf, score=sign * (TB_WIN_IN_MAX - 1))


def test_not_in_a_line_twice_as_long_as_the_depth(shelf: Shelf) -> None:
    shelf.th.root_depth = 10
    assert may(shelf, ply=19)
    assert not may(shelf, ply=20)


def test_the_others_may_reach_less_the_deeper_the_node(shelf: Shelf) -> None:
    bound = plain(singular.singular_beta)
    data = shelf.entry(20, 50, LOWER, GOOD)
    below = [50 - int(bound(shelf.th, data, 0, depth)) for depth in range(8, 40, 4)]
    assert below[0] > 0
    assert is_rising(below)


def test_the_margin_is_its_parameter(shelf: Shelf) -> None:
    data = shelf.entry(20, 50, LOWER, GOOD)

    def below(margin: int) -> int:
        return 50 - int(plain(singular.singular_beta, {singular._margin: margin})(
            shelf.th, data, 0, 16
        ))  # fmt: skip

    assert is_rising(below(margin) for margin in range(1, 40))
    assert below(0) == 0
    assert below(FAR) > MATE_IN_MAX, "no other move is short of it by so much"


def extension(
    shelf: Shelf, short: int, is_pv: int = 0, doubles: int = 0, margin: int = 20, noisy: int = 1
) -> int:
    """Return the extension of a table move, noisy by default."""
    shelf.th.double_extensions[5] = doubles
    margins = {singular._double_margin: margin, singular._triple_margin: 70}
    return int(plain(singular.singular_extension, margins)(shelf.th, 5, is_pv, noisy, short))


def test_a_move_far_above_all_others_is_extended_twice(shelf: Shelf) -> None:
    assert extension(shelf, 1) == 1
    assert extension(shelf, 20) == 1
    assert extension(shelf, 21) == 2
    assert extension(shelf, 21, is_pv=1) == 1
    assert extension(shelf, 20_000, margin=FAR) == 1


def test_a_quiet_move_farther_above_all_others_is_extended_three_times(shelf: Shelf) -> None:
    found = [extension(shelf, short, noisy=0) for short in (1, 20, 21, 70, 71)]
    assert found == [1, 1, 2, 2, 3]
    assert extension(shelf, 71, noisy=1) == 2
    assert extension(shelf, 71, noisy=0, is_pv=1) == 1


def test_a_move_that_is_not_singular_is_reduced_where_a_cutoff_is_expected() -> None:
    step = plain(singular.negative_extension)
    assert step(10, 10, 0) == step(-50, 10, 1) == -2
    assert step(9, 10, 0) == 0


def test_the_least_depth_is_a_parameter(shelf: Shelf) -> None:
    data = shelf.entry(20, 20, LOWER, GOOD)
    for least in (4, 9):
        check = plain(singular.may_be_singular, {singular._singular_depth: least})
        assert not check(shelf.pos, shelf.th, data, 3, least - 1)
        assert check(shelf.pos, shelf.th, data, 3, least)


def test_one_line_has_few_double_extensions(shelf: Shelf) -> None:
    most = first(lambda doubles: extension(shelf, 500, doubles=doubles) == 1, low=0, high=50)
    assert 1 < most < 20
