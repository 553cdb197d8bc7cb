"""Engines that search the same positions, one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from uci.apps.engines.client import PATIENCE, EngineClient, EngineGone
from uci.apps.engines.task_worker import count, keep
from uci.apps.epd.outcomes import Answer, Outcome, failed, judge
from uci.apps.epd.suite_file import Problem
from uci.errors import UciError
from uci.protocol.scored_line import parse_info
from uci.session.settings import Shortfall

SLOWER = 10
"""An engine may take this many times its time limit, plus `PATIENCE`."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The names of a group's engines, and the options that some do not have.

    ``short`` has, for each engine, the options that the system could not provide in full.
    """

    names: tuple[str, ...]
    missing_options: tuple[str, ...]
    short: tuple[tuple[Shortfall, ...], ...]


class EngineGroup:
    """One engine for each of ``words``."""

    def __init__(self, words: Sequence[str], options: Mapping[str, str]) -> None:
        self.engines = [EngineClient(word, options) for word in words]

    def stop(self) -> None:
        """Stop the engines, now and after every later request; callable from any thread."""
        for engine in self.engines:
            engine.stop()

    def close(self) -> None:
        """End the engines, and wait until they have ended."""
        self.stop()
        for engine in self.engines:
            engine.close()


def introduce(words: Sequence[str], options: Mapping[str, str]) -> Introduction:
    """Start the engines, and return their introductions: a task for an executor.

    Raises as `solve` does.
    """
    engines = keep(EngineGroup, words, options).engines
    for engine in engines:
        _start(engine)
    missing_options = (
        f"{each.name} has no option {option}" for each in engines for option in each.missing_options
    )
    names, short = (each.name for each in engines), (each.short for each in engines)
    return Introduction(tuple(names), tuple(missing_options), tuple(short))


def solve(
    words: Sequence[str], options: Mapping[str, str], problem: Problem, go: tuple[str, int]
) -> list[Outcome]:
    """Return each engine's answer; ``go`` is a limit of UCI's `go` with its number.

    A task for an executor. Raises `UciError` if an engine does not start, `TaskStopped`, and
    `EngineGone` if our own engine ends.
    """
    engines = keep(EngineGroup, words, options).engines
    outcomes = [_solve(engine, problem, go) for engine in engines]
    count(sum(outcome.all_nodes for outcome in outcomes))
    return outcomes


def _start(engine: EngineClient) -> None:
    try:
        if engine.start():
            # A first search loads or compiles what it needs, which is not to be timed.
            engine.ask(["go depth 1"], "bestmove", PATIENCE)
    except EngineGone as error:
        if engine.is_ours:
            raise
        raise UciError(str(error)) from None


def _solve(engine: EngineClient, problem: Problem, go: tuple[str, int]) -> Outcome:
    _start(engine)
    name, number = go
    patience = PATIENCE + SLOWER * number / 1000 if name == "movetime" else None
    try:
        return judge(problem, _answer(engine, problem, f"{name} {number}", patience))
    except EngineGone as error:
        if engine.is_ours:
            raise
        return failed(problem, str(error))


def _answer(engine: EngineClient, problem: Problem, go: str, patience: float | None) -> Answer:
    """Return the engine's answer with an empty table; ``go`` are parameters of UCI's `go`."""
    prepare = ["ucinewgame", "isready"]
    if "UCI_Chess960" in engine.options:
        chess960 = problem.board.has_chess960_castling_rights()
        prepare.insert(0, f"setoption name UCI_Chess960 value {str(chess960).lower()}")
    engine.ask(prepare, "readyok", PATIENCE)
    started = perf_counter()
    heard = engine.ask([f"position fen {problem.board.fen()}", f"go {go}"], "bestmove", patience)
    lines = []
    for at, text in heard:
        line = parse_info(text)
        if line is not None and line.multipv == 1:
            lines.append((line.time if " time " in text else _ms(at - started), line))
    at, text = heard[-1]
    bestmove = text.partition(" ")[2].partition(" ")[0]
    return Answer(tuple(lines), bestmove, _ms(at - started))


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
