"""A UCI session in this process, with a puppet in place of the engine."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import chess

from engine.search.limits import Limits
from engine.search.results import Iteration, Progress
from engine.search.table_setting import TableSetting
from helpers.line_checks import check_analysis
from helpers.timing import FOREVER, PATIENCE
from uci.chess_io.convert import Game, encode_move
from uci.protocol.scored_line import ScoredLine
from uci.protocol.writer import Writer
from uci.session.backend import Backend, Notice
from uci.session.loader import Loader
from uci.session.session import Session

FOOLS_MATE = ("f2f3", "e7e5", "g2g4")
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"

ENDLESS = 60_000
"""More depths than any test waits for."""


class Puppet:
    """An engine that takes 1 ms a depth and a minute in all, and records its requests."""

    def __init__(self) -> None:
        self.now: Callable[[], float] = time.perf_counter
        self.stopped = threading.Event()
        self.searching = False
        self.sizes: list[int] = []
        self.cleared = self.touched = 0
        self.threads = 1
        self.networks: list[str] = []
        self.hash_files: list[str] = []
        self.games: list[Game] = []
        self.asked: list[tuple[Limits, int | None]] = []
        self.multipv: list[int] = []
        self.root_moves: list[Sequence[int] | None] = []
        self.tables: list[TableSetting | None] = []
        self.contempts: list[int] = []
        self.spent: list[int] = []
        self.soft: int | None = None
        self.total = self.elapsed = 0
        self.proved = False
        self.depth_time = 0.001
        self.stop_time = 0.0
        self.bounds: tuple[str, ...] = ()
        self.progress = False
        self.mute = False
        self.broken = False

    def begin(
        self,
        game: Game,
        limits: Limits,
        soft: int | None,
        multipv: int = 1,
        root_moves: Sequence[int] | None = None,
    ) -> Iterator[Iteration | Progress]:
        self.stopped.clear()
        self.games.append(game)
        self.asked.append((limits, soft))
        self.multipv.append(multipv)
        self.root_moves.append(root_moves)
        self.soft = soft
        self.total = self.elapsed = 0
        self.proved = False
        board = game.board
        moves = root_moves or sorted(encode_move(board, move) for move in board.legal_moves)
        return self._iterate(limits, moves, min(multipv, len(moves)))

    def _iterate(
        self, limits: Limits, moves: Sequence[int], lines: int
    ) -> Iterator[Iteration | Progress]:
        assert not self.searching, "two searches at once"
        self.searching = True
        try:
            start = self.now()
            for depth in range(1, (limits.depth or ENDLESS) + 1):
                if self.broken:
                    raise RuntimeError("the puppet is broken")
                if self.stopped.wait(self.depth_time) or self.mute:
                    self.stopped.wait(FOREVER if self.mute else 0)
                    time.sleep(self.stop_time)
                    return
                self.elapsed = elapsed = int((self.now() - start) * 1000)
                self.total = depth * 10
                enough = limits.nodes is None or self.total < limits.nodes
                self.proved = limits.mate is not None and enough and depth >= 2 * limits.mate - 1
                for number in range(1, lines + 1):
                    move = moves[(depth + number) % len(moves)]
                    result = Iteration(
                        depth, depth, depth, "exact", self.total, elapsed, 1, (move,), number
                    )
                    yield result
                for bound in self.bounds:
                    raised = moves[depth % len(moves)]
                    pv = (raised,) if bound == "lower" else ()
                    yield replace(result, bound=bound, pv=pv)
                if self.progress:
                    yield Progress(depth, move, 1)
                if self.soft is not None and elapsed >= self.soft:
                    return
        finally:
            self.searching = False

    def use_tables(self, tables: TableSetting | None) -> None:
        self.tables.append(tables)

    def use_contempt(self, contempt: int, game: Game) -> None:
        self.contempts.append(contempt)

    def set_soft_limit(self, soft: int) -> None:
        self.soft = soft
        self.spent.append(soft)
        if self.elapsed >= soft:
            self.stop()

    @property
    def searcher(self) -> "Puppet":
        """The searcher, for which it stands, too."""
        return self

    @property
    def nodes(self) -> int:
        return self.total

    @property
    def ruled_out(self) -> bool:
        return self.proved

    def stop(self) -> None:
        self.stopped.set()

    def resize(self, megabytes: int) -> int:
        assert not self.searching
        if megabytes > 100_000:
            return self.sizes[-1]
        self.sizes.append(megabytes)
        return megabytes

    def prefault(self) -> None:
        assert not self.searching
        self.touched += 1

    def clear(self) -> None:
        assert not self.searching
        self.cleared += 1

    def use_network(self, path: str) -> None:
        assert not self.searching
        if path.startswith("bad"):
            raise ValueError("not a Pythagoras network")
        self.networks.append(path)

    def load_hash(self, path: str) -> tuple[Path, int | None]:
        assert not self.searching
        if path.startswith("bad"):
            raise ValueError("bad checksum: the file is damaged")
        self.hash_files.append(f"load {path}")
        return Path(path), None if path.startswith("new") else 1234

    def save_hash(self, path: Path) -> int:
        assert not self.searching
        if path.name == "full":
            raise OSError(28, "No space left on device")
        self.hash_files.append(f"save {path}")
        return 1234

    def key(self, board: chess.Board) -> int:
        return 0xABC

    def evaluate(self, board: chess.Board) -> int:
        return 17

    def correction(self, board: chess.Board) -> int:
        return -5

    def evaluates_by_rule(self, board: chess.Board) -> bool:
        return False

    def use_threads(self, count: int) -> int:
        assert not self.searching
        self.threads = min(count, 1000)
        return self.threads

    def perft(
        self,
        board: chess.Board,
        depth: int,
        threads: int,
        megabytes: int,
        on_stop: Callable[[Callable[[], None]], None],
    ) -> Iterator[tuple[int, int]]:
        for move in board.legal_moves:
            yield encode_move(board, move), 5

    def bench(self, depth: int | None, threads: int, halted: Callable[[], bool]) -> Iterator[str]:
        for number in range(depth or 1000):
            if halted():
                return
            time.sleep(0.001)
            yield f"position {number}"
        yield "100 nodes 50 nps"


class Output(BytesIO):
    """The session's output, line by line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.more = threading.Condition()

    def write(self, data: Any) -> int:
        assert data.endswith(b"\n")
        assert b"\r" not in data
        with self.more:
            self.lines += data.decode().splitlines()
            self.more.notify_all()
        return len(data)


