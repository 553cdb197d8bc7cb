"""Conversions between python-chess and the engine: positions, moves and lines of analysis.

Internally castling is always king takes own rook, in standard chess too, so every board is a
python-chess board in Chess960 mode. Only the text form differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.board.types import CAPTURE, CASTLE, DOUBLE_PUSH, EMPTY, EN_PASSANT, PROMOTION, QUIET
from engine.search.score import MATE
from uci.chess_io.fen import read_fen
from uci.errors import UciError, shorten
from uci.protocol.commands import SetPosition
from uci.protocol.messages import Info

if TYPE_CHECKING:
    from engine.board.annotations import Position
    from engine.search.results import Iteration

MAX_PAST_PLIES = 600
"""Maximum plies on a record; then it is set up again from the last irreversible move."""


@dataclass(frozen=True, slots=True)
class Game:
    """A position with its history. Immutable, its board too, so threads may share it.

    ``chess960`` is whether its FEN was read with Chess960's castling rights. ``notes`` are those of
    `read_fen`, empty if the FEN was read before.
    """

    fen: str | None
    moves: tuple[str, ...]
    board: chess.Board
    chess960: bool = True
    notes: str = ""

    @property
    def start(self) -> tuple[str | None, bool]:
        """The FEN and the Chess960 flag with which the game began."""
        return self.fen, self.chess960

    def after(self, position: SetPosition, chess960: bool = True) -> "Game":
        """Return the game that a ``position`` command describes; ``chess960`` as in `read_fen`.

        If the command only adds moves to this game, only those are made. Raises `UciError` for an
        illegal FEN or move.
        """
        known, notes = len(self.moves), ""
        if (position.fen, chess960) == self.start and position.moves[:known] == self.moves:
            board = self.board.copy()
        elif position.fen is None:
            known, board = 0, board_of(None)
        else:
            known, (board, notes) = 0, read_fen(position.fen, chess960)
        for text in position.moves[known:]:
            board.push(parse_move(board, text))
        return Game(position.fen, position.moves, board, chess960, notes)

    def final_score(self) -> int | None:
        """Return the score of checkmate or stalemate, ``None`` while there are legal moves."""
        if any(self.board.generate_legal_moves()):
            return None
        return -MATE if self.board.is_check() else 0

    def is_drawn_by(self, move: str) -> bool:
        """Return whether a legal move in UCI notation ends the game in a draw."""
        board = self.board.copy()
        board.push(parse_move(board, move))
        return is_drawn(board)


def new_game() -> Game:
    """Return the game before any ``position`` command: the starting position."""
    return Game(None, (), board_of(None))


def board_of(fen: str | None) -> chess.Board:
    """Return the board of a FEN, or the starting position if it is ``None``.

    See `read_fen`. Raises `UciError`.
    """
    return chess.Board(chess960=True) if fen is None else read_fen(fen)[0]


def is_drawn(board: chess.Board, fifty_move_rule: bool = True) -> bool:
    """Return whether the game is drawn by rule.

    That is by stalemate, threefold repetition, the fifty-move rule, or a dead position, in which no
    sequence of moves leads to mate. Checkmate on the hundredth ply is not a draw.
    """
    if not any(board.generate_legal_moves()):
        return not board.is_check()
    return (
        (fifty_move_rule and board.is_fifty_moves())
        or board.is_insufficient_material()
        or board.is_repetition(3)
    )


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move ``text``, with castling in either notation and promotion in either
    case.

    Raises `UciError` for any other text.
    """
    try:
        move = board.parse_uci(text[:4] + text[4:].lower())
    except ValueError:
        move = chess.Move.null()
    if not move:
        raise UciError(f"illegal move: {shorten(text)}")
    return move


def move_text(move: chess.Move, board: chess.Board, chess960: bool) -> str:
    """Return a move of ``board`` in UCI notation."""
    return move_to_uci(encode_move(board, move), chess960)


def encode_move(board: chess.Board, move: chess.Move) -> int:
    """Return a legal move of ``board`` as the engine's 16-bit move."""
    flag = QUIET
    if board.is_castling(move):
        flag = CASTLE
    elif board.is_en_passant(move):
        flag = EN_PASSANT
    elif board.is_capture(move):
        flag = CAPTURE
    elif board.piece_type_at(move.from_square) == chess.PAWN and (
        abs(move.to_square - move.from_square) == 16
    ):
        flag = DOUBLE_PUSH
    if move.promotion:
        flag |= PROMOTION | (move.promotion - chess.KNIGHT)
    return move.from_square | move.to_square << 6 | flag << 12


