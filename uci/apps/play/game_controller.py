"""A person and the engine at one board: whose turn it is, what is being thought about, the end."""

import random
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import chess

from uci.apps.play.draw_offer import AGAIN_AFTER, accepts
from uci.apps.play.explanations import Thought, evaluation_text, hint_text, progress_text
from uci.apps.play.formatting import centipawns
from uci.apps.play.game_files import GameFiles
from uci.apps.play.opponent import EngineNotice, Opponent, Reply
from uci.apps.play.play_level import Level
from uci.apps.play.play_settings import THINK, PlaySettings, color_of
from uci.apps.play.played_game import DRAWN, PlayedGame
from uci.apps.play.played_pgn import last_game, pgn_text
from uci.apps.play.saved_games import KeptGame
from uci.apps.play.time_control import ChessClock
from uci.apps.play.view import Face
from uci.errors import UciError

MOVE, HINT, EVAL, DRAW, PONDER = "move", "hint", "eval", "draw", "ponder"
"""What the engine may be asked for."""

LOOK = "movetime 1000"
"""The search behind advice."""


class _Asked(NamedTuple):
    """What the engine is being asked, at which level, and the move on which it ponders."""

    purpose: str
    ticket: int
    level: Level
    expected: str = ""


class Sitting:
    """One person, one engine, one game after the other. All methods are called in one thread."""

    def __init__(
        self,
        settings: PlaySettings,
        opponent: Opponent,
        face: Face,
        files: GameFiles,
        now: Callable[[], float],
        rng: random.Random,
    ) -> None:
        """``now`` is the clock, in seconds."""
        self.settings = settings
        self.game = PlayedGame()
        self.color = chess.WHITE
        self.level = settings.level
        self.clock: ChessClock | None = None
        self.flipped = False
        self.paused = False
        """Whether the engine and the clock wait for something else."""
        self.file = ""
        """Where the game is, once it is over."""
        self._opponent, self._face, self._files = opponent, face, files
        self._now, self._rng = now, rng
        self._began = datetime.now()
        self._asked: _Asked | None = None
        self._thought: Thought | None = None
        self._offered: int | None = None
        for name, value in settings.options.items():
            opponent.set_option(name, value)

    @property
    def thinking(self) -> bool:
        """Whether the person waits for the engine."""
        return self._asked is not None and self._asked.purpose != PONDER

    @property
    def turn_of_person(self) -> bool:
        """Whether a move of the person is due."""
        return not (self.paused or self.game.end()) and self.game.board.turn == self.color

    # How a game begins.

    def begin(self, side: str) -> None:
        """Begin a game as the settings say, the person with ``side``. Raises `UciError`."""
        self._set_up(self.settings.game(self._rng), color_of(side, self._rng), self.level)
        control = self.settings.control
        self.clock = ChessClock(control, self._now) if control else None
        self._greet("")
        self._face.moved("")
        self._next()

    def show(self, kept: KeptGame) -> None:
        """Show a game that was kept, without going on."""
        self._set_up(kept.game(), kept.color, Level.parse(*kept.level))
        if kept.began:
            self._began = datetime.fromisoformat(kept.began)
        self.paused = True
        self.clock = kept.clock(self._now)

    def go_on(self) -> None:
        """Go on with the game that is shown."""
        self.paused = False
        self._greet("We go on. ")
        self._next()

    def load(self, path: str) -> None:
        """Go on with the last game of a file, the person with the side to move.

        Raises `UciError`.
        """
        game, players = last_game(path)
        self.leave_unfinished()
        self._set_up(game, game.board.turn, self.level)
        self.clock = None
        made = len(game.moves)
        self._greet(f"{players}, {made} move{'s' * (made != 1)} of both sides. ")
        self._face.moved("")
        if end := game.end():
            self._face.say(f"The game is over: {end}. Moves can be taken back.")
        else:
            self._next()

    def _set_up(self, game: PlayedGame, color: chess.Color, level: Level) -> None:
        self._drop()
        self.game, self.color, self.flipped = game, color, not color
        self.paused, self.file = False, ""
        self._thought, self._offered = None, None
        self._began = datetime.now()
        self._opponent.new_game()
        self.set_level(level)

    def _greet(self, before: str) -> None:
        side = chess.COLOR_NAMES[self.color]
        time = f", {self.clock.control} on the clock" if self.clock else ""
        if not self.clock and self.settings.think != THINK:
            time = f", {self.settings.think / 1000:g} s a move"
        self._face.say(
            f"{before}You have {side}, I play at {self.level}{time}. Type help for more."
        )

    def set_level(self, level: Level) -> None:
        """Play at a level from the next move on."""
        self.level = level
        if self._asked is not None and self._asked.purpose == PONDER:
            self._drop()  # it thinks at the level before
        for name, value in level.options():
            self._opponent.set_option(name, value)

    # How it goes on.

    def _next(self) -> None:
        """Go on from the position on the board."""
        self.keep()
        if self.game.end():
            self._finish()
            return
        self._run_clock()
        if self.game.board.turn != self.color:
            self._asked = _Asked(MOVE, self._opponent.ask(self.game, self._go()), self.level)

    def move(self, move: chess.Move) -> None:
        """Make the person's move."""
        asked = self._asked
        if asked is None or asked.expected != move.uci():
            self._drop()
            asked = None
        self._push(move, self.settings.name)
        if asked is None or self.game.end():
            self._next()
            return
        self.keep()
        self._run_clock()
        self._asked = _Asked(MOVE, asked.ticket, asked.level)
        self._opponent.ponderhit()

    def move_now(self) -> bool:
        """Have the engine answer at once; return False where nothing is asked of it."""
        if self.thinking:
            self._opponent.stop()
        return self.thinking

    def hear(self, event: Reply | EngineNotice) -> None:
        """Take what the engine has posted; answers that nobody wants any more are dropped."""
        if isinstance(event, EngineNotice):
            self._face.say(f"Engine: {event.text}")
            return
        asked = self._asked
        if asked is None or asked.ticket != event.ticket or asked.purpose == PONDER:
            return
        self._asked = None
        if asked.purpose == MOVE:
            self._engine_moves(event, asked.level)
            return
        if asked.purpose == DRAW:
            self._answer_draw(event)
        else:
            text = hint_text if asked.purpose == HINT else evaluation_text
            self._face.say(text(self.game.board, event))
        if self.level.is_limited:  # what advice has learned is not for weak play
            self._opponent.new_game()

    def _engine_moves(self, reply: Reply, level: Level) -> None:
        before = self.game.board.copy()
        san = self._push(before.parse_uci(reply.move), "Pythagoras")
        self._thought = Thought(before, san, reply, level)
        self._next()
        pv = reply.line.pv if reply.line else ()
        if self.settings.ponder and self.turn_of_person and len(pv) > 1:
            expected = self.game.board.parse_uci(pv[1]).uci()
            ticket = self._opponent.ask(self.game, f"ponder {self._go()}", expected)
            self._asked = _Asked(PONDER, ticket, self.level, expected)

    def _push(self, move: chess.Move, who: str) -> str:
        board = self.game.board
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        left = None
        if self.clock is not None:
            self.clock.press(board.turn)
            left = self.clock.left(board.turn)
        san = self.game.push(move, left)
        self._face.moved(f"{who}: {number} {san}")
        return san

    def undo(self) -> None:
        """Take back the person's last move, and the engine's answer; or how it was called off.

        Raises `UciError`.
        """
        if self.clock is not None and not all(self.clock.times().values()):
            raise UciError("the time that is up cannot be given back")
        plies = 2 if self.game.board.turn == self.color else 1
        if self.game.called_off:
            plies = 0
        if len(self.game.board.move_stack) < plies:
            raise UciError("there is nothing to take back")
        self._drop()
        called_off = self.game.called_off
        taken = called_off.reason if called_off else self.game.numbered_moves(plies)
        self.game.undo(plies)
        self._thought, self.file = None, ""
        if self.clock is not None:
            self.clock.take_back(plies)
        self._face.say(f"Taken back: {taken}.")
        self._face.moved("")
        self._next()

    def _drop(self) -> None:
        """Forget what the engine is being asked."""
        if self._asked is not None:
            if self._asked.purpose == DRAW:
                self._offered = None
            self._asked = None
            self._opponent.stop()

    # The clock.

    def tick(self) -> None:
        """Look at the clock: start it when the engine is loaded, and see whose flag has fallen."""
        if self.clock is None or self.paused or self.game.end():
            return
        self._run_clock()
        side = self.clock.fallen()
        if side is not None:
            self.game.fall(side)
            self._finish()

    def seconds_to_flag(self) -> float | None:
        """Return when `tick` is due at the latest, if at all."""
        if self.clock is None or self.clock.side is None:
            return None
        return self.clock.left(self.clock.side)

    def _run_clock(self) -> None:
        """Let the clock run: once both sides have moved, and the engine is loaded."""
        made = len(self.game.board.move_stack)
        if self.clock and self.clock.side is None and made > 1 and self._opponent.ready:
            self.clock.run(self.game.board.turn)

    def _go(self) -> str:
        """Return the words of UCI's ``go`` for a move."""
        if self.clock is None:
            return f"movetime {self.settings.think}"
        white, black = (max(1, int(self.clock.left(side) * 1000)) for side in (True, False))
        more = int(self.clock.control.increment * 1000)
        return f"wtime {white} btime {black} winc {more} binc {more}"

    # What the engine can be asked.

    def ask(self, purpose: str) -> None:
        """Look at the position for a `HINT` or for `EVAL`."""
        self._asked = _Asked(purpose, self._opponent.look(self.game, LOOK), self.level)

    def offer_draw(self) -> None:
        """Have the engine think about a draw. Raises `UciError` where it has answered lately."""
        number = self.game.board.fullmove_number
        if self._offered is not None and number < self._offered + AGAIN_AFTER:
            raise UciError(f"I have answered that; ask again on move {self._offered + AGAIN_AFTER}")
        self._offered = number
        self.ask(DRAW)

    def _answer_draw(self, reply: Reply) -> None:
        score = -centipawns(reply.line) if reply.line else 0
        if accepts(self.game.board, score):
            self.game.agree()
            self._finish()
        else:
            self._face.say("No, thank you: I want to play on.")

    def reason(self) -> str:
        """Return why the engine made its last move. Raises `UciError` where it has made none."""
        if self._thought is None:
            raise UciError("I have not moved yet")
        return self._thought.reason()

    def thought(self) -> str:
        """Return what the engine is doing now, in a line."""
        if self._asked is None or not self.thinking:
            return ""
        what = {MOVE: "thinking", HINT: "looking for a good move"}.get(
            self._asked.purpose, "looking at the position"
        )
        if not self._opponent.ready:
            return f"{what}, once the engine is loaded …"
        # Its plans for a move are for those who ask why.
        return progress_text(
            what, self.game.board, self._opponent.thought(), plans=self._asked.purpose != MOVE
        )

    # How it ends.

    def resign(self) -> None:
        """Give up, for the person."""
        self.game.resign(self.color)
        self._finish()

    def _finish(self) -> None:
        end = self.game.end()
        assert end is not None
        self._drop()
        if self.clock is not None:
            self.clock.stop()
        self._files.keep(None)
        won = (end.result == "1-0") == (self.color == chess.WHITE)
        how = "A draw" if end.result == DRAWN else "You won" if won else "I won"
        self._face.say(f"{how}: {end}.")
        pgn = self.pgn()
        self._face.finished(pgn)
        self.file = self._files.add(pgn) if self.game.moves else ""

    def pgn(self) -> str:
        """Return the game in PGN."""
        control = self.clock.control.in_pgn if self.clock else ""
        return pgn_text(
            self.game, self.settings.name, self.color, str(self.level), control, self._began
        )

    def keep(self) -> bool:
        """Keep the game as it stands, if it has begun; return whether it is kept."""
        if self.game.end():
            return self._files.keep(None)
        now = KeptGame.of(self.game, self.color, self.level, self.clock, self._began)
        return self._files.keep(now)

    def leave_unfinished(self) -> None:
        """Put a game that has begun and is not over to the finished ones."""
        if self.game.board.move_stack and not self.game.end():
            where = self._files.add(self.pgn())
            if where:
                self._face.say(f"The unfinished game is in {where}.")
