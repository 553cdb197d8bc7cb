"""Random legal games in the format of `engine.datagen.game_record`, generated with python-chess."""

import random
from collections.abc import Iterator

import chess
import numpy as np

from engine.board.annotations import Words
from uci.chess_io.convert import encode_move

_CASTLING_ROOK = 6


def start_words(board: chess.Board, played: int = 0) -> list[int]:
    """Return the 16 words of a game without moves that begins at ``board``."""
    occupied, pieces = int(board.occupied), 0
    castling = board.clean_castling_rights()
    for index, square in enumerate(chess.scan_forward(occupied)):
        piece = board.piece_at(square)
        assert piece is not None
        kind = _CASTLING_ROOK if castling >> square & 1 else piece.piece_type - 1
        pieces |= (kind if piece.color else kind | 8) << 4 * index
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    state = (en_passant or 0) | (not board.turn) << 6 | min(board.halfmove_clock, 255) << 8
    words = [0, 0]
    words += [occupied >> shift & 0xFFFF for shift in range(0, 64, 16)]
    words += [pieces >> shift & 0xFFFF for shift in range(0, 128, 16)]
    return [*words, state, played]


def random_moves(board: chess.Board, dice: random.Random, plies: int) -> Iterator[int]:
    """Make up to ``plies`` random moves on ``board``, fewer if the game ends, and yield them."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        move = dice.choice(moves)
        yield encode_move(board, move)
        board.push(move)


def random_game(dice: random.Random, plies: int, longest_line: int = 0) -> Words:
    """Return a game of one to ``plies`` random moves from a random position.

    Its scores and its result are random; each ply has a PV of up to ``longest_line`` moves.
    """
    board = chess.Board.from_chess960_pos(dice.choice((518, dice.randrange(960))))
    for _ in random_moves(board, dice, dice.randrange(100)):
        pass
    if not any(board.legal_moves):
        board.pop()
    words, lines = start_words(board, board.ply()), list[int]()
    for move in random_moves(board, dice, plies):
        words += [move, dice.randrange(1 << 16)]
        length = dice.randint(0, longest_line)
        line = list(random_moves(board.copy(stack=False), dice, length))
        lines += [len(line), *line]
        words[0] += 1
    if longest_line:
        words += lines
    words[1] = dice.randrange(3) | (len(lines) << 2 if longest_line else 0)
    return np.array(words, np.uint16)
