"""Where the games of a person stay: the one that is not finished, and each that is over."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from uci.apps.play.saved_games import GamePlace, KeptGame


class GameFiles:
    """The folder of a person's games. What cannot be written is said by ``say``."""

    def __init__(self, folder: Path | None, say: Callable[[str], None]) -> None:
        """Without a ``folder`` nothing is kept."""
        self._folder, self._say = folder, say
        self._place: GamePlace | None = None
        self._refused = False
        if folder is None:
            say("There is no home directory: games are not kept.")
            return
        try:
            self._place = GamePlace(folder)
        except OSError as error:
            self._refuse(error)

    def unfinished(self) -> KeptGame | None:
        """Return the game that is kept, if there is one; a damaged one is put aside."""
        if self._place is None:
            return None
        try:
            return self._place.read()
        except ValueError as error:
            self._say(str(error))
            return None

    def keep(self, game: KeptGame | None) -> bool:
        """Keep a game that is not finished, or none; return whether one is kept."""
        if self._place is None:
            return False
        if game is None or not game.moves:
            self._place.clear()
            return False
        try:
            self._place.keep(game)
        except OSError as error:
            self._refuse(error)
            return False
        self._refused = False
        return True

    def add(self, pgn: str) -> str:
        """Write a game to a file of its own; return its path, or nothing."""
        if self._folder is None:
            return ""
        folder = self._folder / "games"
        stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path, number = folder / f"{stamp}.pgn", 1
            while path.exists():
                path, number = folder / f"{stamp}-{number}.pgn", number + 1
            with path.open("x", encoding="utf-8") as file:
                file.write(pgn)
        except OSError as error:
            self._refuse(error)
            return ""
        return str(path)

    def close(self) -> None:
        """Give the place up."""
        if self._place is not None:
            self._place.close()

    def _refuse(self, error: OSError) -> None:
        """Say so, once; the next move is another try."""
        if not self._refused:
            self._say(f"Games cannot be kept in {self._folder}: {error.strerror or error}.")
        self._refused = True
