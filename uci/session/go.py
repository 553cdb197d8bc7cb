"""A ``go`` from its first line of analysis to its one ``bestmove``."""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

import chess

from engine.search.limits import Budget, Limits
from engine.search.score import MATE, MATE_IN_MAX
from uci.chess_io.adapter import Game, encode, move_text, text_of
from uci.chess_io.book import Book
from uci.chess_io.tablebases import Ranking, Tables
from uci.protocol.commands import Info, format_bestmove, format_info, format_progress
from uci.protocol.writer import Writer
from uci.session.backend import Engine, Halted
from uci.session.loader import Loader
from uci.session.worker import Worker
from uci.strength import fallback_search
from uci.strength.limited_strength import Strength
from uci.strength.wdl import wdl

if TYPE_CHECKING:
    from engine.search.results import Iteration

GRACE = 0.02
"""Seconds that tablebases and the plain search have for a move that is due at once."""

PROBING = 1.0
"""Seconds that the tablebases may take; their disk may be slow, or their files damaged."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a search is to do.

    ``started`` is the `perf_counter` of its ``go``. A ``patient`` search waits for the
    kernels whatever its limits, and its time begins when they are there. Without ``moves``
    all of them are considered. ``ponder`` means that the clock runs from `ponderhit`.
    ``most_men`` and ``fifty`` say how to use the ``tables``. ``strength`` is for weak play.
    """

    game: Game
    limits: Limits
    budget: Budget
    chess960: bool
    started: float
    patient: bool = False
    moves: tuple[chess.Move, ...] = ()
    ponder: bool = False
    multipv: int = 1
    show_wdl: bool = False
    book: Book | None = None
    tables: Tables | None = None
    most_men: int = 7
    fifty: bool = True
    strength: Strength | None = None
    dice: random.Random = field(default_factory=random.Random)


