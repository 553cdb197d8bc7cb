"""The binary ``viriformat`` of Cosmo Bobak's engine Viridithas. All numbers are little-endian.

A game is a position of 32 bytes (marlinformat), 4 bytes a move, and 4 zero bytes:

| type | content |
| --- | --- |
| uint64 | the occupied squares, a1 the lowest bit |
| 32 × 4 bits | what stands there, lowest square and lowest bits first: 0 pawn to 5 king, 6 a rook
      that may still castle; 8 more for black |
| uint8 | the square of a legal en-passant capture, 64 for none; 128 more if black is to move |
| uint8 | plies since the last capture or pawn move |
| uint16 | number of the next full move |
| int16 | zero: the first move has the score of this position |
| uint8 | result: twice white's points |
| uint8 | zero |
| uint16 | a move: origin, target << 6, promotion (0 knight to 3 queen) << 12, kind << 14 (1 en
      passant, 2 castling, king takes rook, 3 promotion) |
| int16 | its score in centipawns, White's view |

Every move needs a score there, and those that were drawn at random have none: the game ends before
such a move, and another one, with the same result, begins after it.
"""

import struct

import chess

from uci.apps.datagen.recorded_game import Encoded, RecordedGame

_POSITION = struct.Struct("<Q16sBBHhBB")
_MOVE = struct.Struct("<Hh")
_END = bytes(4)

_UNMOVED_ROOK, _BLACK, _NO_SQUARE = 6, 8, 64
_EN_PASSANT, _CASTLING, _PROMOTION = 1, 2, 3


def encode(game: RecordedGame) -> Encoded:
    """Return the bytes of a game, empty if none of its moves has a score."""
    data = bytearray()
    positions, inside = 0, False
    for board, (move, score) in game.positions():
        if score is not None:
            if not inside:
                data += _position(board, game.result)
            data += _MOVE.pack(_move(board, move), score if board.turn else -score)
            positions += 1
        elif inside:
            data += _END
        inside = score is not None
    return Encoded(bytes(data) + (_END if inside else b""), positions)


def _position(board: chess.Board, result: int) -> bytes:
    occupied, castling = board.occupied, board.clean_castling_rights()
    pieces = 0
    for index, (square, piece) in enumerate(sorted(board.piece_map().items())):
        code = _UNMOVED_ROOK if castling >> square & 1 else piece.piece_type - 1
        pieces |= (code if piece.color else code | _BLACK) << 4 * index
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    side = _NO_SQUARE if en_passant is None else en_passant
    return _POSITION.pack(
        occupied,
        pieces.to_bytes(16, "little"),
        side if board.turn else side | 128,
        board.halfmove_clock,
        board.fullmove_number,
        0,
        result,
        0,
    )


def _move(board: chess.Board, move: chess.Move) -> int:
    squares = move.from_square | move.to_square << 6
    if move.promotion:
        return squares | (move.promotion - chess.KNIGHT) << 12 | _PROMOTION << 14
    if board.is_castling(move):
        return squares | _CASTLING << 14
    return squares | (_EN_PASSANT << 14 if board.is_en_passant(move) else 0)
