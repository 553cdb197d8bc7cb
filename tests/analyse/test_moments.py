"""Explanations of bad moves agree with their lines."""

from dataclasses import replace

import chess
import pytest

from helpers.documents import made_game, made_line, made_move
from uci.apps.analyse.report.material import Gain, winnable
from uci.apps.analyse.report.moments import MOST, key_moments, sentence
from uci.apps.games.analysis_document import AnalysedGame, AnalysedLine, Side


def line(moves: str, **score: int) -> AnalysedLine:
    return made_line(moves.split(), **score)


def game(fen: str, move: str, before: AnalysedLine, after: AnalysedLine) -> AnalysedGame:
    board = chess.Board(fen)
    played = board.parse_uci(move)
    best = board.san(board.parse_uci(before.uci[0])) if before.uci else None
    end = board.copy()
    end.push(played)
    color: Side = "white" if board.turn else "black"
    judged = made_move(color, uci=move, san=board.san(played), best=best)
    return made_game([(fen, before), (end.fen(), after)], [judged])


QUEEN = "4k3/8/8/3q4/4B3/8/8/4K3 w - - 0 1"
BACK_RANKS = "r5k1/5ppp/8/8/8/8/5PPP/R5K1"


@pytest.mark.parametrize(
    ("fen", "move", "before", "after", "said"),
    [
        (
            QUEEN, "e1f1", line("e4d5 e8e7", cp=300), line("e8e7 f1e1", cp=0),
            "Kf1 misses Bxd5, which wins a queen in the engine's line.",
        ),
        (
            QUEEN, "e1f1", line("e4d5 e8e7", cp=300), line("d5e4 f1f2", cp=-900),
            "After Kf1 Black wins a bishop in the engine's line. Bxd5 was better.",
        ),
        (
            "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a2", line("a1a8", mate=1), line("h7h6", cp=9),
            "Ra2 misses a mate in 1: Ra8# was the way.",
        ),
        (
            f"{BACK_RANKS} w - - 0 1", "a1b1", line("a1a8", mate=1), line("a8a1", mate=-2),
            "Rb1 lets Black mate in 2. Rxa8# mates in 1.",
        ),
        (
            f"{BACK_RANKS} b - - 0 1", "a8b8", line("a8a1", mate=-1), line("a1a8", cp=-30),
            "Rb8 misses a mate in 1: Rxa1# was the way.",
        ),
        (
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e1d1", line("e2e4", cp=200), line("e8e7", cp=0),
            "Kd1 gives away chances that e4 keeps.",
        ),
        (  # White is 5 points ahead after the line, and was 1 point ahead before
            "1r6/5k1p/3P1ppP/8/1p3R2/p3r3/PPP3P1/1K5R w - - 0 40", "h1d1",
            line("f4d4 b8a8 d6d7 a8a7 d7d8q e3e8 d8e8 f7e8", cp=600), line("e3e7", cp=100),
            "Rd1 misses Rd4, which gains 4 points of material in the engine's line.",
        ),
        (  # Black takes a bishop, and White queens later in the line
            "6k1/8/7p/1P6/7b/8/8/4B1K1 b - - 0 1", "h6h5",
            line("h4e1 g1f1 e1b4 f1e2 g8f7 e2d3 f7e6 d3c4 b4e7 b5b6 e6d7 b6b7 e7f6 b7b8q", cp=400),
            line("e1h4 g8f7", cp=600),
            "h5 gives away chances that Bxe1 keeps.",
        ),
        (  # a queen for a rook, and a draw by perpetual check
            "7k/q7/8/8/8/8/R5PP/7K w - - 0 1", "a2b2",
            line("a2a7", cp=0), line("a7b7", cp=-600),
            "Rb2 gives away chances that Rxa7 keeps.",
        ),
        (
            "7k/q7/8/8/8/8/R5PP/7K w - - 0 1", "a2b2",
            line("a2a7", cp=900), line("a7b7", cp=-600),
            "Rb2 misses Rxa7, which wins a queen in the engine's line.",
        ),
    ],
)  # fmt: skip
def test_sentences(
    fen: str, move: str, before: AnalysedLine, after: AnalysedLine, said: str
) -> None:
    assert sentence(game(fen, move, before, after), 0) == said


def test_a_threat_that_remains() -> None:
    before, after = line("d5f6", cp=-300), line("e4d5 f7e7", cp=100)
    one = game("4k3/8/8/3n4/4P3/8/8/4K3 b - - 0 1", "e8f7", before, after)
    said = "After Kf7 White wins a knight in the engine's line. Nf6 was better."
    assert sentence(one, 0) == said
    for moves, end in ("e4d5", " Kf7 does not stop the threat exd5."), ("e4e5", ""):
        first = replace(one.positions[0], threat=line(moves, cp=100))
        positions = (first, *one.positions[1:])
        assert sentence(replace(one, positions=positions), 0) == said + end


