"""The small integers of chess: colours, pieces, castling rights, move flags, sizes."""

WHITE, BLACK = 0, 1

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
EMPTY = 12
"""The piece code of an empty square; a piece's code is ``6 * colour + type``."""

WHITE_KING_SIDE, WHITE_QUEEN_SIDE, BLACK_KING_SIDE, BLACK_QUEEN_SIDE = range(4)
"""The castlings, by index; right number ``i`` is bit ``1 << i`` of the castling rights."""

QUIET, DOUBLE_PUSH, CASTLE = 0, 1, 2
CAPTURE, EN_PASSANT = 4, 5
PROMOTION = 8
"""Move flags, four bits. Bit 2 marks a capture, bit 3 a promotion, whose two low bits
count from the knight to the queen."""

NOISY_MOVES, QUIET_MOVES, ALL_MOVES = 1, 2, 3
"""Kinds of moves to generate. Noisy: captures, en passant, promotions."""

NO_MOVE = 0
NO_SQUARE = 0
"""Stands for "no en-passant square": a1 never is one."""

MAX_PLY = 128
"""Plies from the root that a search can reach."""

MAX_MOVES = 256
"""Room for the legal moves of one position (at most 218)."""

MAX_HISTORY = 1024
"""Positions in the history of a record, those of the search included."""
