"""The lowest level with a queen or rook against a lone king, which the tablebases defend."""

import random
from collections.abc import Iterator
from itertools import islice

import chess
import chess.syzygy
import pytest

from engine.jit import kernel
from helpers.puppet_session import Client, search
from helpers.syzygy import FOLDER
from uci.chess_io.convert import is_drawn
from uci.strength.limited_strength import ELO_LOW, LOWEST_LEVEL

pytestmark = pytest.mark.skipif(not kernel.COMPILED, reason="needs compiled kernels")

POSITIONS = 25
"""Positions with each piece."""


def won_positions(
    piece: chess.PieceType, tables: chess.syzygy.Tablebase, dice: random.Random
) -> Iterator[chess.Board]:
    """Yield endless positions in which the side with the ``piece`` has the move and wins."""
    while True:
        board, color = chess.Board(None), dice.choice(chess.COLORS)
        pieces = ((chess.KING, color), (chess.KING, not color), (piece, color))
        for square, each in zip(dice.sample(chess.SQUARES, 3), pieces, strict=True):
            board.set_piece_at(square, chess.Piece(*each))
        board.turn = color
        if board.is_valid() and tables.probe_wdl(board) > 0:
            yield board


def defend(board: chess.Board, tables: chess.syzygy.Tablebase) -> chess.Move:
    """Return the move that takes the piece, or the longest way to the mate."""

    def distance(move: chess.Move) -> int:
        board.push(move)
        try:
            return 1000 if board.is_insufficient_material() else tables.probe_dtz(board)
        finally:
            board.pop()

    return max(board.legal_moves, key=distance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "options"),
    [
        (chess.QUEEN, {"UCI_LimitStrength": "true", "UCI_Elo": str(ELO_LOW)}),
        (chess.ROOK, {"Skill Level": str(LOWEST_LEVEL)}),
    ],
    ids=["queen", "rook"],
)
def test_the_lowest_level_mates(
    real_client: Client, piece: chess.PieceType, options: dict[str, str], seed: int
) -> None:
    """It mates without a draw by rule, and misses no mate in one or two."""
    for name, value in options.items():
        real_client.say(f"setoption name {name} value {value}")
    with chess.syzygy.open_tablebase(FOLDER) as tables:
        for board in islice(won_positions(piece, tables, random.Random(seed)), POSITIONS):
            start = board.fen()
            while not board.is_checkmate():
                plies = tables.probe_dtz(board)  # to the mate, since nothing can be taken
                board.push_uci(search(real_client, board, "go depth 20")[-1].pv[0])
                assert not is_drawn(board), start
                if plies <= 3:
                    assert board.is_checkmate() or -tables.probe_dtz(board) == plies - 1, start
                if not board.is_checkmate():
                    board.push(defend(board, tables))
                    assert not is_drawn(board), start
