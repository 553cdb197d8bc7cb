"""Syzygy tables, and positions that they contain."""

import os
import random
from pathlib import Path

import chess
import pytest

from helpers import naive
from helpers.endgames import random_endgame
from uci.chess_io.syzygy import Tables
from uci.chess_io.syzygy_ranking import Ranking

FOLDER = os.environ.get("PYTHAGORAS_TEST_SYZYGY") or str(
    Path(__file__).parents[1] / "data" / "syzygy"
)
"""The folder named by the variable, or that of the five tables of three pieces in the tests."""

MEN = 4 if Path(FOLDER, "KQvKR.rtbw").exists() else 3
needs_four_men = pytest.mark.skipif(
    MEN < 4, reason="PYTHAGORAS_TEST_SYZYGY names no folder of Syzygy tables of four pieces"
)


def board_of(fen: str, moves: str = "") -> chess.Board:
    board = chess.Board(fen, chess960=True)
    for move in moves.split():
        board.push_uci(move)
    return board


def random_position(rng: random.Random) -> chess.Board:
    """Return a legal position that the tables know, with a move to make."""
    return naive.random_position(rng) if MEN == 4 else random_endgame(rng, 1)


def ranked(tables: Tables, board: chess.Board, *, fifty: bool = True) -> Ranking:
    ranking = tables.rank(board, fifty=fifty)
    assert ranking is not None
    return ranking
