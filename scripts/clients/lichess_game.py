"""One game of lichess-bot, in a copy of its repository and in an environment with its dependencies.

Usage: python lichess_game.py ENGINE OPPONENT FOLDER, with the copy as the working directory. The
engine has Black. The log, the game and a summary are written to FOLDER. ``lib`` and ``test_bot``
are lichess-bot's: the bot, and the stand-in for Lichess.
"""

import datetime
import json
import logging
import sys
import threading
import time
from multiprocessing import Manager
from pathlib import Path
from typing import Any

import chess.engine
import chess.pgn
import yaml
from lib import config, lichess_bot
from test_bot.lichess import Lichess

BASE, INCREMENT = 60.0, 1.0
OPPONENT = chess.engine.Limit(time=0.05)


class Lobby:
    """The server side of the stand-in: it plays White, and keeps both clocks in seconds."""

    def __init__(self, opponent: str) -> None:
        manager = Manager()
        self.moves, self.boards, self.clocks = manager.Queue(), manager.Queue(), manager.Queue()
        self.board = chess.Board()
        self.left = {chess.WHITE: BASE, chess.BLACK: BASE}
        self._opponent = chess.engine.SimpleEngine.popen_uci(opponent)
        weakest = self._opponent.options["UCI_Elo"].min
        self._opponent.configure({"UCI_LimitStrength": True, "UCI_Elo": weakest})
        self.name = f"{self._opponent.id['name']} at UCI_Elo {weakest}"

    def _show(self) -> None:
        """Send the position and the clocks to the bot."""
        white, black, increment = (
            datetime.timedelta(seconds=seconds)
            for seconds in (self.left[chess.WHITE], self.left[chess.BLACK], INCREMENT)
        )
        self.boards.put(self.board)
        self.clocks.put((white, black, increment))

    def _answer(self) -> chess.Move:
        """Return the bot's move; the bot asks for the position again after a lost connection."""
        while not isinstance(move := self.moves.get(), chess.Move):
            self._show()
        return move

    def play(self) -> None:
        """Play until the game is over on the board, or a clock has run out."""
        with self._opponent:
            while not self.board.is_game_over() and min(self.left.values()) >= 0:
                turn, start = self.board.turn, time.monotonic()
                if turn == chess.WHITE:
                    move = self._opponent.play(self.board, OPPONENT).move
                    assert move
                else:
                    move = self._answer()
                self.left[turn] += INCREMENT - (time.monotonic() - start)
                self.board.push(move)
                if turn == chess.WHITE:
                    self._show()
            # If the bot's own move ended the game, it must still be told.
            if self.board.turn == chess.WHITE:
                self._show()


def configured(engine: Path) -> Any:
    """Return lichess-bot's default configuration, with only the engine's path filled in."""
    with open("config.yml.default", encoding="utf-8") as file:  # noqa: PTH123
        settings = yaml.safe_load(file)
    settings["token"] = ""
    settings["engine"]["dir"], settings["engine"]["name"] = str(engine.parent), engine.name
    config.insert_default_values(settings)
    return config.Configuration(settings)


def main(engine: str, opponent: str, folder: str) -> None:
    """Play the game."""
    log = str(Path(folder) / "lichess-bot.log")
    lichess_bot.logging_configurer(logging.DEBUG, log, True)
    lichess_bot.disable_restart()
    lobby = Lobby(opponent)
    lichess = Lichess(lobby.moves, lobby.boards, lobby.clocks)
    thread = threading.Thread(target=lobby.play)
    thread.start()
    lichess_bot.start(
        lichess, lichess.get_profile(), configured(Path(engine)), logging.DEBUG, log, True,
        one_game=True,
    )  # fmt: skip
    thread.join()
    game = chess.pgn.Game.from_board(lobby.board)
    game.headers["White"], game.headers["Black"] = lobby.name, "lichess-bot"
    (Path(folder) / "game.pgn").write_text(f"{game}\n", encoding="utf-8")
    summary = {
        "version": lichess_bot.__version__,
        "opponent": lobby.name,
        "result": lobby.board.result(),
        "left": lobby.left[chess.BLACK],
    }
    (Path(folder) / "game.json").write_text(json.dumps(summary), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
