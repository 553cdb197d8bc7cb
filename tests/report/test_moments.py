"""What is said of bad moves is true of the lines."""

from typing import Any

import chess
import pytest

from uci.report.moments import MOST, Balance, key_moments, sentence


def line(moves: str, **score: int) -> dict[str, Any]:
    return {"uci": moves.split(), **score}


def game(fen: str, move: str, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    board = chess.Board(fen)
    played = board.parse_uci(move)
    best = board.san(board.parse_uci(before["uci"][0]))
    end = board.copy()
    end.push(played)
    facts = {
        "uci": move, "san": board.san(played), "best": best, "verdict": "blunder", "ply": 1,
        "color": chess.COLOR_NAMES[board.turn], "points_lost": 20.0,
    }  # fmt: skip
    positions = [{"fen": fen, "lines": [before]}, {"fen": end.fen(), "lines": [after]}]
    return {"chess960": False, "moves": [facts], "positions": positions}


QUEEN = "4k3/8/8/3q4/4B3/8/8/4K3 w - - 0 1"
BACK_RANKS = "r5k1/5ppp/8/8/8/8/5PPP/R5K1"


@pytest.mark.parametrize(
    ("fen", "move", "before", "after", "said"),
    [
        (
            QUEEN, "e1f1", line("e4d5 e8e7", cp=300), line("e8e7 f1e1", cp=0),
            "Kf1 misses Bxd5, which wins a queen in the best line.",
        ),
        (
            QUEEN, "e1f1", line("e4d5 e8e7", cp=300), line("d5e4 f1f2", cp=-900),
            "After Kf1 Black wins a bishop in the best line. Bxd5 was better.",
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
    ],
)  # fmt: skip
def test_sentences(
    fen: str, move: str, before: dict[str, Any], after: dict[str, Any], said: str
) -> None:
    assert sentence(game(fen, move, before, after), 0) == said


@pytest.mark.parametrize(
    ("fen", "moves", "words"),
    [
        ("4k3/8/1n6/8/8/8/1R6/4K3 w - - 0 1", "b2b6", "wins a knight"),
        ("4k3/p7/1n6/8/8/8/1R6/4K3 b - - 0 1", "e8d8 b2b6 a7b6", "wins the exchange"),
        ("4k3/8/1p6/1p6/1p6/8/1R6/4K3 w - - 0 1", "b2b4 e8e7 b4b5 e7e8 b5b6", "wins three pawns"),
        ("4k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "b7b8q", "comes out 8 points of material ahead"),
        ("4k3/8/8/r6p/8/8/8/R6R w - - 0 1", "a1a5 e8e7 h1h5", "wins a rook and a pawn"),
    ],
)
def test_what_is_won(fen: str, moves: str, words: str) -> None:
    found = Balance.of(chess.Board(fen), moves.split(), chess.WHITE)
    assert (found if found.worth > 0 else found.mirrored).words == words


def test_only_what_is_won_soon_counts() -> None:
    shuffle = "e1d1 e8d8 d1e1 d8e8 " * 2
    board = chess.Board("4k3/8/1n6/8/8/8/1R6/4K3 w - - 0 1")
    assert Balance.of(board, f"{shuffle}e1d1 e8d8 b2b6".split(), chess.WHITE).worth == 0
    assert Balance.of(board, f"{shuffle}b2b6".split(), chess.WHITE).worth == 3


def test_the_worst_in_the_order_of_the_game() -> None:
    one = game(QUEEN, "e1f1", line("e4d5", cp=300), line("e8e7", cp=0))
    losses = [5.0, 30.0, 7.0, 40.0, 6.0, 9.0, 8.0, 10.0]
    one["moves"] = [{**one["moves"][0], "points_lost": loss} for loss in losses]
    one["moves"].append({**one["moves"][0], "points_lost": 90.0, "verdict": None})
    one["positions"] = [{**one["positions"][0], "lines": [line("", cp=0)]}] * 10
    assert [moment.index for moment in key_moments(one)] == [1, 2, 3, 5, 6, 7]
    assert MOST == 6
