"""The search on positions whose score follows from the rules: mates, draws, repetitions."""

import threading

import chess
import pytest

from engine.search.limits import Limits
from engine.search.score import MATE, moves_to_mate
from engine.search.searcher import Searcher
from helpers.cases import at_least
from helpers.naive_search import DRAW, each, plain_searcher, replay, search
from uci.apps.engines.pv_checks import line_may_end
from uci.chess_io.convert import RootPosition, move_to_uci, new_game
from uci.protocol.commands import SetPosition

MATES = [
    ("6k1/5ppp/8/8/8/8/5PPP/4R1K1 w - - 0 1", 1),
    ("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 1 1", 2),
    ("r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1", 2),
    ("1rb4r/pkPp3p/1b1P3n/1Q6/N3Pp2/8/P1P3PP/7K w - - 1 1", 2),
    ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 2),
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
    ("r3k2r/ppp2Npp/1b5n/4p2b/2B1P2q/BQP2P2/P5PP/RN5K w kq - 1 1", 3),
    ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ("6k1/8/4K3/8/8/8/8/R7 w - - 0 1", 3),
    ("k7/8/2K5/8/8/8/8/7R b - - 0 1", -2),
    ("7k/8/4K3/8/8/8/8/6R1 b - - 0 1", -3),
    ("r1bqr3/ppp1B1kp/1b4p1/n2B4/3PQ1P1/2P5/P4P2/RN4K1 w - - 1 1", 4),
    ("7R/r1p1q1pp/3k4/1p1n1Q2/3N4/8/1PP2PPP/2B3K1 w - - 1 1", 4),
    ("2q1nk1r/4Rp2/1ppp1P2/6Pp/3p1B2/3P3P/PPP1Q3/6K1 w - - 0 1", 5),
    ("6r1/p3p1rk/1p1pPp1p/q3n2R/4P3/3BR2P/PPP2QP1/7K w - - 0 1", 5),
]


def after(searcher: Searcher, fen: str, moves: str = "") -> chess.Board:
    """Set a searcher's position with its history, as in a game; return the board."""
    game = new_game().after(SetPosition(fen, tuple(moves.split())))
    RootPosition(searcher.pos).show(game)
    return game.board


@pytest.mark.parametrize(("fen", "moves"), MATES)
def test_mate(fen: str, moves: int) -> None:
    """The mate is found in time and never claimed too near, and every line ends in it."""
    searcher = Searcher()
    board = after(searcher, fen)
    found = None
    for iteration in each(searcher, depth=24, nodes=4_000_000):
        claimed = moves_to_mate(iteration.score)
        if claimed is None or iteration.bound != "exact":
            continue
        assert abs(claimed) >= abs(moves)
        assert len(iteration.pv) == 2 * abs(claimed) - (claimed > 0)
        assert replay(board, iteration.pv).is_checkmate()
        found = claimed
        if found == moves:
            break
    assert found == moves


@pytest.mark.parametrize(("fen", "moves"), [mate for mate in MATES if 1 <= mate[1] <= 3])
def test_mate_to_order(fen: str, moves: int) -> None:
    """`go mate` finds existing mates, and none otherwise."""
    searcher = Searcher()
    board = after(searcher, fen)
    last = search(searcher, mate=moves)[-1]
    assert moves_to_mate(last.score) == moves
    assert replay(board, last.pv).is_checkmate()
    for iteration in at_least(moves - 1, search(searcher, mate=moves - 1)):
        claimed = moves_to_mate(iteration.score)
        assert claimed is None or claimed == moves


def test_what_the_fifty_moves_rule_out_is_there_with_fewer_of_them() -> None:
    searcher = Searcher()
    for made, there in ((98, False), (0, True), (98, False)):
        after(searcher, f"8/k7/3R4/8/8/K7/6R1/8 w - - {made} 100")
        last = search(searcher, mate=2)[-1]
        assert (moves_to_mate(last.score) == 2) == there
        assert searcher.ruled_out != there


def test_a_mate_to_order_comes_with_all_lines_of_its_depth() -> None:
    searcher = Searcher(1)
    after(searcher, "8/k7/3R4/8/8/K7/6R1/8 w - - 0 1")
    results = list(searcher.begin(Limits(mate=2), None, multipv=3))
    assert [moves_to_mate(result.score) for result in results][-3] == 2
    assert [(result.depth, result.multipv) for result in results[-3:]] == [(3, 1), (3, 2), (3, 3)]


@pytest.mark.parametrize(("moves", "there"), [(2, True), (1, False)])
def test_the_soft_limit_leaves_the_proof(moves: int, there: bool) -> None:
    """The proof runs after the soft limit, which ends at depth 1 if there is one legal move."""
    searcher = Searcher(1)
    board = after(searcher, "7K/5k2/7r/8/7R/8/8/4Q3 w - - 0 1")
    *first, last = searcher.begin(Limits(mate=moves), soft=1.0)
    assert searcher.ruled_out != there
    if there:
        assert [one.depth for one in first] == [1]
        assert moves_to_mate(last.score) == moves
        assert replay(board, last.pv).is_checkmate()


