"""The engine as an opponent: called in one thread, with replies from other threads."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import chess

from engine.search.limits import Limits
from uci.apps.games.phases import FEW_PIECES, VERY_FEW_PIECES
from uci.apps.play.played_game import PlayedGame
from uci.chess_io.convert import new_game
from uci.protocol.messages import BOOK_MOVE
from uci.protocol.scored_line import ScoredLine, parse_info
from uci.protocol.writer import Writer
from uci.session.backend import Backend, Notice
from uci.session.loader import Loader
from uci.session.session import Session

MESSAGE = b"info string "

OPENING_MOVES = 10
"""Before this move number it declines draws, unless its position is bad."""

AGAIN_AFTER = 5
"""Minimum number of moves between two draw offers that are considered."""

_WORST = {"opening": -150, "middlegame": -60, "endgame": 25}
"""The highest score, in Stockfish's centipawns for the engine, at which it accepts a draw.

It accepts in an equal endgame, but not in an equal middlegame.
"""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the question ``ticket``: a move in UCI notation, and the line that begins with
    it."""

    ticket: int
    move: str
    line: ScoredLine | None
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineNotice:
    """A message of the engine: that it is being compiled, or an error."""

    text: str


def _load_and_search(load: Callable[[Notice], Backend], notice: Notice) -> Backend:
    """Load the engine and do a short search: the first search of a process takes 0.2 s longer."""
    backend = load(notice)
    for _ in backend.begin(new_game(), Limits(depth=5), None):
        pass
    backend.searcher.clear()
    return backend


class Opponent:
    """Sends commands to a session in this process, and posts its replies.

    One thread calls all methods except `write` and `flush`, which the session's threads call.
    `_lock` protects `_waiting`, `_texts` and `_messages`.
    """

    def __init__(self, loader: Loader, post: Callable[[Reply | EngineNotice], None]) -> None:
        """Start loading the engine; ``post`` is called from any thread."""
        self._post = post
        self._lock = threading.Lock()
        self._waiting: deque[int] = deque()
        self._texts: dict[bytes, bytes] = {}
        self._messages: list[str] = []
        self._last_ticket = 0
        self._loader = loader
        loader.load = partial(_load_and_search, loader.load)
        loader.start()
        self._session = Session(Writer(self), loader, patient=True)
        self.set_option("UCI_Chess960", "true")
        self.set_option("UCI_ShowWDL", "true")

    @property
    def ready(self) -> bool:
        """Whether the engine is loaded."""
        return self._loader.done.is_set()

    def set_option(self, name: str, value: str) -> None:
        """Set a UCI option; errors are posted."""
        self._say(f"setoption name {name} value {value}")

    def new_game(self) -> None:
        """Clear hash and histories, and fault in the table as soon as the engine is loaded."""
        self._say("ucinewgame")
        self._say("isready")

    def ask(self, game: PlayedGame, go: str, more: str = "") -> int:
        """Search the position of a game, after ``more`` moves; ``go`` are parameters of UCI's
        ``go``.

        Return the ticket of the later `Reply`. A running search is stopped.
        """
        with self._lock:
            self._last_ticket += 1
            self._waiting.append(self._last_ticket)
        moves = " ".join([*game.moves, *([more] if more else [])])
        self._say(f"position fen {game.start} moves {moves}")
        self._say(f"go {go}")
        return self._last_ticket

    def look(self, game: PlayedGame, go: str) -> int:
        """Search as `ask` does, at full strength and without the book."""
        self.set_option("UCI_AnalyseMode", "true")
        try:
            return self.ask(game, go)
        finally:
            self.set_option("UCI_AnalyseMode", "false")

    def stop(self) -> None:
        """Make the running search answer now."""
        self._say("stop")

    def ponderhit(self) -> None:
        """Report that the pondered move was played."""
        self._say("ponderhit")

    def thought(self) -> ScoredLine | None:
        """Return the best line of the running search so far."""
        with self._lock:
            text = self._texts.get(b"1") if len(self._waiting) == 1 else None
        return parse_info(text.decode()) if text else None

    def close(self) -> None:
        """Stop all work."""
        self._session.interrupt()
        self._session.resources.open("SyzygyPath", "")

    def write(self, data: bytes) -> int:
        """Receive lines from the session's threads, each search's before those of the next."""
        for line in data.splitlines():
            if line.startswith(b"bestmove"):
                self._answer(line)
            elif line.startswith(MESSAGE):
                self._tell(line.removeprefix(MESSAGE).decode())
            elif b" score " in line and b"upperbound" not in line:
                number = line.partition(b" multipv ")[2].split(b" ", 1)[0]
                with self._lock:
                    self._texts[number] = line
        return len(data)

    def flush(self) -> None:
        """Do nothing: `write` handles all at once."""

    def _answer(self, line: bytes) -> None:
        with self._lock:
            text = self._texts.get(b"1")
            ticket, messages = self._waiting.popleft(), tuple(self._messages)
            self._texts.clear()
            self._messages.clear()
        move = line.split()[1].decode()
        self._post(Reply(ticket, move, parse_info(text.decode()) if text else None, messages))

    def _tell(self, text: str) -> None:
        if text == BOOK_MOVE:
            with self._lock:
                self._messages.append(text)
        else:
            self._post(EngineNotice(text))

    def _say(self, line: str) -> None:
        self._session.handle(f"{line}\n".encode())


def game_phase(board: chess.Board) -> str:
    """Return the key of `_WORST` for a position, by lichess's piece counts."""
    pieces = chess.popcount(board.occupied & ~(board.kings | board.pawns))
    if pieces <= VERY_FEW_PIECES:
        return "endgame"
    if board.fullmove_number <= OPENING_MOVES and pieces > FEW_PIECES:
        return "opening"
    return "middlegame"


def accepts_draw(board: chess.Board, score: int) -> bool:
    """Return whether it accepts a draw, with a ``score`` in centipawns from its side."""
    return score <= _WORST[game_phase(board)]
