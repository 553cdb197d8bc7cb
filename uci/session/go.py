"""The worker of a ``go``: from its first ``info`` line to its one ``bestmove``."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import chess

from engine.search.score import MATE, MATE_IN_MAX, TB_WIN_IN_MAX
from uci.chess_io.convert import encode_move, info_of, move_text, move_to_uci
from uci.chess_io.syzygy_ranking import Ranking
from uci.protocol.messages import BOOK_MOVE, Info
from uci.protocol.writer import Writer
from uci.session.analysis_writer import AnalysisWriter
from uci.session.backend import Backend, Halted
from uci.session.loader import Loader
from uci.session.probe_loader import is_loaded
from uci.session.search_request import SearchRequest
from uci.session.worker import Worker
from uci.strength import fallback_search
from uci.strength.limited_strength import Candidate, Strength

if TYPE_CHECKING:
    from engine.search.results import Iteration
    from engine.search.table_setting import TableSetting

T = TypeVar("T")

GRACE = 0.02
"""Seconds for tablebases and fallback search if a move is due at once."""

PROBE_TIME, PATIENT_PROBE_TIME = 1.0, 20.0
"""Seconds to wait for tablebase probes at the root, with a clock and without one.

Disks may be slow, or files damaged.
"""


class GoWorker(Worker):
    """One ``go``: info lines, then exactly one ``bestmove``.

    Three threads use it: the worker's own; the input's, which calls `halt` and `ponderhit`; and a
    timer's, which calls `halt`.

    | field | written by | protected by |
    | --- | --- | --- |
    | `_clock_started`, `_timer` | worker, input | `_lock` |
    | `_searched` | worker | `_lock` |
    | `_pondering` | input | `_lock`; a read without it may be slightly out of date |
    | `_backend`, `_begun` | worker; the others stop it and set its time | `_lock` |
    | `_analysis` | worker | only used by the worker |
    | `_due`, `halted` | worker, input, timer | they are events |

    `_request` never changes; only the worker uses the other fields.
    """

    answers_go = True

    def __init__(
        self,
        loader: Loader,
        writer: Writer,
        request: SearchRequest,
        prepare: Callable[[Backend], None],
        now: Callable[[], float],
    ) -> None:
        """Search for ``request``, after ``prepare`` has set up the backend.

        ``now`` is the session's clock in seconds, the one of ``request.started``.
        """
        super().__init__(loader, writer)
        self._now = now
        self._request = request
        self._prepare = prepare
        self._started = request.started
        self._clock_started = request.started
        self._begun = 0
        self._pondering = request.ponder
        self._due = threading.Event()
        if not (request.ponder or request.limits.infinite):
            self._due.set()
        self._moves = request.moves
        self._ranking: Ranking | None = None
        self._analysis = AnalysisWriter(
            writer,
            request.game,
            request.multipv,
            request.show_wdl,
            request.minimal,
            -request.contempt,
        )
        self._backend: Backend | None = None
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._searched = False

    @property
    def bounded(self) -> bool:
        """Whether the search ends without a stop."""
        return self._due.is_set()

    def work(self) -> None:
        """Search, and write the ``bestmove`` when it is due."""
        score = self._request.game.final_score()
        if score is not None:
            score -= self._request.contempt if score == 0 else 0
            self._analysis.info(Info(0, 0, score, 0, self._elapsed(), ()))
        elif not self._guarded(self._play_book_move):
            self._find_move()
        with self._lock:
            self._searched = True
            if self._timer is not None:
                self._timer.cancel()
        self._due.wait()
        if self._request.strength is not None and score is None and self._analysis.lines:
            self._choose_weak_move(self._request.strength)
        if self._request.charge is not None and not self._pondering:
            self._request.charge(self._analysis.best.nodes if self._analysis.best else 0)
        self.answered = True
        self._analysis.finish()
        self.completed = True

    def start(self, before: Worker | None) -> None:
        """Start the thread; it searches after ``before`` has ended. A perft there is stopped."""
        for worker in before.queue() if before is not None else ():
            if worker.preemptible:
                worker.halt()
        super().start(before)

    def superseded(self) -> None:
        """Stop with a ``bestmove``: the client has sent a new command."""
        self.halt()

    def halt(self) -> None:
        """Stop this search only; its ``bestmove`` follows within milliseconds."""
        with self._lock:
            self._halt()

    def _halt(self) -> None:
        """Stop this search. The caller holds the lock."""
        super().halt()
        self._due.set()
        if self._backend is not None:
            self._backend.searcher.stop()

    def ponderhit(self) -> None:
        """Start the clock: the hard limit counts from now, the soft one from ``go``."""
        with self._lock:
            if not self._pondering:
                return
            self._pondering = False
            self._clock_started = self._now()
            self._set_timer()
            soft = self._request.budget.soft
            if soft is not None and self._backend is not None:
                self._backend.searcher.set_soft_limit(self._from_begin(soft))
        if not self._request.limits.infinite:
            self._due.set()
        if self._request.budget.hard is not None:  # the clock does not wait for the kernels
            self._wake.set()

    def _guarded(self, step: Callable[[], T]) -> T | None:
        """Return ``step()``; report an internal error and return ``None`` if it raises."""
        try:
            return step()
        except Exception as error:  # noqa: BLE001  (the client still needs a move)
            self._analysis.message(f"internal error: {error!r}")
            return None

    def _play_book_move(self) -> bool:
        """Play a move from the book; return whether there is one."""
        request, game = self._request, self._request.game
        book, variety = request.book, request.book_variety
        move = book.pick(game.board, request.rng, variety) if book else None
        if move is None:
            return False
        self._analysis.message(BOOK_MOVE)
        text = move_text(move, game.board, self._request.chess960)
        self._analysis.info(Info(1, 1, 0, 0, self._elapsed(), (text,)))
        return True

    def _choose_weak_move(self, strength: Strength) -> None:
        """Choose one of the lines as weak play does, after the time that a person would take."""
        rng = self._request.rng
        self.halted.wait((strength.pause(self._request.budget, rng) - self._elapsed()) / 1000)
        candidates = [
            Candidate(line, line.score, next(iter(line.pv[1:]), None))
            for line in self._analysis.lines
        ]
        self._analysis.play(strength.choose(candidates, rng))

    def _probe_tables(self) -> None:
        """Restrict the search to the moves that keep the tablebase value, if it is available."""
        request = self._request
        if request.tables is None:
            return
        due = request.budget.soft or request.budget.hard
        grace = self._now() + GRACE
        self._ranking = request.tables.rank_within(
            PATIENT_PROBE_TIME if due is None else min(PROBE_TIME, max(GRACE, due / 2000)),
            request.game.board,
            request.probe_limit,
            request.fifty_move_rule,
            lambda: self.halted.is_set() and self._now() > grace,
            request.moves,
        )
        if self._ranking is not None:
            self._moves = self._ranking.moves
        elif request.tables.looking and not self.halted.is_set():
            self._analysis.message("tablebase probe timed out; searching without it")

    def _find_move(self) -> None:
        """Search by the best available means in time, so that there is at least one line."""
        self._guarded(self._search_by_the_clock)
        if self._analysis.best is None:
            due = self._now() + GRACE
            # If the engine is loaded, its search was stopped, or limited to very few nodes.
            ended = self.loader.backend is not None
            self._run_fallback_search(lambda: (ended or self.halted.is_set()) and self._now() > due)

    @property
    def _unhurried(self) -> bool:
        """Return whether the search waits for kernels that are not loaded yet."""
        return self._request.patient or self._request.budget.hard is None

    def _search_by_the_clock(self) -> None:
        """Probe the tablebases and search, when the engine is loaded or the clock demands it."""
        if self._unhurried and not self.loader.done.is_set():
            backend = self.wait_for_backend()
            if backend is not None and not self.halted.is_set():
                self._prepare(backend)  # before the clock starts
                backend.searcher.prefault()
            self._started = self._now()
            with self._lock:
                if self._timer is None:  # otherwise `ponderhit` has started the clock
                    self._clock_started = self._started
        with self._lock:
            self._set_timer()
        self._guarded(self._probe_tables)
        if not self._unhurried:
            self._search_until_loaded()
        if self.loader.backend is not None:
            self._run_search(self.loader.backend)

    def _set_timer(self) -> None:
        """Start the timer of the hard limit, if the clock runs. The caller holds the lock.

        No timer starts if the search is over: it would outlive a late `ponderhit`.
        """
        hard = self._request.budget.hard
        if hard is None or self._searched:
            return
        if not self._pondering and self._timer is None:
            seconds = self._clock_started + hard / 1000 - self._now()
            self._timer = threading.Timer(seconds, self.halt)
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # without a timer, nothing would end the search
                self._timer = None
                self._halt()

    def _search_until_loaded(self) -> None:
        """Search without the kernels until they are loaded or the time is up."""
        soft = self._request.budget.soft

        def halted() -> bool:
            late = soft is not None and not self._pondering and self._elapsed() >= soft
            looked = bool(self._analysis.lines)  # depth 1 is complete
            return (late and looked) or self.halted.is_set() or self.loader.backend is not None

        if self.loader.backend is None:
            self._run_fallback_search(halted)
            if self._analysis.lines and abs(self._analysis.lines[0].score) < MATE_IN_MAX:
                patience = None
                if soft is not None and not self._pondering:
                    patience = (soft - self._elapsed()) / 1000
                self.wait_for_backend(patience)

    def _run_fallback_search(self, halted: Halted) -> None:
        """Search with python-chess alone."""
        board, chess960 = self._request.game.board, self._request.chess960
        limits = self._request.limits
        depth = min(fallback_search.MAX_DEPTH, limits.depth or fallback_search.MAX_DEPTH)
        for line in fallback_search.search(board, halted, depth, self._moves, limits.nodes):
            replay, pv = board.copy(), []
            for move in line.moves:
                pv.append(move_text(move, replay, chess960))
                replay.push(move)
                if replay.is_repetition(3) or replay.halfmove_clock >= 100:
                    break  # the game would end here, which the fallback search does not detect
            info = Info(
                line.depth, line.seldepth, line.score, line.nodes, self._elapsed(), tuple(pv)
            )
            self._analysis.info(self._with_table_score(info))

    def _run_search(self, backend: Backend) -> None:
        """Search with the kernels."""
        from engine.search.results import Progress

        self._prepare(backend)
        request, ranking = self._request, self._ranking
        wanted = ranking.best(request.multipv) if ranking else self._moves
        moves = [encode_move(request.game.board, move) for move in wanted] or None
        with self._lock:
            self._begun = self._elapsed()
            backend.use_contempt(request.contempt, request.game)
            backend.searcher.use_tables(None if ranking else self._table_setting())
            soft = None if self._pondering else request.budget.soft
            left = None if soft is None else self._from_begin(soft)
            lines = max(request.multipv, request.strength.lines if request.strength else 0)
            results = backend.begin(request.game, request.limits, left, lines, moves)
            self._backend = backend
            if self.halted.is_set():  # `begin` drops a stop that came before it
                backend.searcher.stop()
        block: list[Info] = []
        try:
            for result in results:
                if isinstance(result, Progress):
                    move = move_to_uci(result.move, request.chess960)
                    self._analysis.progress(result.depth, move, result.number)
                elif ranking is None:
                    self._analysis.info(self._info(result))
                elif result.bound == "exact":
                    block.append(self._with_table_score(self._info(result)))
                    if len(block) == min(request.multipv, len(wanted)):
                        block.sort(key=lambda info: -info.score)
                        for number, info in enumerate(block, 1):
                            self._analysis.info(replace(info, multipv=number))
                        block.clear()
                elif result.bound == "lower":
                    self._analysis.info(self._with_table_score(self._info(result)))
        finally:
            with self._lock:  # from here on a late timer must not stop another search
                self._backend = None
        self._report_totals(backend)

    def _table_setting(self) -> "TableSetting | None":
        """Return the tables to probe inside the search.

        It is ``None`` while a clock runs and the machine code of the probes is not loaded yet.
        """
        from engine.search.table_setting import TableSetting

        request = self._request
        if request.tables is None or request.tables.results is None:
            return None
        if not (self._unhurried or is_loaded()):
            return None
        return TableSetting(
            request.tables.results,
            request.probe_limit,
            request.probe_depth,
            request.fifty_move_rule,
        )

    def _report_totals(self, backend: Backend) -> None:
        """Report the nodes of the whole search, and the result of a mate search."""
        self._analysis.set_totals(backend.searcher.nodes, self._elapsed())
        if self._request.limits.mate is not None:
            self._report_mate(self._request.limits.mate, backend.searcher.ruled_out)

    def _report_mate(self, moves: int, ruled_out: bool) -> None:
        """Report that there is no mate in ``moves``, or that the search ended too early to tell."""
        if self._analysis.best is not None and self._analysis.best.score > MATE - 2 * moves:
            return
        if ruled_out:
            which = " with the given root moves" if self._request.moves else ""
            self._analysis.message(f"no mate in {moves} moves{which}")
        else:
            self._analysis.message(
                f"the search ended before it found or ruled out a mate in {moves}"
            )

    def _info(self, iteration: "Iteration") -> Info:
        info = info_of(iteration, self._request.chess960)
        return replace(info, time=self._begun + info.time)

    def _with_table_score(self, info: Info) -> Info:
        """Return ``info`` with the tablebase score of its move, if there is one."""
        if self._ranking is None:
            return info
        score = self._ranking.report(chess.Move.from_uci(info.pv[0]), info.score)
        if abs(score) < TB_WIN_IN_MAX:  # a draw, perhaps by the fifty-move rule
            score -= self._request.contempt
        return replace(info, score=score, tbhits=self._ranking.probes)

    def _from_begin(self, soft: int) -> int:
        """Convert ``soft`` from milliseconds since ``go`` to milliseconds since `Backend.begin`."""
        return max(1, soft - self._begun)

    def _elapsed(self) -> int:
        """Return the milliseconds since ``go``."""
        return int((self._now() - self._started) * 1000)
