"""A game between a person and the engine: its moves, and how it ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from uci.apps.engines.pv_checks import game_over_reason
from uci.apps.games.passing import after_pass
from uci.chess_io.convert import board_of, parse_move

WON = {chess.WHITE: "1-0", chess.BLACK: "0-1"}
DRAWN = "1/2-1/2"
OPEN = "*"


@dataclass(frozen=True, slots=True)
class GameEnd:
    """A result in PGN notation, and the reason: for display, and for PGN."""

    result: str
    reason: str
    termination: str = "normal"

    def __str__(self) -> str:
        return f"{self.result}, {self.reason}"


class PlayedGame:
    """A game from ``fen``, or from the standard start; with ``chess960``, of Chess960."""

    def __init__(
        self, fen: str | None = None, moves: Sequence[str] = (), chess960: bool = False
    ) -> None:
        """Make ``moves``, in UCI notation. Raises `UciError` for an illegal position or move."""
        self.board = board_of(fen)
        self.start = self.board.fen()
        self.chess960 = chess960 or self.board.has_chess960_castling_rights()
        self.sans: list[str] = []
        """All moves in SAN."""
        self.left: list[float | None] = []
        """Seconds left to the mover after each move, None without a clock."""
        self.early_end: GameEnd | None = None
        """An end that the board does not show: on time, by resignation or agreement."""
        for text in moves:
            self.push(parse_move(self.board, text))

    @property
    def moves(self) -> list[str]:
        """All moves in UCI notation, with castling as king takes rook."""
        return [move.uci() for move in self.board.move_stack]

    def numbered_moves(self, plies: int) -> str:
        """Return the last moves in SAN with their numbers, as ``2. d4 exd4``."""
        board = self.board.copy()
        moves = [board.pop() for _ in range(plies)]
        return board.variation_san(reversed(moves))

    def push(self, move: chess.Move, left: float | None = None) -> str:
        """Make a legal move, after which its side has ``left`` seconds; return it in SAN."""
        self.sans.append(self.board.san_and_push(move))
        self.left.append(left)
        return self.sans[-1]

    def undo(self, plies: int) -> None:
        """Take back the last moves; a finished game continues."""
        for _ in range(plies):
            self.board.pop()
            self.sans.pop()
            self.left.pop()
        self.early_end = None

    def end(self) -> GameEnd | None:
        """Return how the game has ended; None while it continues.

        Threefold repetition and the fifty-move rule end it without a claim, as in our searches.
        """
        if self.early_end is not None:
            return self.early_end
        if reason := game_over_reason(self.board):
            winner = not self.board.turn
            return GameEnd(WON[winner] if self.board.is_checkmate() else DRAWN, reason)
        if self.board.is_insufficient_material():
            return GameEnd(DRAWN, "neither side can mate")
        return None

    def after_pass(self) -> "PlayedGame":
        """Return a game that begins when the side to move has passed.

        Raises `UciError` if there can be no threat: see `after_pass`.
        """
        return PlayedGame(after_pass(self.board).fen(), chess960=self.chess960)

    def resign(self, side: chess.Color) -> None:
        """End the game: ``side`` resigns."""
        self.early_end = GameEnd(WON[not side], f"{chess.COLOR_NAMES[side]} resigned")

    def agree_draw(self) -> None:
        """End the game as a draw."""
        self.early_end = GameEnd(DRAWN, "draw agreed")

    def forfeit_on_time(self, side: chess.Color) -> None:
        """End the game: ``side`` has run out of time."""
        result, reason = WON[not side], f"{chess.COLOR_NAMES[side]}'s time is up"
        if self.board.has_insufficient_material(not side):
            result, reason = DRAWN, f"{reason}, but the other side cannot mate"
        self.early_end = GameEnd(result, reason, "time forfeit")