class Search(Worker):
    """One ``go``: info lines, then exactly one ``bestmove``.

    Beside the worker's thread the input's calls `halt` and `ponderhit`, a timer's `halt`:

    | field | who writes | what protects it |
    | --- | --- | --- |
    | `_clock_started`, `_timer` | worker, input | `_lock` |
    | `_pondering` | input | `_lock`; who looks without it sees the end a moment late |
    | `_engine`, `_begun` | worker; the others stop it and set its time | `_lock` |
    | `_lines` | worker | `ponderhit` sets the time before it looks, the search looks after a line |
    | `_due`, `halted` | worker, input, timer | they are events |

    `_order` never changes; all else is the worker's alone.
    """

    def __init__(
        self, loader: Loader, writer: Writer, order: Order, prepare: Callable[[Engine], None]
    ) -> None:
        super().__init__(loader, writer)
        self._order = order
        self._prepare = prepare
        self._started = order.started
        self._clock_started = order.started
        self._begun = 0
        self._pondering = order.ponder
        self._due = threading.Event()
        if not (order.ponder or order.limits.infinite):
            self._due.set()
        self._moves = order.moves
        self._ranking: Ranking | None = None
        self._lines: list[Info] = []
        self._repeat = False
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    @property
    def bounded(self) -> bool:
        """Whether it comes to an end by itself."""
        return self._due.is_set()

    def work(self) -> None:
        """Search, and answer with the move when it is due."""
        score = self._order.game.final_score()
        if score is not None:
            self._report(Info(0, 0, score, 0, self._elapsed(), ()))
        elif not self._open():
            self._think()
        self._due.wait()
        if self._order.strength is not None and score is None:
            self._weaken(self._order.strength)
        last = [format_info(line) for line in self._lines] if self._repeat else []
        self.writer.lines(*last, format_bestmove(self._lines[0].pv))
        self.completed = True

    def start(self, before: Worker | None) -> None:
        """Begin once the worker ``before`` has ended, which no perft delays."""
        for worker in before.queue() if before is not None else ():
            if worker.yields:
                worker.halt()
        super().start(before)

    def give_way(self) -> None:
        """End with a move: a client that asks for something new has no use for more."""
        self.halt()

    def halt(self) -> None:
        """Ask for the move; it comes within milliseconds."""
        super().halt()
        self._due.set()
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    def ponderhit(self) -> None:
        """Go on with the clock running: from now to the hard limit, from ``go`` to the soft one."""
        with self._lock:
            if not self._pondering:
                return
            self._pondering = False
            self._clock_started = perf_counter()
            self._set_timer()
            soft = self._order.budget.soft
            if soft is not None and self._engine is not None:
                self._engine.spend(self._from_begin(soft))
            enough = (
                soft is not None
                and self._order.limits.mate is None
                and (
                    self._order.game.board.legal_moves.count() == 1
                    or any(line.time >= soft for line in self._lines)
                )
            )
        if not self._order.limits.infinite:
            self._due.set()
        if self._order.budget.hard is not None:  # the other limits wait for the kernels
            self._wake.set()
        if enough:  # without pondering, this search would have ended by now
            self.halt()

    def say(self, text: str) -> None:
        """Write an ``info string``, after which the last line stands before the move again."""
        super().say(text)
        self._repeat = True

    def _open(self) -> bool:
        """Take a move from the book, if it has one."""
        game, book = self._order.game, self._order.book
        move = book.pick(game.board, self._order.dice) if book else None
        if move is None:
            return False
        self.say("this move is from the book")
        text = move_text(move, game.board, self._order.chess960)
        self._report(Info(1, 1, 0, 0, self._elapsed(), (text,)))
        return True

    def _weaken(self, strength: Strength) -> None:
        """Choose one of the lines, after the time that a person would take."""
        dice = self._order.dice
        self.halted.wait((strength.pause(self._order.budget, dice) - self._elapsed()) / 1000)
        line = strength.choose([(line, line.score) for line in self._lines], dice)
        self._repeat = self._repeat or line.multipv > 1
        self._lines = [replace(line, multipv=1)]

    def _rank(self) -> None:
        """Leave only those moves to search that the tablebases approve of."""
        order = self._order
        if order.tables is None:
            return
        due = order.budget.soft or order.budget.hard
        grace = perf_counter() + GRACE
        self._ranking = order.tables.rank_within(
            PROBING if due is None else min(PROBING, max(GRACE, due / 2000)),
            order.game.board,
            order.most_men,
            order.fifty,
            lambda: self.halted.is_set() and perf_counter() > grace,
            order.moves,
        )
        if self._ranking is not None:
            self._moves = self._ranking.moves

    def _think(self) -> None:
        """Find a line by the best means there are, and in time."""
        order = self._order
        unhurried = order.patient or order.budget.hard is None
        try:
            if unhurried and not self.loader.done.is_set():
                self.wait_for_engine()
                self._started = perf_counter()
                with self._lock:
                    if self._timer is None:  # a `ponderhit` meanwhile has started the clock
                        self._clock_started = self._started
            with self._lock:
                self._set_timer()
            self._rank()
            if not unhurried:
                self._bridge()
            if self.loader.engine is not None:
                self._search(self.loader.engine)
        except Exception as error:  # noqa: BLE001  (a move is due all the same)
            self.say(f"internal error: {error!r}")
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
        if not self._lines:
            due = perf_counter() + GRACE
            ended = self.loader.engine is not None  # it was stopped, or had a handful of nodes
            self._plain(lambda: (ended or self.halted.is_set()) and perf_counter() > due)

    def _set_timer(self) -> None:
        """Have the search stopped at its hard limit, once its clock runs. Holding the lock."""
        hard = self._order.budget.hard
        if hard is not None and not self._pondering and self._timer is None:
            seconds = self._clock_started + hard / 1000 - perf_counter()
            self._timer = threading.Timer(seconds, self.halt)
            self._timer.daemon = True
            self._timer.start()

    def _bridge(self) -> None:
        """Until the kernels are there or time is up, prepare an answer without them."""
        soft = self._order.budget.soft

        def halted() -> bool:
            late = soft is not None and not self._pondering and self._elapsed() >= soft
            return late or self.halted.is_set() or self.loader.engine is not None

        if self.loader.engine is None:
            self._plain(halted)
            if self._lines and abs(self._lines[0].score) < MATE_IN_MAX:
                patience = None
                if soft is not None and not self._pondering:
                    patience = (soft - self._elapsed()) / 1000
                self.wait_for_engine(patience)

    def _plain(self, halted: Halted) -> None:
        """Search with python-chess alone."""
        board, chess960 = self._order.game.board, self._order.chess960
        limits = self._order.limits
        depth = min(fallback_search.MAX_DEPTH, limits.depth or fallback_search.MAX_DEPTH)
        for line in fallback_search.search(board, halted, depth, self._moves, limits.nodes):
            replay, pv = board.copy(), []
            for move in line.moves:
                pv.append(move_text(move, replay, chess960))
                replay.push(move)
                if replay.is_repetition(3) or replay.halfmove_clock >= 100:
                    break  # the game would be over here, which the plain search does not see
            info = Info(
                line.depth, line.seldepth, line.score, line.nodes, self._elapsed(), tuple(pv)
            )
            self._report(self._judged(info))

    def _search(self, engine: Engine) -> None:
        """Search with the kernels."""
        from engine.search.results import Progress

        self._prepare(engine)
        order, ranking = self._order, self._ranking
        wanted = ranking.best(order.multipv) if ranking else self._moves
        moves = [encode(order.game.board, move) for move in wanted] or None
        with self._lock:
            self._begun = self._elapsed()
            soft = None if self._pondering else order.budget.soft
            left = None if soft is None else self._from_begin(soft)
            lines = max(order.multipv, order.strength.lines if order.strength else 0)
            results = engine.begin(order.game, order.limits, left, lines, moves)
            self._engine = engine
            if self.halted.is_set():  # a stop before `begin` is forgotten by it
                engine.stop()
        judged: list[Info] = []
        try:
            for result in results:
                if isinstance(result, Progress):
                    move = text_of(result.move, order.chess960)
                    self.writer.lines(format_progress(result.depth, move, result.number))
                    self._repeat = True
                elif ranking is None:
                    self._report(self._info(result))
                elif result.bound == "exact":
                    judged.append(self._judged(self._info(result)))
                    if len(judged) == min(order.multipv, len(wanted)):
                        judged.sort(key=lambda info: -info.score)
                        for number, info in enumerate(judged, 1):
                            self._report(replace(info, multipv=number))
                        judged.clear()
        finally:
            with self._lock:  # from here on a late timer must not stop another search
                self._engine = None
        self._conclude(engine)

    def _conclude(self, engine: Engine) -> None:
        """Say what the whole search has cost, and what it has proved."""
        nodes = engine.nodes()
        if self._lines and nodes > self._lines[0].nodes:
            time = self._elapsed()
            self._lines = [replace(line, nodes=nodes, time=time) for line in self._lines]
            self._repeat = True
        if self._order.limits.mate is not None:
            self._conclude_mate(self._order.limits.mate, engine.ruled_out())

    def _conclude_mate(self, moves: int, ruled_out: bool) -> None:
        """Say whether a mate that was asked for and not found does not exist."""
        if self._lines and self._lines[0].score > MATE - 2 * moves:
            return
        if ruled_out:
            which = " by the given moves" if self._order.moves else ""
            self.say(f"no mate in {moves} moves{which}")
        else:
            self.say(f"the search ended before a mate in {moves} was found or ruled out")

    def _info(self, iteration: "Iteration") -> Info:
        return Info(
            iteration.depth,
            iteration.seldepth,
            iteration.score,
            iteration.nodes,
            self._begun + iteration.time,
            tuple(text_of(move, self._order.chess960) for move in iteration.pv),
            iteration.bound,
            iteration.multipv,
            iteration.hashfull,
        )

    def _judged(self, info: Info) -> Info:
        """Return a line with what the tablebases, if they know, say about its move."""
        if self._ranking is None:
            return info
        score = self._ranking.report(chess.Move.from_uci(info.pv[0]), info.score)
        return replace(info, score=score, tbhits=self._ranking.probes)

    def _report(self, info: Info) -> None:
        """Write a line; the last exact ones stand before the move, the first decides it."""
        if self._order.show_wdl:
            stalemate = info.depth == 0 and info.score == 0
            info = replace(info, wdl=(0, 1000, 0) if stalemate else wdl(info.score))
        if info.multipv <= self._order.multipv:  # weak play knows more lines than were asked for
            self.writer.lines(format_info(info))
        if info.bound != "exact":
            self._repeat = True
        elif info.multipv == 1:
            self._lines, self._repeat = [info], False
        else:
            self._lines.append(info)

    def _from_begin(self, soft: int) -> int:
        """Return a time from ``go`` as one from the beginning of the kernels' search, in ms."""
        return max(1, soft - self._begun)

    def _elapsed(self) -> int:
        """Return the milliseconds since ``go``."""
        return int((perf_counter() - self._started) * 1000)
