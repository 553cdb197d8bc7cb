"""What runs beside the input loop: a search for each ``go``."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from engine.search.limits import Budget, Limits
from engine.search.score import MATE_IN_MAX
from uci import plain
from uci.adapter import Game, move_text, text_of
from uci.kernels import Engine, Halted
from uci.loader import Loader
from uci.protocol import Info, format_bestmove, format_info, format_message
from uci.writer import Writer

if TYPE_CHECKING:
    from engine.search.iterate import Iteration

GRACE = 0.02
"""Seconds that the plain search has for a move that is due at once."""


class Worker:
    """A thread that waits for its turn and for the kernels, works, and can be stopped any time."""

    bounded = True
    """Whether it comes to an end by itself."""

    completed = False
    """Whether it has done what it was asked for."""

    def __init__(self, loader: Loader, writer: Writer) -> None:
        self.loader = loader
        self.writer = writer
        self.halted = threading.Event()
        self._wake = threading.Event()
        self._before: Worker | None = None
        # Not Thread.join: a Ctrl-C in there makes Python take the thread for dead.
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        loader.when_done(self._wake.set)

    def work(self) -> None:
        """Do it."""
        raise NotImplementedError

    def start(self, before: "Worker | None") -> None:
        """Begin once the worker ``before`` has ended; a search is stopped to that end."""
        self._before = before
        if before is not None:
            before.give_way()
        self._thread.start()

    def give_way(self) -> None:
        """Know that others wait."""

    def halt(self) -> None:
        """Ask for the end; it comes within milliseconds, once its turn has come."""
        self.halted.set()
        self._wake.set()

    def stop(self) -> None:
        """Ask for the end of this, and of all that it waits for."""
        before = self._before
        if before is not None:
            before.stop()
        self.halt()

    def busy(self) -> bool:
        """Return whether it still works, or waits to."""
        return not self._ended.is_set()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._ended.wait(seconds)

    def wait_for_engine(self, seconds: float | None = None) -> Engine | None:
        """Wait until the engine is there, has failed, or the work was stopped."""
        self._wake.wait(seconds)
        return self.loader.engine

    def say(self, text: str) -> None:
        """Write an ``info string``."""
        self.writer.lines(format_message(text))

    def _run(self) -> None:
        if self._before is not None:
            self._before.join()
            self._before = None
        try:
            self.work()
        finally:
            self._ended.set()


@dataclass(frozen=True, slots=True)
class Order:
    """What a search is to do.

    ``started`` is the `perf_counter` of its ``go``. A ``patient`` search waits for the
    kernels whatever its limits, and its time begins when they are there.
    """

    game: Game
    limits: Limits
    budget: Budget
    chess960: bool
    started: float
    patient: bool = False


class Search(Worker):
    """One ``go``: info lines, then exactly one ``bestmove``."""

    def __init__(
        self, loader: Loader, writer: Writer, order: Order, prepare: Callable[[Engine], None]
    ) -> None:
        super().__init__(loader, writer)
        self.bounded = not order.limits.infinite
        self._order = order
        self._prepare = prepare
        self._started = order.started
        self._line: Info | None = None
        self._repeat = False
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def work(self) -> None:
        """Search, and answer with the move."""
        score = self._order.game.final_score()
        if score is not None:
            self._report(Info(0, 0, score, 0, self._elapsed(), ()))
        else:
            self._think()
        if self._order.limits.infinite:
            self.halted.wait()
        assert self._line is not None
        last = [format_info(self._line)] if self._repeat else []
        self.writer.lines(*last, format_bestmove(self._line.pv))
        self.completed = True

    def give_way(self) -> None:
        """End with a move: a client that asks for something new has no use for more."""
        self.halt()

    def halt(self) -> None:
        """Ask for the move; it comes within milliseconds."""
        super().halt()
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    def _think(self) -> None:
        """Find a line by the best means there are, and in time."""
        order = self._order
        try:
            if order.patient or order.budget.hard is None:
                if not self.loader.done.is_set():
                    self.wait_for_engine()
                    self._started = perf_counter()
                self._set_timer()
            else:
                self._set_timer()
                self._bridge()
            if self.loader.engine is not None:
                self._search(self.loader.engine)
        except Exception as error:  # noqa: BLE001  (a move is due all the same)
            self.say(f"internal error: {error!r}")
        if self._timer is not None:
            self._timer.cancel()
        if self._line is None:
            due = perf_counter() + GRACE
            self._plain(lambda: self.halted.is_set() and perf_counter() > due)

    def _set_timer(self) -> None:
        """Have the search stopped at its hard limit."""
        hard = self._order.budget.hard
        if hard is not None:
            self._timer = threading.Timer((hard - self._elapsed()) / 1000, self.halt)
            self._timer.daemon = True
            self._timer.start()

    def _bridge(self) -> None:
        """Until the kernels are there or time is up, prepare an answer without them."""
        soft = self._order.budget.soft

        def halted() -> bool:
            late = soft is not None and self._elapsed() >= soft
            return late or self.halted.is_set() or self.loader.engine is not None

        if self.loader.engine is None:
            self._plain(halted)
            if self._line is not None and abs(self._line.score) < MATE_IN_MAX:
                self.wait_for_engine(None if soft is None else (soft - self._elapsed()) / 1000)

    def _plain(self, halted: Halted) -> None:
        """Search with python-chess alone."""
        board, chess960 = self._order.game.board, self._order.chess960
        depth = min(plain.MAX_DEPTH, self._order.limits.depth or plain.MAX_DEPTH)
        for line in plain.search(board, halted, depth):
            replay, pv = board.copy(), []
            for move in line.moves:
                pv.append(move_text(move, replay, chess960))
                replay.push(move)
                if replay.is_repetition(3) or replay.halfmove_clock >= 100:
                    break  # the game would be over here, which the plain search does not see
            time = self._elapsed()
            self._report(Info(line.depth, line.seldepth, line.score, line.nodes, time, tuple(pv)))

    def _search(self, engine: Engine) -> None:
        """Search with the kernels."""
        self._prepare(engine)
        before = self._elapsed()
        soft = self._order.budget.soft
        left = None if soft is None else max(1, soft - before)
        iterations = engine.begin(self._order.game, self._order.limits, left)
        with self._lock:
            self._engine = engine
            if self.halted.is_set():  # a stop before `begin` is forgotten by it
                engine.stop()
        try:
            for iteration in iterations:
                self._report(self._info(iteration, before))
        finally:
            with self._lock:  # from here on a late timer must not stop another search
                self._engine = None

    def _info(self, iteration: "Iteration", before: int) -> Info:
        return Info(
            iteration.depth,
            iteration.seldepth,
            iteration.score,
            iteration.nodes,
            before + iteration.time,
            tuple(text_of(move, self._order.chess960) for move in iteration.pv),
            iteration.bound,
            iteration.multipv,
            iteration.hashfull,
        )

    def _report(self, info: Info) -> None:
        """Write a line; the last exact one decides the move and stands before it."""
        self.writer.lines(format_info(info))
        self._repeat = info.bound != "exact" or info.multipv > 1
        if not self._repeat:
            self._line = info

    def _elapsed(self) -> int:
        """Return the milliseconds since ``go``."""
        return int((perf_counter() - self._started) * 1000)
