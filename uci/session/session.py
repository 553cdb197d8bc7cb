"""A UCI session: executes the client's commands, while searches run in threads."""

import threading
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO

from uci import __version__
from uci.errors import UciError
from uci.protocol import commands
from uci.protocol.commands import Command, Debug, Go, SetOption, SetPosition, Word
from uci.protocol.messages import format_message
from uci.protocol.options import Options, tuning_options
from uci.protocol.reader import read_lines
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.probe_loader import ProbeLoader
from uci.session.resources import Resources
from uci.session.settings import BackendSettings
from uci.session.worker import NO_MOVE, NoMove, Worker
from uci.strength.contempt import opponent_rating

if TYPE_CHECKING:  # python-chess is imported after `uciok`
    from uci.chess_io.convert import Game
    from uci.session.nodes_clock import NodesClock

READY_AFTER = 9.5
"""Seconds that `readyok` waits for the kernels: clients give up after 15."""

READY_GRACE = 0.6
"""Seconds that a pending `readyok` waits for the kernels at the end of input."""

QUIT_GRACE = 1.0
"""Seconds that `quit` waits at most for a pending answer, which usually takes milliseconds."""

ANSWERED_GRACE = 0.05
"""Seconds for a worker that has answered to end before the next command is executed."""


class Session:
    """Holds the position, the options and the running worker; see `execute`.

    ``_rejected`` is the reason why the last ``position`` was rejected, empty if it was accepted.
    Only the input thread calls its methods, except `say` and `busy`, for which `worker` is set
    before the worker runs. `loader`, `writer`, `options`, `resources.log` and the settings have
    locks of their own; only the input thread uses everything else. If ``patient``, a ``go`` with a
    clock waits for the kernels too, as a person at a shell expects. ``now`` returns the time in
    seconds.
    """

    def __init__(
        self,
        writer: Writer,
        loader: Loader,
        patient: bool = False,
        now: Callable[[], float] = perf_counter,
    ) -> None:
        self.writer = writer
        self.loader = loader
        parameters = tuning_options()
        self.options = Options(parameters)
        self.resources = Resources()
        self.debug = False
        self.worker: Worker | None = None
        self._patient = patient
        self._now = now
        self._position: Game | None = None
        self._nodes_clock: NodesClock | None = None
        self._rejected = ""
        self._settings = BackendSettings(loader, self.options, parameters, self.busy, self.say)
        self._probe = ProbeLoader(loader, self.say)
        self._ready = threading.Event()
        self._pending: list[threading.Thread] = []
        writer.tap = self.resources.log.note_sent
        loader.when_done(self._ready.set)

    @property
    def game(self) -> "Game":
        """The last accepted position, with its history."""
        if self._position is None:
            from uci.chess_io.convert import new_game

            self._position = new_game()
        return self._position

    def run(self, stream: BinaryIO) -> None:
        """Execute the lines of ``stream`` until ``quit``, the end of input or Ctrl-C."""
        try:
            if all(map(self.handle, read_lines(stream))):
                self.wait()
            else:
                self._quit()
        except KeyboardInterrupt:
            self.interrupt()

    def handle(self, raw: bytes) -> bool:
        """Execute one line of input, or print the error; return whether the session continues."""
        self.resources.log.note_received(raw)
        # A client may send its next command after the answer, before the thread has ended.
        if self.worker is not None and self.worker.answered:
            self.worker.join(ANSWERED_GRACE)
        try:
            command = commands.parse_command(commands.decode(raw))
            if command == Word("quit"):
                return False
            if command is not None:
                self.execute(command)
        except UciError as error:
            self._reject(raw, str(error))
        except Exception as error:  # noqa: BLE001  (a bug must not lose the game)
            self._reject(raw, f"internal error: {error!r}")
        return True

    def _reject(self, raw: bytes, reason: str) -> None:
        """Report why a line is not executed, and answer it if it is a ``go``.

        A client waits for one ``bestmove`` after each ``go``; during a search, the search's is
        enough. After a rejected ``position`` there is nothing to search, and the previous position
        is not used.
        """
        self.say(reason)
        name, rest = commands.name_and_rest(raw)
        if name == "position":
            self._rejected = reason
        elif name == "go" and all(search.ends_soon() for search in self._searches()):
            words = rest.split()
            self._answer_without_move("ponder" in words, "infinite" in words)

    def _searches(self) -> list[Worker]:
        """Return the workers that still have to write a ``bestmove``, the latest first."""
        queue = self.worker.queue() if self.worker is not None else ()
        return [worker for worker in queue if worker.answers_go and worker.busy()]

    def _answer_without_move(self, ponder: bool, infinite: bool) -> None:
        """Answer a ``go`` that cannot be searched, after the answers of earlier searches.

        With ``ponder`` or ``infinite``, no ``bestmove`` may be sent before the client asks for it.
        """
        if not (ponder or infinite or self._searches()):
            self.writer.lines(NO_MOVE)
            return
        answer = NoMove(self.loader, self.writer, infinite)
        self._begin(answer)
        if not (ponder or infinite):
            answer.halt()

    def execute(self, command: Command) -> None:
        """Execute one command. Raises `UciError` if it is rejected; then nothing has changed."""
        match command:
            case Word("uci"):
                self._introduce()
            case Word("isready"):
                self._answer_when_ready()
            case Word("ucinewgame"):
                self._nodes_clock = None
                self._settings.request_new_game()
                self._settings.apply_if_idle()
            case Word("stop"):
                if self.worker is not None:
                    self.worker.stop()
            case Word("ponderhit"):
                if self.worker is not None:
                    self.worker.ponderhit()
            case Debug(on):
                self.debug = on
            case Word("register" | "copyprotection" as name):
                # The engine needs no registration and has no copy protection: both checks succeed.
                subject = "registration" if name == "register" else name
                self.writer.lines(f"{subject} checking", f"{subject} ok")
            case Word("help"):
                self.writer.lines(*commands.HELP)
            case SetOption(name, value):
                self._set_option(name, value)
            case SetPosition():
                self._set_position(command)
            case Go():
                self._go(command)
            case Word("d"):
                from uci.session.tasks import board_lines

                self.writer.lines(*board_lines(self.loader.backend, self.game))
            case _:
                self._start_task(command)

    def wait(self) -> None:
        """At the end of input, wait for all pending answers; stop work that has no limit."""
        if self._pending:
            self._ready.wait(READY_GRACE)
            self._ready.set()
            for thread in self._pending:
                thread.join()
        if self.worker is not None:
            if not self.worker.bounded:
                self.worker.stop()
            self.join()
        self._settings.finish()

    def _quit(self) -> None:
        """Stop all work at once; pending answers are still written."""
        self._ready.set()
        if self.worker is not None:
            self.worker.stop()
            self.worker.join(QUIT_GRACE)
        for thread in self._pending:
            thread.join(QUIT_GRACE)
        if self._settings.has_hash_file:
            self.interrupt()

    def join(self) -> None:
        """Wait until no worker runs, or the output is closed."""
        while self.busy():
            assert self.worker is not None
            self.writer.check()
            self.worker.join(0.2)  # on Windows, Ctrl-C does not interrupt a wait without a timeout

    def interrupt(self) -> None:
        """Stop the running work; its answer is still written. Save the hash file."""
        if self.worker is not None:
            self.worker.stop()
            self.worker.join()
        self._settings.finish()

    def close(self) -> None:
        """Stop the running work and close all files; later commands are not executed."""
        self.interrupt()
        self.worker = None
        self.resources.close()

    def busy(self) -> bool:
        """Return whether a search or a task runs."""
        return self.worker is not None and self.worker.busy()

    def completed(self) -> bool:
        """Return whether the last search or task finished without being stopped."""
        return self.worker is not None and self.worker.completed

    def say(self, text: str) -> None:
        """Write an ``info string``."""
        self.writer.lines(format_message(text))

    def _introduce(self) -> None:
        evaluation = f" ({self.loader.evaluation})" if self.loader.evaluation else ""
        self.writer.lines(
            f"id name Pythagoras {__version__}{evaluation}",
            "id author the Pythagoras developers",
            *(option.declare() for option in self.options.all),
            "uciok",
        )
        self.loader.listen(self.say)

    def _answer_when_ready(self) -> None:
        """Answer at once during a search; otherwise wait for the kernels, at most `READY_AFTER`."""
        if self.busy() or self._ready.is_set():
            self._settings.apply_if_idle()
            self.writer.lines("readyok")
            return

        def answer() -> None:
            self._ready.wait(READY_AFTER)
            self._settings.apply_if_idle()
            self.writer.lines("readyok")

        self._pending = [thread for thread in self._pending if thread.is_alive()]
        thread = threading.Thread(target=answer, name="readyok", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system cannot start another thread
            answer()
        else:
            self._pending.append(thread)

    def _set_option(self, name: str, text: str | None) -> None:
        option, value = self.options.parse(name, text)
        if option.name == "Clear Hash":
            self._settings.request_clear()
        elif option.name == "Save Hash":
            self._settings.request_save()
        elif option.name == "UCI_Opponent":
            opponent_rating(str(value))
        elif isinstance(value, str) and (told := self.resources.open(option.name, value)):
            self.say(told)
        if self.resources.tables is not None:
            self._probe.start()
        self.options.set(option.name, value)
        self._settings.apply_if_idle()

    def _set_position(self, position: SetPosition) -> None:
        self._position = self.game.after(position, self.options.flag("UCI_Chess960"))
        self._rejected = ""
        if self._position.notes:
            self.say(f"FEN: {self._position.notes}")

    def _go(self, go: Go) -> None:
        started = self._now()
        if self._rejected:
            self.say(self._no_position())
            self._answer_without_move(go.ponder, go.until_stop)
            return
        from uci.session.nodes_clock import NodesClock
        from uci.session.search_request import make_request

        self._nodes_clock = self._nodes_clock or NodesClock()
        request = make_request(
            go,
            self.game,
            self.options,
            self.resources,
            self._nodes_clock,
            started,
            patient=self._patient,
        )
        if self.debug:
            self.say(f"soft limit {request.budget.soft} ms, hard limit {request.budget.hard} ms")
        from uci.session.go import GoWorker

        self._begin(GoWorker(self.loader, self.writer, request, self._settings.prepare, self._now))

    def _no_position(self) -> str:
        return f"the last position was rejected, send a valid one first: {self._rejected}"

    def _start_task(self, command: Command) -> None:
        from uci.session.tasks import Task, work_for

        placeless = commands.Bench | commands.SpeedTest | commands.GenFens
        if self._rejected and not isinstance(command, placeless):
            raise UciError(self._no_position())
        chess960, threads = self.options.flag("UCI_Chess960"), self.options.number("Threads")
        work = work_for(command, self.game, chess960, threads, self._settings.prepare)
        preemptible = isinstance(command, commands.Perft)
        self._begin(Task(self.loader, self.writer, work, preemptible))

    def _begin(self, worker: Worker) -> None:
        self.loader.listen(self.say)
        before, self.worker = self.worker, worker
        try:
            worker.start(before)
        except RuntimeError:
            self.say("could not start a search thread; command aborted")
            worker.halt()
            worker.run()
