"""A game of a player against a stand-in for the engine, in this process, without waiting."""

import random
from pathlib import Path

from helpers.timing import Clock
from uci.apps.play.game_controller import GameController
from uci.apps.play.opponent import Reply
from uci.apps.play.play_settings import PlaySettings
from uci.apps.play.played_game import PlayedGame
from uci.apps.play.repl import Repl
from uci.apps.play.saved_games import SavedGames
from uci.apps.play.time_control import TimeControl
from uci.protocol.scored_line import ScoredLine, parse_info

FOOLS_MATE = ("f3", "e7e5", "g4", "d8h4")
BLITZ = PlaySettings(control=TimeControl.parse("1+2"))


class StandIn:
    """An `Opponent` that records its requests and answers when the test makes it."""

    def __init__(self) -> None:
        self.ready = True
        self.said: list[str] = []
        self.asked: list[tuple[str, str, str]] = []
        """For each request: the position's moves, the words of `go`, and the move pondered on."""
        self.positions: list[str] = []
        """For each request: the FEN from which the moves begin."""
        self.tickets = 0

    def set_option(self, name: str, value: str) -> None:
        self.said.append(f"{name} = {value}")

    def new_game(self) -> None:
        self.said.append("new game")

    def ask(self, game: PlayedGame, go: str, more: str = "") -> int:
        self.asked.append((" ".join(game.moves), go, more))
        self.positions.append(game.start)
        self.tickets += 1
        return self.tickets

    def look(self, game: PlayedGame, go: str) -> int:
        return self.ask(game, f"look {go}")

    def stop(self) -> None:
        self.said.append("stop")

    def ponderhit(self) -> None:
        self.said.append("ponderhit")

    def thought(self) -> ScoredLine | None:
        return None


class PlayTable:
    """A repl with the stand-in; it is also its own `View`."""

    def __init__(self, folder: Path | None, settings: PlaySettings | None = None) -> None:
        self.heard: list[str] = []
        self.pgn = ""
        self.clock = Clock()
        self.engine = StandIn()
        self.files = SavedGames(folder, self.say)
        self.controller = GameController(
            settings or PlaySettings(), self.engine, self, self.files,  # type: ignore[arg-type]
            self.clock, random.Random(1),
        )  # fmt: skip
        self.repl = Repl(self.controller, self, self.files)
        self.repl.begin()

    def say(self, text: str) -> None:
        self.heard.append(text)

    def ask(self, text: str) -> None:
        self.heard.append(text)

    def show_move(self, text: str) -> None:
        self.heard.append(text)

    def show_result(self, pgn: str) -> None:
        self.pgn = pgn

    def enter(self, *lines: str) -> str:
        """Type lines; return the output after the last one."""
        for line in lines:
            before = len(self.heard)
            self.repl.enter(line)
        return "\n".join(self.heard[before:])

    def answer(self, move: str, info: str = "", *messages: str, ticket: int | None = None) -> str:
        """Make the engine answer its last request with a move in UCI; return the output."""
        before = len(self.heard)
        line = parse_info(info or f"info depth 9 score cp 20 wdl 300 600 100 pv {move}")
        number = self.engine.tickets if ticket is None else ticket
        self.repl.handle_event(Reply(number, move, line, messages))
        return "\n".join(self.heard[before:])

    def play(self, *moves: str) -> None:
        """Make moves in turn: the player's as typed, the engine's in UCI."""
        for move in moves:
            if self.controller.turn_of_person:
                self.enter(move)
            else:
                self.answer(move)

    def leave(self) -> bool:
        """Quit; return whether the game is kept."""
        kept = self.repl.close()
        self.files.close()
        return kept
