"""Syzygy tables, where there are any, and what they say of a position."""

import os

import chess
import pytest

from uci.chess_io.tablebase_ranking import Ranking
from uci.chess_io.tablebases import Tables

FOLDER = os.environ.get("PYTHAGORAS_TEST_SYZYGY", "")
needs_tables = pytest.mark.skipif(
    not FOLDER, reason="PYTHAGORAS_TEST_SYZYGY names no folder of Syzygy tables"
)


def board_of(fen: str, moves: str = "") -> chess.Board:
    board = chess.Board(fen, chess960=True)
    for move in moves.split():
        board.push_uci(move)
    return board


def ranked(tables: Tables, board: chess.Board, *, fifty: bool = True) -> Ranking:
    ranking = tables.rank(board, fifty=fifty)
    assert ranking is not None
    return ranking