def decode_move(move: int) -> chess.Move:
    """Return an engine move as python-chess's, with castling as king takes rook."""
    flag = move >> 12
    promotion = chess.KNIGHT + (flag & 3) if flag & PROMOTION else None
    return chess.Move(move & 63, move >> 6 & 63, promotion)


def move_to_uci(move: int, chess960: bool) -> str:
    """Return an engine move in UCI notation.

    Outside Chess960, castling from e1 or e8 with a corner rook is written as the king's two
    steps; any other castling has no such notation and stays king takes rook.
    """
    origin, target, flag = move & 63, move >> 6 & 63, move >> 12
    if flag == CASTLE and not chess960 and origin & 7 == 4 and target & 7 in (0, 7):
        target = (origin & 56) + (6 if target > origin else 2)
    text = chess.SQUARE_NAMES[origin] + chess.SQUARE_NAMES[target]
    return text + "nbrq"[flag & 3] if flag & PROMOTION else text


def info_of(iteration: "Iteration", chess960: bool) -> Info:
    """Return an iteration as a line of analysis, with the engine's own time."""
    return Info(
        iteration.depth,
        iteration.seldepth,
        iteration.score,
        iteration.nodes,
        iteration.time,
        tuple(move_to_uci(move, chess960) for move in iteration.pv),
        iteration.bound,
        iteration.multipv,
        iteration.hashfull,
        iteration.tbhits,
    )


def castling_rooks(board: chess.Board) -> tuple[int, int, int, int]:
    """Return the squares of the rooks that may castle, or −1, in the order K, Q, k, q."""
    rooks = [-1, -1, -1, -1]
    for square in chess.scan_forward(board.clean_castling_rights()):
        colour = chess.WHITE if square < 8 else chess.BLACK
        king = board.king(colour)
        assert king is not None
        rooks[(0 if colour else 2) + (square < king)] = square
    return rooks[0], rooks[1], rooks[2], rooks[3]


def fill(record: "Position", board: chess.Board) -> None:
    """Set a position record to ``board``, without history."""
    from engine.board.position import set_position

    pieces = [EMPTY] * 64
    for square, piece in board.piece_map().items():
        pieces[square] = piece.piece_type - 1 + (0 if piece.color else 6)
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    set_position(
        record,
        pieces,
        0 if board.turn else 1,
        castling_rooks(board),
        -1 if en_passant is None else en_passant,
        board.halfmove_clock,
    )


class RootPosition:
    """A position record that is updated incrementally from game to game."""

    def __init__(self, record: "Position") -> None:
        self.record = record
        self._start: tuple[str | None, bool] | None = None
        self._moves: list[chess.Move] = []
        self._made = 0

    def show(self, game: Game) -> None:
        """Set the record to the position of ``game``, with the history needed for repetitions.

        If the game continues the previous one, only its new moves are made. It must not be called
        while a search uses the record.
        """
        stack = game.board.move_stack
        known = len(self._moves)
        new = stack[known:]
        follows = self._start == game.start and stack[:known] == self._moves
        board = game.board.copy()
        # If an error follows, the next call starts from scratch.
        self._start, self._moves = None, []
        if follows and self._made + len(new) <= MAX_PAST_PLIES:
            for _ in new:
                board.pop()
        else:
            new = self._restart(board)
        self._play(board, new)
        self._start, self._moves = game.start, list(stack)

    def _restart(self, board: chess.Board) -> list[chess.Move]:
        """Set the record to the last irreversible move's position; return the later moves."""
        since: list[chess.Move] = []
        while board.move_stack and board.halfmove_clock and len(since) < MAX_PAST_PLIES // 2:
            since.append(board.pop())
        fill(self.record, board)
        self._made = 0
        return since[::-1]

    def _play(self, board: chess.Board, moves: Sequence[chess.Move]) -> None:
        from engine.board.makemove import make

        for move in moves:
            make(self.record, encode_move(board, move))
            board.push(move)
        self._made += len(moves)