class Client:
    """A client of a session: sends lines and waits up to `PATIENCE` seconds for answers."""

    def __init__(
        self,
        load: Callable[[Notice], Backend] | None = None,
        wait: bool = True,
        engine: Puppet | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Start a session that loads the engine by ``load``; wait for that if ``wait``.

        Session and puppet use the clock ``now``.
        """
        self.engine = engine or Puppet()
        self.engine.now = now
        self.wire = Output()
        self.heard: list[str] = []
        self.loader = Loader(load or (lambda notice: cast(Backend, self.engine)))
        self.session = Session(Writer(self.wire), self.loader, now=now)
        self.loader.start()
        if wait:
            assert self.loader.done.wait(PATIENCE)

    def say(self, *lines: str) -> "Client":
        for line in lines:
            start = time.perf_counter()
            assert self.session.handle(line.encode() + b"\n")
            assert time.perf_counter() < start + PATIENCE, f"{line} held up the input"
        return self

    def until(self, start: str, seconds: float = PATIENCE) -> list[str]:
        """Remove and return the lines up to one that begins with ``start``."""
        end = time.perf_counter() + seconds
        with self.wire.more:
            while True:
                for index, line in enumerate(self.wire.lines):
                    if line.startswith(start):
                        taken = self.wire.lines[: index + 1]
                        del self.wire.lines[: index + 1]
                        self.heard += taken
                        return taken
                left = end - time.perf_counter()
                assert left > 0, f"no {start} in {self.wire.lines}"
                self.wire.more.wait(left)

    def answer(self, board: chess.Board | None = None, seconds: float = PATIENCE) -> list[str]:
        """Return all lines up to a ``bestmove`` that is legal and begins the last line."""
        lines = self.until("bestmove", seconds)
        self.heard, lines = [], self.heard
        move = lines[-1].split()[1]
        last = [line for line in lines if line != "readyok"][-2]
        assert last.startswith("info depth ")
        assert " score cp " in last or " score mate " in last
        assert "upperbound" not in last
        assert last.split(" pv ")[1].split()[0] == move
        assert (board or chess.Board()).is_legal(chess.Move.from_uci(move))
        return lines

    def run(self, lines: bytes) -> None:
        """Make the session read ``lines`` to the end of input, which must not hang."""
        reader = threading.Thread(target=self.session.run, args=[BytesIO(lines)], daemon=True)
        reader.start()
        reader.join(PATIENCE)
        assert not reader.is_alive(), "the session is still running"

    def is_silent(self, seconds: float = 0.05) -> bool:
        """Return whether no line comes within ``seconds``."""
        before = len(self.wire.lines)
        time.sleep(seconds)
        return len(self.wire.lines) == before

    def goes_on(self) -> bool:
        """Return whether the running search or task still runs after a while."""
        time.sleep(0.05)
        return self.session.busy()


class Gate:
    """A loader of kernels that waits until ``open`` is set."""

    def __init__(self, engine: Puppet, notice: str = "compiling") -> None:
        self.engine = engine
        self.text = notice
        self.open = threading.Event()

    def __call__(self, notice: Notice) -> Backend:
        notice(self.text)
        self.open.wait(FOREVER)
        return cast(Backend, self.engine)


def loading_client(gate: Gate, now: Callable[[], float] = time.perf_counter) -> Client:
    """Return a client whose kernels are loading until ``gate.open`` is set."""
    return Client(gate, wait=False, engine=gate.engine, now=now)


def check_quit(client: Client) -> None:
    """Check that ``quit`` ends a search with its ``bestmove``, and that no output follows."""
    client.run(b"uci\nisready\ngo infinite\nquit\ngo depth 1\n")
    client.until("bestmove")
    assert client.is_silent()


def search(client: Client, board: chess.Board, go: str) -> list[ScoredLine]:
    """Search a position that is sent with its history; return the checked lines of the answer."""
    moves = " ".join(map(str, board.move_stack))
    client.say(f"position fen {board.root().fen()} moves {moves}", go)
    return check_analysis(board, client.until("bestmove", 60))
