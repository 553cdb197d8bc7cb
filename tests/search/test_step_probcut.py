"""ProbCut: the raised beta, table entries that rule it out, and the captures tried."""

import pytest

from engine.search import probcut
from engine.search.probcut import PROBCUT_REDUCTION
from engine.search.score import TB_WIN_IN_MAX
from engine.search.tt import EXACT, LOWER, UPPER
from helpers import naive
from helpers.search_steps import FAR, NOTHING, Shelf, depths, first, plain
from uci.chess_io.convert import board_of, encode_move

pytestmark = pytest.mark.interpreted
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    return Shelf(START)


@pytest.mark.parametrize("beta", [-300, 0, 40])
def test_a_capture_must_get_above_beta_by_the_parameter(shelf: Shelf, beta: int) -> None:
    raised = plain(probcut.probcut_beta)
    assert raised(shelf.th, beta) > beta
    assert raised(shelf.th, beta) - beta == raised(shelf.th, 0)
    for margin in (20, 77):
        assert (
            plain(probcut.probcut_beta, {probcut._margin: margin})(shelf.th, beta) == beta + margin
        )


def test_it_is_switched_off_by_its_parameter(shelf: Shelf) -> None:
    may = plain(probcut.may_probcut)
    raised = int(plain(probcut.probcut_beta, {probcut._margin: FAR})(shelf.th, 0))
    assert not any(may(NOTHING, 3, depth, raised) for depth in range(60))


def test_not_near_the_leaves_and_not_for_a_mate() -> None:
    may = plain(probcut.may_probcut)
    deep = depths(lambda depth: may(NOTHING, 3, depth, 100), 40)
    assert PROBCUT_REDUCTION < deep.start < 12
    assert deep.stop == 40
    for sign in (1, -1):
        assert may(NOTHING, 3, 10, sign * (TB_WIN_IN_MAX - 1))
        assert not may(NOTHING, 3, 10, sign * TB_WIN_IN_MAX)


@pytest.mark.parametrize("bound", [EXACT, LOWER, UPPER])
def test_a_deep_entry_below_the_raised_beta_rules_it_out(shelf: Shelf, bound: int) -> None:
    may = plain(probcut.may_probcut)

    def allowed(stored: int, score: int) -> bool:
        return bool(may(shelf.entry(stored, score, bound), 3, 10, 100))

    assert first(lambda score: allowed(10, score), -500, 500) == 100
    deep_enough = 10 - PROBCUT_REDUCTION + 1
    assert not allowed(deep_enough, 99)
    assert allowed(deep_enough - 1, 99), "it says too little"


@pytest.mark.parametrize(
    ("fen", "move", "wins"),
    [
        ("4k3/8/3n4/8/8/8/8/3RK3 w - - 0 1", "d1d6", True),  # loose
        ("4k3/2p5/3n4/8/8/8/8/3RK3 w - - 0 1", "d1d6", False),  # a rook for a knight
        ("4k3/2p5/3n4/8/4P3/8/8/3RK3 w - - 0 1", "d1d6", False),
        ("4k3/2p5/3r4/4P3/8/8/8/4K3 w - - 0 1", "e5d6", True),  # a pawn for a rook
    ],
)
def test_a_capture_must_win_what_is_missing(fen: str, move: str, wins: bool) -> None:
    board = board_of(fen)
    code, pos = encode_move(board, board.parse_uci(move)), naive.position(board)
    enough = plain(probcut.probcut_see)
    assert bool(enough(pos, code, 0)) == wins
    most = first(lambda gain: not enough(pos, code, gain), -1000, 1000) - 1
    value = naive.static_exchange(board, board.parse_uci(move))
    assert most == value // probcut._SEE_SCALE