@pytest.mark.parametrize("limits", [{"nodes": 500}, {"depth": 6}, {"mate": 100}])
def test_what_was_not_searched_is_not_ruled_out(limits: dict[str, int]) -> None:
    searcher = Searcher(1)
    after(searcher, "6k1/8/8/8/8/8/8/R5K1 w - - 0 1")
    assert list(searcher.begin(Limits(mate=1), None))
    assert searcher.ruled_out
    results = searcher.begin(Limits(**({"mate": 4} | limits)), soft=None)
    timer = threading.Timer(0.05, searcher.stop)
    timer.start()
    assert list(results)
    timer.join()
    assert not searcher.ruled_out


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    "fen", ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]
)
def test_no_iteration_without_a_legal_move(fen: str) -> None:
    searcher = Searcher(1)
    after(searcher, fen)
    assert search(searcher, 5) == []


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "depth"),
    [
        ("8/8/3R4/8/1Rq5/K5Q1/3N4/7k b - - 0 1", 4),  # Qa2+ forces Kxa2, stalemate
        ("8/6q1/r7/1k5K/r7/Q7/8/8 w - - 0 1", 4),
        ("8/8/8/8/8/4k3/1q6/K7 w - - 0 1", 1),  # the last piece is taken
        ("8/8/8/8/8/4k3/8/KB6 w - - 0 1", 1),  # bare kings and a bishop, and still a move
        ("6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 32", 4),  # perpetual check
    ],
)
def test_draw(fen: str, depth: int) -> None:
    for searcher in (Searcher(1), plain_searcher()):
        board = after(searcher, fen)
        last = search(searcher, depth)[-1]
        assert last.score == DRAW
        assert last.bound == "exact"
        assert line_may_end(replay(board, last.pv))


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("selective", [0, 1])
@pytest.mark.parametrize(
    ("fen", "cycle", "move"),
    [
        ("k7/8/8/8/8/8/8/3QK3 w - - 0 1", "e1f1 a8b8 f1e1 b8a8", "b8a8"),
        ("1k6/8/8/8/8/8/8/3QK3 w - - 0 1", "e1f1 b8c8 f1e1 c8b8", "c8b8"),
    ],
)
def test_the_loser_saves_himself_by_the_third_time(
    fen: str, cycle: str, move: str, selective: int
) -> None:
    searcher = Searcher(1, bool(selective))
    once = cycle.rsplit(" ", 1)[0]
    after(searcher, fen, f"{cycle} {once}")
    for iteration in search(searcher, 3):
        assert iteration.score == DRAW
        assert move_to_uci(iteration.pv[0], False) == move
    after(searcher, fen, once)  # now the move would repeat it only once
    for iteration in search(searcher, 3):
        assert iteration.score < -500


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("selective", [0, 1])
@pytest.mark.parametrize(("square", "other"), [("g2", "h2"), ("h2", "g2")])
def test_the_winner_avoids_the_third_time(square: str, other: str, selective: int) -> None:
    """Of two ways out of check, the winner takes the one that was not taken twice before."""
    searcher = Searcher(1, bool(selective))
    board = chess.Board("8/6Q1/8/8/k7/6P1/5P2/1r6 b - - 0 1")
    board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol("K"))
    away = f"b1b2 {square}g1 b2b1"
    after(searcher, board.fen(), f"{away} g1{square} {away}")
    for iteration in search(searcher, 3):
        assert iteration.score > 150
        assert move_to_uci(iteration.pv[0], False) == f"g1{other}"


@pytest.mark.parametrize("selective", [0, 1])
@pytest.mark.parametrize(
    ("fen", "plies", "score"),
    [
        ("7k/8/6K1/8/8/8/8/R7 w - - {} 90", 99, MATE - 1),  # mate comes before the draw
        ("k7/8/8/2K5/8/8/8/7R w - - {} 90", 97, MATE - 3),
        ("k7/8/8/2K5/8/8/8/7R w - - {} 90", 98, DRAW),
        ("k7/8/8/2K5/8/8/8/7R w - - {} 90", 99, DRAW),
        ("k7/7R/2K5/8/8/8/8/8 b - - {} 90", 94, 6 - MATE),
        ("k7/7R/2K5/8/8/8/8/8 b - - {} 90", 95, DRAW),
        ("7k/8/8/3Q4/4Q3/8/8/K7 b - - {} 90", 99, DRAW),  # a quiet move ends the game
        ("7k/8/8/3Q4/4Q3/8/8/K7 w - - {} 90", 100, DRAW),  # ended already, but there is a move
    ],
)
def test_fifty_moves(fen: str, plies: int, score: int, selective: int) -> None:
    searcher = Searcher(1, bool(selective))
    after(searcher, fen.format(plies))
    last = search(searcher, 8 if selective else 6)[-1]
    assert last.score == score
    assert last.pv


def test_progress_resets_fifty_moves() -> None:
    searcher = Searcher(1)
    after(searcher, "7k/P7/8/8/8/8/8/K7 w - - 99 90")
    last = search(searcher, 4)[-1]
    assert move_to_uci(last.pv[0], False) == "a7a8q"
    assert last.score > 500
