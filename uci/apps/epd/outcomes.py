"""The outcome of a position: the move, whether it is right, and since when."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from uci.apps.epd.suite_file import Problem
from uci.chess_io.convert import parse_move
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's answer: the lines of its first variation, and its move.

    Each line has the engine's own time, or the time at which it was received. ``spent`` is in
    milliseconds.
    """

    lines: tuple[tuple[int, ScoredLine], ...]
    bestmove: str
    spent: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judged answer of an engine to a position.

    ``time`` (milliseconds), ``depth`` and ``nodes`` are those when a right move was found and kept
    to the end, None if it is not solved; ``spent``, ``last_depth`` and ``all_nodes`` are those of
    the whole search. ``cp`` or ``mate`` is its score. ``error`` is the reason if there is no
    answer.
    """

    move: str
    san: str
    solved: bool
    points: int | None
    time: int | None
    depth: int | None
    nodes: int | None
    spent: int
    last_depth: int
    all_nodes: int
    cp: int | None
    mate: int | None
    error: str = ""

    @property
    def counted(self) -> int:
        """The milliseconds that count: up to the solution, or all if not solved."""
        return self.spent if self.time is None else self.time


def failed(problem: Problem, reason: str, spent: int = 0) -> Outcome:
    """Return the outcome if an engine gave no answer."""
    points = problem.goal.points_of(None)
    return Outcome(
        "", "", False, points, None, None, None, spent, 0, 0, None, None, reason
    )  # fmt: skip


def judge(problem: Problem, search: Answer) -> Outcome:
    """Return the outcome of a position."""
    try:
        move = parse_move(problem.board, search.bestmove)
    except UciError:
        return failed(problem, f"illegal move: {search.bestmove}", search.spent)
    exact = [line for _, line in search.lines if not line.bound]
    last = exact[-1] if exact else None
    solved = problem.goal.reached(move, last.mate if last else None)
    came = came_and_stayed(search.lines, _is_right(problem)) if solved else None
    time, line = came or (search.spent, last)
    return Outcome(
        move=search.bestmove,
        san=problem.board.san(move),
        solved=solved,
        points=problem.goal.points_of(move),
        time=time if solved else None,
        depth=(line.depth if line else 0) if solved else None,
        nodes=(line.nodes if line else 0) if solved else None,
        spent=search.spent,
        last_depth=max((line.depth for _, line in search.lines), default=0),
        all_nodes=max((line.nodes for _, line in search.lines), default=0),
        cp=last.cp if last else None,
        mate=last.mate if last else None,
    )


def came_and_stayed(
    lines: Iterable[tuple[int, ScoredLine]], right: Callable[[ScoredLine], bool | None]
) -> tuple[int, ScoredLine] | None:
    """Return the time and the line since which all lines are right; None if the last is not.

    Lines for which ``right`` returns None are skipped.
    """
    since: tuple[int, ScoredLine] | None = None
    for time, line in lines:
        verdict = right(line)
        if verdict is False:
            since = None
        elif verdict and since is None:
            since = time, line
    return since


def _is_right(problem: Problem) -> Callable[[ScoredLine], bool | None]:
    """Return a function that judges a line."""
    goal, board = problem.goal, problem.board

    def by_score(line: ScoredLine) -> bool | None:
        return None if line.bound else goal.reached(None, line.mate)

    def by_move(line: ScoredLine) -> bool | None:
        if not line.pv:
            return None
        try:
            return goal.reached(parse_move(board, line.pv[0]), None)
        except UciError:
            return False

    return by_score if goal.asks_for_mate else by_move


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of outcomes: times in milliseconds, points None if there are none.

    ``depth`` is the mean over searches without a mate score at the end, None if all have one: with
    a mate, a search reaches its maximum depth in no time.
    """

    positions: int
    solved: int
    points: int | None
    most: int | None
    time: int
    nodes: int
    depth: float | None
    errors: int


def total(goals: Sequence[int | None], outcomes: Sequence[Outcome]) -> Total:
    """Add up outcomes; ``goals`` are the maximum points of each position, None if it has none."""
    most = [each for each in goals if each is not None]
    depths = [each.last_depth for each in outcomes if each.last_depth and each.mate is None]
    return Total(
        positions=len(outcomes),
        solved=sum(each.solved for each in outcomes),
        points=sum(each.points or 0 for each in outcomes) if most else None,
        most=sum(most) if most else None,
        time=sum(each.counted for each in outcomes),
        nodes=sum(each.all_nodes for each in outcomes),
        depth=fmean(depths) if depths else None,
        errors=sum(bool(each.error) for each in outcomes),
    )
