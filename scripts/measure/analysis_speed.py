"""Measure how much of the search speed remains when several processes analyse games.

Usage: python -m scripts.measure.analysis_speed [--games 20] [--nodes 200000] [--jobs 2], on an idle
machine. Alternately, the workers of ``pythagoras analyse`` and plain engines, whose output is only
parsed after the clock has stopped, search the same positions in the same chunks. Both search the
same trees, which is checked, so the nodes are equal, including those of each chunk's neighbour, and
only the time differs.

Each clock runs from the start of the processes. The workers' nodes per second are all nodes divided
by the time until the last game is done. The plain engines' are the sum over engines, each until its
own games are done, so that waiting never counts.
"""

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from time import perf_counter

from scripts.match.builds import MatchError
from scripts.match.command_line import command_line
from scripts.match.openings import read_openings
from scripts.match.runner import OPENINGS
from scripts.measure.weak_games import weak_games
from uci.apps.analyse.analysis_settings import AnalysisSettings
from uci.apps.analyse.analyst import OPTIONS as ADDED
from uci.apps.analyse.analyst import PositionAnalysis, chunks, last_lines, requests
from uci.apps.analyse.parallel import GameJob, analyse_games
from uci.apps.engines.client import OURS, EngineClient, EngineGone
from uci.apps.engines.executor import TaskLost
from uci.apps.engines.thread_pool import ThreadPool
from uci.errors import UciError

PLIES = 80
OPTIONS = AnalysisSettings().options


def make_games(count: int, seed: int) -> list[GameJob]:
    """Return weak games that did not end before the last ply."""
    source = weak_games(read_openings(OPENINGS), PLIES, seed)
    made = ((game.board().fen(), [*game.mainline_moves()]) for game in source)
    whole = (entry for entry in made if len(entry[1]) == PLIES)
    return [
        GameJob(number, start, tuple(move.uci() for move in moves))
        for number, (start, moves) in enumerate(islice(whole, count), 1)
    ]


def run_workers(
    games: Sequence[GameJob], go: str, jobs: int
) -> tuple[list[list[PositionAnalysis]], float]:
    """Return the analyses of each game by workers, and the seconds."""
    start = perf_counter()
    with ThreadPool(jobs) as pool:
        seen = [analyses for _, analyses in analyse_games(games, go, pool, OPTIONS)]
        return seen, perf_counter() - start


def run_bare(games: Sequence[GameJob], go: str) -> tuple[list[list[PositionAnalysis]], int, float]:
    """Return one plain engine's analyses of each game, all its nodes, and its seconds.

    Raises `EngineGone`, and `UciError` if it cannot be started.
    """
    start = perf_counter()
    engine = EngineClient(OURS, ADDED | OPTIONS)
    try:
        said = [
            [
                [engine.ask(lines, "bestmove") for lines in requests(part)]
                for part in chunks(game.start, game.moves, go)
            ]
            for game in games
        ]
        seconds = perf_counter() - start
    finally:
        engine.close()
    analyses = [
        [[PositionAnalysis(last_lines(each)) for each in reversed(part)] for part in game]
        for game in said
    ]
    nodes = sum(analysis.nodes for game in analyses for part in game for analysis in part)
    return [_without_neighbours(game) for game in analyses], nodes, seconds


def _without_neighbours(parts: Sequence[Sequence[PositionAnalysis]]) -> list[PositionAnalysis]:
    """Return the analyses of a game without duplicates: a chunk ends with the first position of the
    next."""
    return [analysis for part in parts[:-1] for analysis in part[:-1]] + [*parts[-1]]


def compare(games: Sequence[GameJob], go: str, jobs: int) -> tuple[float, float]:
    """Return the nodes per second of workers, and of as many plain engines, measured alternately.

    Raises `MatchError` if they did not search the same trees.
    """
    seen, seconds = run_workers(games, go, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        shares = [games[number::jobs] for number in range(jobs)]
        bare = [*pool.map(lambda share: run_bare(share, go), shares)]
    for number, (analyses, _, _) in enumerate(bare):
        if list(map(trees, analyses)) != list(map(trees, seen[number::jobs])):
            raise MatchError("the workers and the plain engines have not searched the same trees")
    nodes = sum(count for _, count, _ in bare)
    return nodes / seconds, sum(count / spent for _, count, spent in bare)


def trees(analyses: Iterable[PositionAnalysis]) -> list[tuple[object, ...]]:
    """Return the values that two searches of the same trees have in common."""
    return [
        (line.cp, line.mate, line.pv, line.nodes)
        for analysis in analyses
        for line in analysis.lines
    ]


@command_line("analysis_speed")
def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the ratio; return the exit status."""
    parser = argparse.ArgumentParser(prog="analysis_speed", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--games", type=int, default=20, help=f"number of games of {PLIES} plies (%(default)s)"
    )
    parser.add_argument(
        "--nodes", type=int, default=200_000, help="nodes per position (%(default)s)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="number of processes (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the games (1)")
    options = parser.parse_args(arguments)
    games = make_games(options.games, options.seed)
    ratios = []
    for number in range(options.rounds):
        try:
            ours, bare = compare(games, f"nodes {options.nodes}", options.jobs)
        except (OSError, EngineGone, TaskLost, UciError) as error:
            raise MatchError(str(error)) from None
        ratios.append(ours / bare)
        print(
            f"round {number + 1} of {options.rounds}: {ours:,.0f} nodes per second by the workers,"
            f" {bare:,.0f} by plain engines: {ours / bare:.3f}",
            flush=True,
        )
    print(f"median {statistics.median(ratios):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
