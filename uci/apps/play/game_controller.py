"""Controls games between a person and the engine: turns, clock, searches, and the end."""

import random
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, Protocol

import chess

from uci.apps.play.explanations import (
    ExplainedMove,
    centipawns,
    evaluation_text,
    hint_text,
    progress_text,
    threat_text,
)
from uci.apps.play.opponent import AGAIN_AFTER, EngineNotice, Opponent, Reply, accepts_draw
from uci.apps.play.play_settings import THINK, Level, PlaySettings, color_of
from uci.apps.play.played_game import DRAWN, PlayedGame
from uci.apps.play.played_pgn import last_game, pgn_text
from uci.apps.play.saved_games import SavedGame, SavedGames
from uci.apps.play.time_control import ChessClock
from uci.errors import UciError, counted

MOVE, HINT, THREAT, EVAL, DRAW, PONDER = "move", "hint", "threat", "eval", "draw", "ponder"
"""Purposes of a search."""

LOOK = "movetime 1000"
"""The search for a hint, a threat, an evaluation or a draw offer."""

_TEXTS = {HINT: hint_text, THREAT: threat_text, EVAL: evaluation_text}
_PROGRESS = {MOVE: "thinking", HINT: "searching for a hint", THREAT: "searching for a threat"}


class _Question(NamedTuple):
    """The running search: purpose, level, board, and the move that it ponders on."""

    purpose: str
    ticket: int
    level: Level
    board: chess.Board
    expected: str = ""


class View(Protocol):
    """The user interface of a game."""

    def say(self, text: str) -> None:
        """Show some lines."""

    def ask(self, text: str) -> None:
        """Show a yes/no question, next to the input."""

    def show_move(self, text: str) -> None:
        """Show a move: who, its number and its SAN. The board has changed."""

    def show_result(self, pgn: str) -> None:
        """Show the PGN of a finished game."""


