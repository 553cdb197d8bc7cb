"""Won endgames are won without tablebases."""

import random

import chess
import pytest

from engine.board.position import new_position
from engine.board.types import BLACK, WHITE
from engine.evaluation import endgames
from engine.evaluation.nnue import evaluate_from_scratch
from engine.jit.kernel import COMPILED
from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import MATE
from engine.search.searcher import Searcher
from helpers import naive
from helpers.networks import evaluator, random_net
from uci.chess_io.convert import RootPosition, fill, move_to_uci, new_game
from uci.protocol.commands import SetPosition

NODES = 20_000


def endgame(rng: random.Random, pieces: str) -> chess.Board:
    """Return a random position of king and ``pieces`` against king, White to move, none attacked.

    Two bishops stand on squares of both colours. A pawn has its king in front of it, on the sixth
    rank or beyond, which always wins.
    """
    while True:
        board = chess.Board(None, chess960=True)
        squares = rng.sample(chess.SQUARES, len(pieces) + 2)
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square, letter in zip(squares[2:], pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        bishops = board.pieces(chess.BISHOP, chess.WHITE)
        if len(bishops) == 2 and len(bishops & chess.BB_LIGHT_SQUARES) != 1:
            continue
        if pieces == "P":
            king, pawn = squares[0], squares[2]
            ahead = king - pawn == 8 and chess.square_rank(king) >= 5
            if not ahead or chess.square_file(pawn) in (0, 7):
                continue
        if not board.is_valid():
            continue
        board.turn = chess.BLACK
        hanging = any(board.is_capture(move) for move in board.legal_moves)
        board.turn = chess.WHITE
        if not hanging and not board.is_check():
            return board


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="whole games are too slow interpreted")
@pytest.mark.parametrize("pieces", ["Q", "R", "BB", "BN", "P"])
def test_a_won_endgame_is_won(pieces: str) -> None:
    rng = random.Random(pieces)
    searcher = Searcher(16)
    start = endgame(rng, pieces).fen()
    game, root = new_game().after(SetPosition(start, ())), RootPosition(searcher.pos)
    searcher.clear()
    while not (
        game.board.is_game_over() or game.board.is_repetition(3) or game.board.halfmove_clock >= 100
    ):
        root.show(game)
        for result in searcher.begin(Limits(nodes=NODES), None):
            if isinstance(result, Iteration) and result.bound == "exact":
                best = result
        moves = (*game.moves, move_to_uci(best.pv[0], chess960=True))
        game = game.after(SetPosition(start, moves))
    assert game.board.is_checkmate(), start
    assert game.board.turn == chess.BLACK, start


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("pieces", "wins"),
    [
        ("Q", True), ("R", True), ("BB", True), ("BN", True), ("QN", True), ("RB", True),
        ("B", False), ("N", False), ("NN", False),
    ],
)  # fmt: skip
def test_only_what_can_mate_is_driven(pieces: str, wins: bool) -> None:
    rng = random.Random(3)
    scratch = evaluator(random_net(1))
    for _ in range(5):
        board = endgame(rng, pieces)
        pos = naive.position(board)
        assert endgames.is_bare_king(pos, BLACK)
        assert not endgames.is_bare_king(pos, WHITE)
        assert bool(endgames.can_mate(pos, WHITE)) == wins
        by_rule = wins or pieces == "NN"
        assert bool(endgames.is_evaluated_by_rule(pos)) == by_rule
        assert bool(endgames.is_evaluated_by_rule(naive.position(board.mirror()))) == by_rule
        score = evaluate_from_scratch(pos, scratch)
        board.turn = chess.BLACK
        other = new_position()
        fill(other, board)
        if wins:
            assert score > 500
            assert evaluate_from_scratch(other, scratch) == -score


@pytest.mark.interpreted
def test_two_bishops_of_one_colour_cannot_mate() -> None:
    pos = naive.position("k7/8/8/8/8/2B1B3/8/4K3 w - - 0 1")
    assert not endgames.can_mate(pos, WHITE)
    pawn_too = naive.position("k7/8/8/8/8/8/P7/4KQ2 w - - 0 1")
    assert not endgames.is_evaluated_by_rule(pawn_too)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("fen", "drawn"),
    [
        ("4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/1N2K1N1 b - - 0 1", True),
        ("1n2k1n1/8/8/8/8/8/8/4K3 w - - 0 1", True),
        ("4k3/8/8/8/8/8/8/NN2K1N1 w - - 0 1", False),
        ("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1", False),
        ("4k1n1/8/8/8/8/8/8/1N2K1N1 w - - 0 1", False),
        ("4k3/p7/8/8/8/8/8/1N2K1N1 w - - 0 1", False),
        ("4k3/8/8/8/8/8/P7/1N2K1N1 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/1N2K1B1 w - - 0 1", False),
    ],
)
def test_two_knights_against_a_lone_king_are_a_draw(fen: str, drawn: bool) -> None:
    pos, scratch = naive.position(fen), evaluator(random_net(1))
    assert bool(endgames.is_two_knights_ending(pos)) == drawn
    assert (evaluate_from_scratch(pos, scratch) == 0) == drawn


def search(searcher: Searcher, fen: str) -> Iteration:
    """Return the last iteration of a search to depth 6."""
    RootPosition(searcher.pos).show(new_game().after(SetPosition(fen, ())))
    for result in searcher.begin(Limits(depth=6), None):
        if isinstance(result, Iteration) and result.bound == "exact":
            last = result
    return last


@pytest.mark.skipif(not COMPILED, reason="searches are too slow interpreted")
def test_two_knights_mate_only_after_a_blunder() -> None:
    """Two knights score as a draw whatever the correction history holds, until a mate is found."""
    searcher = Searcher(1)
    for side in "wb":
        searcher.clear()
        searcher._thread.correction[:] = 1000
        assert search(searcher, f"8/8/8/3k4/8/2K5/8/1N4N1 {side} - - 0 1").score == 0
    for fen in ("7k/4N3/7K/8/5N2/8/8/8 w - - 0 1", "k1N5/8/K1N5/8/8/8/8/8 w - - 0 1"):
        assert search(searcher, fen).score == MATE - 1
