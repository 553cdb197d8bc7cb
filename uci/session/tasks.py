"""What the engine is asked beside searching: perft, bench, eval, the position."""

from collections.abc import Callable, Iterator
from time import perf_counter

from uci.chess_io.adapter import Game, text_of
from uci.protocol.commands import Bench, Command, Perft, format_message
from uci.protocol.writer import Writer
from uci.session.backend import Engine
from uci.session.halt import Halt
from uci.session.loader import Loader
from uci.session.worker import Worker

Work = Callable[[Engine, Halt], Iterator[str]]


class Errand(Worker):
    """Work that writes lines of its own: bench, perft, eval."""

    def __init__(self, loader: Loader, writer: Writer, work: Work, yields: bool) -> None:
        """Prepare it; a search that is asked for behind it ends one that ``yields``."""
        super().__init__(loader, writer)
        self._work = work
        self.yields = yields

    def work(self) -> None:
        """Do the work, line by line."""
        engine = self.wait_for_engine()
        if engine is None:
            if not self.halted.is_set():
                self.say("this needs the engine, which could not be loaded")
            return
        try:
            for line in self._work(engine, self.halted):
                self.writer.lines(line)
            self.completed = not self.halted.is_set()
        except MemoryError as error:
            self.say(str(error) or "out of memory")
        except Exception as error:  # noqa: BLE001  (the session lives on)
            self.say(f"internal error: {error!r}")


def work_of(command: Command, game: Game, chess960: bool, threads: int) -> Work:
    """Return what an errand's command asks for: a function that yields its lines."""
    match command:
        case Perft():
            return lambda engine, halt: perft(engine, game, command, threads, chess960, halt)
        case Bench(plies):
            return lambda engine, halt: engine.bench(plies, threads, halt.is_set)
    return lambda engine, halt: evaluate(engine, game)


def perft(
    engine: Engine, game: Game, order: Perft, threads: int, chess960: bool, halt: Halt
) -> Iterator[str]:
    """Yield the leaves behind each root move, if asked to divide, and alone at last the sum."""
    started, total, board, depth = perf_counter(), 0, game.board, order.depth
    moves = engine.perft(board, depth, threads, order.hash, halt) if depth else [(0, 1)]
    for move, leaves in moves:
        total += leaves
        if order.divide and depth:
            yield f"{text_of(move, chess960)}: {leaves}"
    if halt.is_set():
        yield format_message("perft was ended before all leaves were counted")
        return
    seconds = perf_counter() - started
    speed = total / max(seconds, 1e-6) / 1e6
    yield format_message(f"{seconds:.3f} s, {speed:.1f} million leaves per second")
    yield str(total)


def evaluate(engine: Engine, game: Game) -> Iterator[str]:
    """Yield the static evaluation."""
    yield format_message(f"evaluation {engine.evaluate(game.board)} cp for the side to move")


def show(engine: Engine | None, game: Game) -> Iterator[str]:
    """Yield the board, its FEN, and its key as soon as there is an engine to tell it."""
    yield str(game.board)
    yield f"Fen: {game.board.fen()}"
    if engine is not None:
        yield f"Key: {engine.key(game.board):016X}"