class GameController:
    """Games of one person against the engine. All methods are called in one thread."""

    def __init__(
        self,
        settings: PlaySettings,
        opponent: Opponent,
        view: View,
        files: SavedGames,
        now: Callable[[], float],
        rng: random.Random,
    ) -> None:
        """Control games; ``now`` returns the time in seconds."""
        self.settings = settings
        self.game = PlayedGame()
        self.color = chess.WHITE
        self.level = settings.level
        self.clock: ChessClock | None = None
        self.flipped = False
        self.paused = False
        """Whether a saved game waits to be resumed."""
        self.file = ""
        """The file of the game, once it is over."""
        self._opponent, self._view, self._files = opponent, view, files
        self._now, self._rng = now, rng
        self._began = datetime.now()
        self._question: _Question | None = None
        self._last_move: ExplainedMove | None = None
        self._offered: int | None = None
        for name, value in settings.options.items():
            opponent.set_option(name, value)

    @property
    def thinking(self) -> bool:
        """Whether the engine is searching and the person waits."""
        return self._question is not None and self._question.purpose != PONDER

    @property
    def turn_of_person(self) -> bool:
        """Whether it is the person's turn."""
        return not (self.paused or self.game.end()) and self.game.board.turn == self.color

    def begin(self, side: str) -> None:
        """Begin a game with the settings; the person plays ``side``. Raises `UciError`."""
        self._set_up(self.settings.game(self._rng), color_of(side, self._rng), self.level)
        control = self.settings.control
        self.clock = ChessClock(control, self._now) if control else None
        self._greet("")
        self._view.show_move("")
        self._next()

    def show_saved(self, saved: SavedGame) -> None:
        """Show a saved game, without resuming it."""
        self._set_up(saved.game(), saved.color, Level.parse(*saved.level))
        if saved.began:
            self._began = datetime.fromisoformat(saved.began)
        self.paused = True
        self.clock = saved.clock(self._now)

    def resume(self) -> None:
        """Resume the shown game."""
        self.paused = False
        self._greet("Game resumed. ")
        self._next()

    def load(self, path: str) -> None:
        """Resume the last game of a file; the person plays the side to move.

        Raises `UciError`.
        """
        game, players = last_game(path)
        self.archive_unfinished()
        self._set_up(game, game.board.turn, self.level)
        self.clock = None
        made = len(game.moves)
        self._greet(f"{players}, {counted(made, 'move')} of both sides. ")
        self._view.show_move("")
        if end := game.end():
            self._view.say(f"The game is over: {end}. You can take back moves.")
        else:
            self._next()

    def _set_up(self, game: PlayedGame, color: chess.Color, level: Level) -> None:
        self._cancel_search()
        self.game, self.color, self.flipped = game, color, not color
        self.paused, self.file = False, ""
        self._last_move, self._offered = None, None
        self._began = datetime.now()
        self._opponent.new_game()
        self.set_level(level)

    def _greet(self, before: str) -> None:
        side = chess.COLOR_NAMES[self.color]
        time = f", {self.clock.control} on the clock" if self.clock else ""
        if not self.clock and self.settings.think != THINK:
            time = f", {self.settings.think / 1000:g} s per move"
        self._view.say(
            f"{before}You have {side}, I play at {self.level}{time}. Type help for more."
        )

    def set_level(self, level: Level) -> None:
        """Play at a level from the next move on."""
        self.level = level
        if self._question is not None and self._question.purpose == PONDER:
            self._cancel_search()  # it uses the previous level
        for name, value in level.options():
            self._opponent.set_option(name, value)

    def _next(self) -> None:
        """Continue from the current position: save, run the clock, search."""
        self.save()
        if self.game.end():
            self._finish()
            return
        self._run_clock()
        if self.game.board.turn != self.color:
            ticket = self._opponent.ask(self.game, self._go())
            self._question = _Question(MOVE, ticket, self.level, self.game.board)

    def move(self, move: chess.Move) -> None:
        """Make the person's move."""
        question = self._question
        if question is None or question.expected != move.uci():
            self._cancel_search()
            question = None
        self._push(move, self.settings.name)
        if question is None or self.game.end():
            self._next()
            return
        self.save()
        self._run_clock()
        self._question = _Question(MOVE, question.ticket, question.level, self.game.board)
        self._opponent.ponderhit()

    def move_now(self) -> bool:
        """Stop the engine's search; return whether one was running."""
        if self.thinking:
            self._opponent.stop()
        return self.thinking

    def handle_event(self, event: Reply | EngineNotice) -> None:
        """Handle an event of the engine; replies to cancelled searches are dropped."""
        if isinstance(event, EngineNotice):
            self._view.say(f"Engine: {event.text}")
            return
        question = self._question
        if question is None or question.ticket != event.ticket or question.purpose == PONDER:
            return
        self._question = None
        if question.purpose == MOVE:
            self._engine_moves(event, question.level)
            return
        if question.purpose == DRAW:
            self._answer_draw(event)
        else:
            self._view.say(_TEXTS[question.purpose](question.board, event))
        if self.level.is_limited:  # weak play must not profit from the hash of full-strength hints
            self._opponent.new_game()

    def _engine_moves(self, reply: Reply, level: Level) -> None:
        before = self.game.board.copy()
        san = self._push(before.parse_uci(reply.move), "Pythagoras")
        self._last_move = ExplainedMove(before, san, reply, level)
        self._next()
        pv = reply.line.pv if reply.line else ()
        if self.settings.ponder and self.turn_of_person and len(pv) > 1:
            expected = self.game.board.parse_uci(pv[1]).uci()
            ticket = self._opponent.ask(self.game, f"ponder {self._go()}", expected)
            self._question = _Question(PONDER, ticket, self.level, self.game.board, expected)

    def _push(self, move: chess.Move, who: str) -> str:
        board = self.game.board
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        left = None
        if self.clock is not None:
            self.clock.press(board.turn)
            left = self.clock.left(board.turn)
        san = self.game.push(move, left)
        self._view.show_move(f"{who}: {number} {san}")
        return san

    def undo(self) -> None:
        """Take back the person's last move and the engine's answer, or the end by resignation or
        draw.

        Raises `UciError`.
        """
        if self.clock is not None and not all(self.clock.times().values()):
            raise UciError("moves cannot be taken back after a loss on time")
        plies = 2 if self.game.board.turn == self.color else 1
        if self.game.early_end:
            plies = 0
        if len(self.game.board.move_stack) < plies:
            raise UciError("there is no move to take back")
        self._cancel_search()
        early_end = self.game.early_end
        taken = early_end.reason if early_end else self.game.numbered_moves(plies)
        self.game.undo(plies)
        self._last_move, self.file = None, ""
        if self.clock is not None:
            self.clock.take_back(plies)
        self._view.say(f"Taken back: {taken}.")
        self._view.show_move("")
        self._next()

    def _cancel_search(self) -> None:
        """Stop the search and drop its reply."""
        if self._question is not None:
            if self._question.purpose == DRAW:
                self._offered = None
            self._question = None
            self._opponent.stop()

    def tick(self) -> None:
        """Start the clock when the engine is loaded, and end the game when a flag has fallen."""
        if self.clock is None or self.paused or self.game.end():
            return
        self._run_clock()
        side = self.clock.fallen()
        if side is not None:
            self.game.forfeit_on_time(side)
            self._finish()

    def seconds_to_flag(self) -> float | None:
        """Return the seconds until the running clock's flag falls, if one runs."""
        if self.clock is None or self.clock.side is None:
            return None
        return self.clock.left(self.clock.side)

    def _run_clock(self) -> None:
        """Start the clock, if both sides have moved and the engine is loaded."""
        made = len(self.game.board.move_stack)
        if self.clock and self.clock.side is None and made > 1 and self._opponent.ready:
            self.clock.run(self.game.board.turn)

    def _go(self) -> str:
        """Return the parameters of UCI's ``go`` for a move."""
        return self.clock.go_words() if self.clock else f"movetime {self.settings.think}"

    def ask(self, purpose: str) -> None:
        """Search the position for a `HINT`, a `THREAT` or an `EVAL`.

        Raises `UciError` if there can be no threat: see `PlayedGame.after_pass`.
        """
        game = self.game.after_pass() if purpose == THREAT else self.game
        self._question = _Question(purpose, self._opponent.look(game, LOOK), self.level, game.board)

    def offer_draw(self) -> None:
        """Offer a draw. Raises `UciError` if an offer was answered a few moves ago."""
        number = self.game.board.fullmove_number
        if self._offered is not None and number < self._offered + AGAIN_AFTER:
            raise UciError(
                f"I have declined a draw; you can offer again on move {self._offered + AGAIN_AFTER}"
            )
        self._offered = number
        self.ask(DRAW)

    def _answer_draw(self, reply: Reply) -> None:
        score = -centipawns(reply.line) if reply.line else 0
        if accepts_draw(self.game.board, score):
            self.game.agree_draw()
            self._finish()
        else:
            self._view.say("No, thank you: I want to play on.")

    def reason(self) -> str:
        """Explain the engine's last move. Raises `UciError` if there is none."""
        if self._last_move is None:
            raise UciError("I have not moved yet")
        return self._last_move.reason()

    def thought(self) -> str:
        """Return a line on the running search, or an empty text."""
        if self._question is None or not self.thinking:
            return ""
        what = _PROGRESS.get(self._question.purpose, "evaluating the position")
        if not self._opponent.ready:
            return f"{what}, waiting for the engine to load …"
        # The PV of the engine's own move is shown only on request.
        return progress_text(
            what,
            self._question.board,
            self._opponent.thought(),
            plans=self._question.purpose != MOVE,
        )

    def resign(self) -> None:
        """Resign, for the person."""
        self.game.resign(self.color)
        self._finish()

    def _finish(self) -> None:
        end = self.game.end()
        assert end is not None
        self._cancel_search()
        if self.clock is not None:
            self.clock.stop()
        self._files.save_unfinished(None)
        won = (end.result == "1-0") == (self.color == chess.WHITE)
        how = "A draw" if end.result == DRAWN else "You won" if won else "I won"
        self._view.say(f"{how}: {end}.")
        pgn = self.pgn()
        self._view.show_result(pgn)
        self.file = self._files.add_finished(pgn) if self.game.moves else ""

    def pgn(self) -> str:
        """Return the game in PGN."""
        control = self.clock.control.in_pgn if self.clock else ""
        return pgn_text(
            self.game, self.settings.name, self.color, str(self.level), control, self._began
        )

    def save(self) -> bool:
        """Save the game, if it has begun and is not over; return whether it is saved."""
        if self.game.end():
            return self._files.save_unfinished(None)
        now = SavedGame.of(self.game, self.color, self.level, self.clock, self._began)
        return self._files.save_unfinished(now)

    def archive_unfinished(self) -> None:
        """Write an unfinished game to the folder of finished games."""
        if self.game.board.move_stack and not self.game.end():
            where = self._files.add_finished(self.pgn())
            if where:
                self._view.say(f"The unfinished game is in {where}.")
