"""The tasks bench, perft and eval, which run in a worker, and the lines of ``d``."""

from collections.abc import Callable, Iterator
from time import perf_counter

from uci.chess_io.convert import Game, move_to_uci
from uci.errors import UciError
from uci.protocol.commands import Bench, Command, GenFens, Perft, SpeedTest
from uci.protocol.messages import format_message
from uci.protocol.writer import Writer
from uci.session.backend import Backend
from uci.session.loader import Loader
from uci.session.piece_values import BY_RULE, ILLEGAL, piece_value_lines, unevaluated
from uci.session.worker import StopEvent, Worker
from uci.strength.wdl import wdl

Work = Callable[[Backend, StopEvent], Iterator[str]]


class Task(Worker):
    """A worker that writes the lines of a bench, perft or eval."""

    def __init__(self, loader: Loader, writer: Writer, work: Work, preemptible: bool) -> None:
        """Set the ``work``; if it is ``preemptible``, a search that is queued stops it."""
        super().__init__(loader, writer)
        self._work = work
        self.preemptible = preemptible

    def work(self) -> None:
        """Write the lines of the work, or an error."""
        backend = self.wait_for_backend()
        if backend is None:
            ended = self.halted.is_set()
            self._say(
                "stopped before the engine was loaded"
                if ended
                else "this command needs the engine, which failed to load"
            )
            return
        try:
            for line in self._work(backend, self.halted):
                self.writer.lines(line)
            self.completed = not self.halted.is_set()
        except UciError as error:
            self._say(str(error))
        except MemoryError as error:
            self._say(str(error) or "out of memory")
        except Exception as error:  # noqa: BLE001  (the session continues)
            self._say(f"internal error: {error!r}")

    def _say(self, text: str) -> None:
        self.writer.lines(format_message(text))


def work_for(
    command: Command,
    game: Game,
    chess960: bool,
    threads: int,
    prepare: Callable[[Backend], None],
) -> Work:
    """Return the function that yields the lines of a command.

    ``prepare`` sets up the backend by the options, for what depends on them.
    """

    def lines(backend: Backend, stop: StopEvent) -> Iterator[str]:
        match command:
            case Perft():
                return perft_lines(backend, game, command, threads, chess960, stop)
            case Bench(plies):
                return bench_lines(backend, plies, threads, stop)
            case SpeedTest():
                return speedtest_lines(command, stop)
            case GenFens():
                from uci.session.genfens import genfens

                prepare(backend)
                return genfens(command, backend.searcher.net, stop.is_set)
        return evaluation_lines(backend, game)

    return lines


def bench_lines(
    backend: Backend, plies: int | None, threads: int, stop: StopEvent
) -> Iterator[str]:
    """Yield a line for each position, then nodes and speed."""
    yield from backend.bench(plies, threads, stop.is_set)
    if stop.is_set():
        yield format_message("bench stopped before all positions were searched")


def speedtest_lines(command: SpeedTest, stop: StopEvent) -> Iterator[str]:
    """Yield a line for each game, then the report."""
    from engine.cores import cores
    from uci.session.speedtest import speedtest

    yield from speedtest(command, cores(), stop.is_set, stop.add_callback)
    if stop.is_set():
        yield format_message("speedtest was ended before all games were searched")


def perft_lines(
    backend: Backend, game: Game, command: Perft, threads: int, chess960: bool, stop: StopEvent
) -> Iterator[str]:
    """Yield the leaf count of each root move, if ``command`` divides, then time and total."""
    started, total, board, depth = perf_counter(), 0, game.board, command.depth
    moves = (
        backend.perft(board, depth, threads, command.hash, stop.add_callback) if depth else [(0, 1)]
    )
    for move, leaves in moves:
        total += leaves
        if command.divide and depth:
            yield f"{move_to_uci(move, chess960)}: {leaves}"
    if stop.is_set():
        yield format_message("perft stopped before all leaves were counted")
        return
    seconds = perf_counter() - started
    speed = total / max(seconds, 1e-6) / 1e6
    yield format_message(f"{seconds:.3f} s, {speed:.1f} million leaves per second")
    yield str(total)


def evaluation_lines(backend: Backend, game: Game) -> Iterator[str]:
    """Yield the piece values, the corrected eval with its WDL, and the static eval."""
    board, static = game.board, backend.evaluate(game.board)
    mark = unevaluated(backend, board)
    if mark == ILLEGAL:
        yield format_message("in check: the search does not evaluate this position")
    elif mark == BY_RULE:
        yield format_message("this position is a draw or evaluated by rule: no piece values")
    else:
        yield from piece_value_lines(backend, board)
        correction = backend.correction(board)
        win, draw, loss = wdl(static + correction)
        yield format_message(
            f"corrected evaluation {static + correction} cp, wdl {win} {draw} {loss}"
            " for the side to move"
        )
    yield format_message(f"evaluation {static} cp for the side to move")


def board_lines(backend: Backend | None, game: Game) -> Iterator[str]:
    """Yield the board, its FEN, and its key if there is a backend."""
    yield str(game.board)
    yield f"Fen: {game.board.fen()}"
    if backend is not None:
        yield f"Key: {backend.key(game.board):016X}"
