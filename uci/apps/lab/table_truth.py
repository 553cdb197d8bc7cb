"""Compares the score of a PV with the tablebases, probed by python-chess."""

from collections.abc import Sequence

import chess

from engine.board.types import MAX_PLY
from engine.search.score import TB_WIN
from uci.chess_io.syzygy import Tables
from uci.chess_io.syzygy_ranking import WdlValue


def table_score(tables: Tables, board: chess.Board, pv: Sequence[str]) -> int | None:
    """Return the tablebase score of a PV's last position, for the side to move at its start.

    ``None`` if the tables do not have that position, or the one after the PV's last capture or pawn
    move. If the fifty-move rule saves one side there, the game is drawn.
    """
    if len(pv) >= MAX_PLY - 1:
        return None
    end = board.copy()
    for move in pv:
        end.push_uci(move)
    zeroing = len(pv) - end.halfmove_clock
    if zeroing < 1 or chess.popcount(end.occupied) > tables.largest:
        return None
    before = end.copy()
    for _ in range(end.halfmove_clock):
        before.pop()
    values = tables.value(before), tables.value(end)
    if None in values or before.clean_castling_rights():
        return None
    if values[1] == WdlValue.DRAW or {WdlValue.CURSED_WIN, WdlValue.BLESSED_LOSS} & {*values}:
        return 0
    sign = 1 if (end.turn == board.turn) == (values[1] == WdlValue.WIN) else -1
    return sign * (TB_WIN - zeroing)