def test_no_better_move_is_known() -> None:
    one = game(QUEEN, "e1f1", line("", cp=300), line("d5e4 f1f2", cp=-900))
    assert sentence(one, 0) == "After Kf1 Black wins a bishop in the engine's line."
    one = game(QUEEN, "e1f1", line("", cp=300), line("", cp=0))
    assert sentence(one, 0) == "Kf1 gives away chances."


@pytest.mark.parametrize(
    ("fen", "moves", "words"),
    [
        ("4k3/8/1n6/8/8/8/1R6/4K3 w - - 0 1", "b2b6", "wins a knight"),
        ("4k3/p7/1n6/8/8/8/1R6/4K3 b - - 0 1", "e8d8 b2b6 a7b6", "wins the exchange"),
        ("4k3/8/1p6/1p6/1p6/8/1R6/4K3 w - - 0 1", "b2b4 e8e7 b4b5 e7e8 b5b6", "wins three pawns"),
        ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8q", "gains 8 points of material"),
        ("4k3/1P6/p7/8/8/8/8/4K3 w - - 0 1", "b7b8n e8d8 b8a6 d8e8", "gains 3 points of material"),
        ("r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8n a8b8", "gains 1 point of material"),
        ("4k3/8/8/r6p/8/8/8/R6R w - - 0 1", "a1a5 e8e7 h1h5", "wins a rook and a pawn"),
    ],
)
def test_what_is_won(fen: str, moves: str, words: str) -> None:
    found = [Gain.of(chess.Board(fen), moves.split(), side) for side in chess.COLORS]
    assert [gain.words for gain in found if gain.points > 0] == [words]


def test_the_whole_line_counts() -> None:
    """Late captures count: a knight falls after 16 plies, the rook that took it after 18."""
    shuffle = "e1d1 e8d8 d1e1 d8e8 " * 4
    board = chess.Board("4k3/p7/1n6/8/8/8/1R6/4K3 w - - 0 1")
    assert Gain.of(board, shuffle.split(), chess.WHITE).shown == 0
    assert Gain.of(board, f"{shuffle}b2b6".split(), chess.WHITE).shown == 3
    assert Gain.of(board, f"{shuffle}b2b6 a7b6".split(), chess.WHITE).points == -2


def test_open_captures_at_the_end_count_against_a_gain() -> None:
    board = chess.Board("4k3/p7/1n6/8/8/8/1R6/4K3 w - - 0 1")
    gain = Gain.of(board, ["b2b6"], chess.WHITE)
    assert (gain.shown, gain.at_risk, gain.points) == (3, 5, -2)
    assert Gain.of(board, ["b2b6"], chess.BLACK).points == -3


@pytest.mark.parametrize(
    ("fen", "points"),
    [
        (chess.STARTING_FEN, 0),
        ("4k3/p7/1R6/8/8/8/8/4K3 b - - 0 1", 5),
        ("4k3/8/2p5/1p6/8/8/1R6/4K3 w - - 0 1", 0),  # the pawn is protected
        ("4k3/8/2p5/1p6/8/8/1R6/1R2K3 w - - 0 1", 0),
        ("4k3/8/8/1p6/8/8/1R6/4K3 w - - 0 1", 1),
        ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", 8),
        ("4k3/8/8/pP6/8/8/8/4K3 w - a6 0 1", 1),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1", 0),
    ],
)
def test_what_captures_win(fen: str, points: int) -> None:
    assert winnable(chess.Board(fen)) == points


def test_too_many_captures_put_all_at_risk() -> None:
    row = "QqQqQqQq/qQqQqQqQ"
    board = chess.Board(f"k7/{row}/{row}/{row}/K7 w - - 0 1")
    assert winnable(board) == 24 * 9


def test_the_worst_in_the_order_of_the_game() -> None:
    one = game(QUEEN, "e1f1", line("e4d5", cp=300), line("e8e7", cp=0))
    losses = [5.0, 30.0, 7.0, 40.0, 6.0, 9.0, 8.0, 10.0]
    (move,) = one.moves
    moves = [replace(move, points_lost=loss) for loss in losses]
    moves.append(replace(move, points_lost=90.0, verdict=None))
    long = made_game([(QUEEN, line("", cp=0))] * 10, moves)
    assert [ply for ply, _ in key_moments(long)] == [2, 3, 4, 6, 7, 8]
    assert MOST == 6
