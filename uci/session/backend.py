"""The session's interface to ``engine/``, which `load` imports only when needed: it is slow."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.search.limits import Limits
from uci import __version__
from uci.protocol.options import try_path

if TYPE_CHECKING:
    from pathlib import Path

    import chess

    from engine.board.annotations import Position
    from engine.search import results
    from engine.search.searcher import Searcher
    from uci.chess_io.convert import Game

    Results = Iterator[results.Iteration | results.Progress]

ProgressCallback = Callable[[int, int, str], None]
"""Called with the number of steps done, the total, and the name of the next step."""

Notice = Callable[[str], None]
Halted = Callable[[], bool]

COMPILING = (
    "compiling search, evaluation and move generation for this machine:"
    " this happens once and takes less than a minute"
)
EACH_TIME = (
    "compiling search, evaluation and move generation for this machine: this takes less than a"
    " minute, at every start, because the compiled code cannot be saved: {}"
)
NOT_KEPT = "could not save the compiled code, so the next start will compile again: {}"
SLOW = "numba is missing or disabled: the engine plays, but slowly"


class Backend:
    """The engine as the session uses it: a ``searcher``, by games, boards and names of files.

    While a search runs, only `stop` and `set_soft_limit` of the searcher may be called, and here
    `key`, `evaluate` and `perft`, which use records of their own.
    """

    def __init__(
        self, searcher: "Searcher | None" = None, make: "Callable[..., Searcher] | None" = None
    ) -> None:
        """Use ``searcher``; ``make`` creates the bench's. Both are by default the engine's own."""
        from engine.search.searcher import Searcher
        from uci.chess_io.convert import RootPosition

        self.searcher = searcher or Searcher()
        self._make = make
        self._root = RootPosition(self.searcher.pos)

    def begin(
        self,
        game: "Game",
        limits: Limits,
        soft: int | None,
        multipv: int = 1,
        root_moves: Sequence[int] | None = None,
    ) -> "Results":
        """Search the position of ``game``; yield the results as they come.

        No iteration begins later than about ``soft`` milliseconds from now: see
        `engine.search.searcher.Searcher.begin`. Each depth gives ``multipv`` lines. Only
        ``root_moves`` are searched, or all legal moves if it is ``None``.
        """
        self._root.show(game)
        return self.searcher.begin(limits, soft, multipv, root_moves)

    def use_contempt(self, contempt: int, game: "Game") -> None:
        """Score draws ``-contempt`` centipawns for the side to move in ``game``."""
        self.searcher.use_contempt(contempt, 0 if game.board.turn else 1)

    def key(self, board: "chess.Board") -> int:
        """Return the Zobrist key."""
        return int(self._record(board).key)

    def evaluate(self, board: "chess.Board") -> int:
        """Return the static eval in centipawns from the side to move."""
        return self.searcher.evaluate(self._record(board))

    def correction(self, board: "chess.Board") -> int:
        """Return what the correction history adds to the static eval, for the side to move.

        The moves before the position do not count. No search may run.
        """
        return self.searcher.correction(self._record(board))

    def evaluates_by_rule(self, board: "chess.Board") -> bool:
        """Return whether a rule evaluates the position, and not the network."""
        return self.searcher.evaluates_by_rule(self._record(board))

    def use_network(self, path: str) -> None:
        """Evaluate with the network in the file ``path``, or with the built-in one if it is empty.

        See `try_path`. Raises `OSError` or `ValueError`, and keeps the current network.
        """
        from engine.evaluation.network import default_network, read_network
        from engine.files import named

        network = try_path(
            path, lambda name: read_network(named(name)) if name else default_network()
        )
        self.searcher.use_network(network)

    def load_hash(self, path: str) -> "tuple[Path, int | None]":
        """Load the hash file ``path``; return it, and the number of its entries.

        The number is ``None``, and nothing has changed, if only the folder exists. See `try_path`.
        Raises `OSError` or `ValueError`; then nothing has changed either.
        """
        from engine.files import named
        from engine.search.hash_file import load_hash

        def load(file: "Path") -> "tuple[Path, int]":
            return file, load_hash(self.searcher, file, __version__)

        try:
            return try_path(path, lambda name: load(named(name)))
        except FileNotFoundError:
            file = named(path.strip(" \t\"'"))
            if not file.parent.is_dir():
                raise
            return file, None

    def save_hash(self, file: "Path") -> int:
        """Save the table and the histories to a hash file; return the number of entries.

        Raises `OSError`, or `ValueError` if they cannot be saved.
        """
        from engine.search.hash_file import save_hash

        return save_hash(self.searcher, file, __version__)

    def perft(
        self,
        board: "chess.Board",
        depth: int,
        threads: int,
        megabytes: int,
        on_stop: Callable[[Callable[[], None]], None],
    ) -> Iterator[tuple[int, int]]:
        """Yield each root move with its leaf count: see `engine.board.perft.divide`.

        ``on_stop`` receives a function that stops the count, which any thread may call.
        """
        from engine.board.perft import divide
        from engine.memory.stop_signal import Signal

        signal = Signal()
        on_stop(signal.set)
        return divide(self._record(board), depth, threads, megabytes, signal)

    def bench(self, depth: int | None, threads: int, halted: Halted) -> Iterator[str]:
        """Yield the lines of the bench, the summary last."""
        from uci.session.bench import bench

        return bench(depth, threads, halted, self._make)

    @staticmethod
    def _record(board: "chess.Board") -> "Position":
        from engine.board.position import new_position
        from uci.chess_io.convert import fill

        record = new_position()
        fill(record, board)
        return record


def import_entry_points() -> None:
    """Import every module with entry points that a session needs, so that they can be compiled."""
    import engine.board.perft
    import engine.evaluation.nnue
    import engine.search.searcher  # noqa: F401


def compiling_notice() -> str:
    """Return the notice for the user that entry points must be compiled; empty if none must."""
    from engine.jit import kernel

    if kernel.is_warm():
        return ""
    return EACH_TIME.format(kernel.unkept()) if kernel.unkept() else COMPILING


def load(notice: Notice, progress: ProgressCallback | None = None) -> Backend:
    """Import the engine and load or compile its kernels, reporting to ``progress``.

    ``notice`` receives a line for the user if that takes long, or if the engine is slow.
    """
    from engine.jit import kernel

    import_entry_points()
    if not kernel.COMPILED:
        notice(SLOW)
    elif compiling := compiling_notice():
        notice(compiling)
        if slower := kernel.slower():
            notice(slower)
    known = kernel.unkept()
    kernel.warm(progress)
    if kernel.unkept() != known:
        notice(NOT_KEPT.format(kernel.unkept()))
    return Backend()
