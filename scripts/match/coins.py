"""Test several ideas with the same games, by randomised ablation.

Usage: python -m scripts.match.coins STATE NAME=VALUE [NAME=VALUE ...]. An idea is another value of
a search parameter (`engine.search.parameters`); an unreachable value turns a step off. In each pair
of games, every idea is given at random to one of the two sides, so every game measures all ideas,
each combined with random others. A line of STATE stores a pair; the same command resumes a stopped
run.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from scripts.match.arena import play
from scripts.match.builds import Build, MatchError, build
from scripts.match.command_line import add_match_options, command_line
from scripts.match.elo import PairResults
from scripts.match.kept_games import digest_of
from scripts.match.openings import distinct_pairs, read_openings, shuffled
from scripts.match.players import Player, Workers
from scripts.match.spsa import read_parameters

REPORT_EVERY = 50
"""Number of pairs between two printed tables."""


def toss(names: Sequence[str], number: int, seed: int) -> list[str]:
    """Return the ideas of the first player in pair ``number``; the second player has the others."""
    rng = random.Random(seed * 1_000_003 + number)
    return [name for name in names if rng.random() < 0.5]


class Coins:
    """The results of ``ideas``, each from the view of the side that has it."""

    def __init__(self, ideas: Mapping[str, int], seed: int) -> None:
        self.ideas, self.seed = ideas, seed
        self.done: set[int] = set()
        self._results = {name: PairResults() for name in ideas}

    def add(self, number: int, first: float, second: float) -> None:
        """Count pair ``number`` by the points of its first player in each game."""
        self.done.add(number)
        had = toss(list(self.ideas), number, self.seed)
        for name, results in self._results.items():
            results.add((first, second) if name in had else (1 - first, 1 - second))

    def __str__(self) -> str:
        rows = [f"{2 * len(self.done)} games"]
        for name, results in self._results.items() if self.done else ():
            rows.append(f"{name + '=' + str(self.ideas[name]):32} {results}")
        return "\n".join(rows)


def resume(state: Path, facts: Mapping[str, object], coins: Coins) -> IO[str]:
    """Count the pairs stored in STATE; return it, opened for appending. Raises `MatchError`.

    An incomplete last line is removed.
    """
    file = state.open("a+", encoding="utf-8", newline="\n")
    file.seek(0)
    try:
        *whole, torn = file.read().split("\n")
        lines = [json.loads(line) for line in whole]
        if torn and not lines:
            raise ValueError("its first line is incomplete")
        # Compared as text: the order of the ideas matters, since it determines who has which.
        if lines and json.dumps(lines[0]) != json.dumps(facts):
            raise MatchError(
                f"{state} belongs to other ideas, engines or options, or another order"
            )
        for number, first, second in lines[1:]:
            coins.add(number, first, second)
    except (ValueError, TypeError) as error:
        raise MatchError(f"{state} is not a file of pairs of games: {error!r}") from None
    file.truncate(file.tell() - len(torn.encode()))
    if not lines:
        print(json.dumps(facts), file=file, flush=True)
    return file


def run(
    made: Build,
    usual: Mapping[str, int],
    coins: Coins,
    file: IO[str],
    options: argparse.Namespace,
) -> None:
    """Play the missing pairs to the end, or until Ctrl-C; ``usual`` are the values without the
    ideas.

    Raises `MatchError`.
    """
    suite, pairs = read_openings(options.openings), options.games // 2
    if len(coins.ideas) == 1:  # with several, a repeated opening may have other players
        pairs = distinct_pairs(pairs, suite)
    fens = shuffled(suite, options.seed, pairs)

    def new_players() -> Iterator[Player]:
        return (Player(made, options.nodes, None) for _ in range(2))

    def play_pair(number: int, players: Sequence[Player]) -> tuple[float, float]:
        had = toss(list(coins.ideas), number, options.seed)
        for name, value in coins.ideas.items():
            having, lacking = players if name in had else players[::-1]
            having.tell(f"set {name} {value}")
            lacking.tell(f"set {name} {usual[name]}")
        fen = fens[number]
        return play(fen, players)[0], 1 - play(fen, players[::-1])[0]

    def add(number: int, points: tuple[float, float]) -> None:
        print(json.dumps([number, *points]), file=file, flush=True)
        coins.add(number, *points)
        if len(coins.done) % REPORT_EVERY == 0:
            print(coins, flush=True)

    missing = iter([number for number in range(pairs) if number not in coins.done])
    Workers(options.concurrency, new_players, missing, play_pair, add).run()


def _idea(text: str) -> tuple[str, int]:
    """Read NAME=VALUE, for argparse."""
    name, _, value = text.partition("=")
    return name, int(value)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="coins", description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path, help="state file, new or to be resumed")
    parser.add_argument("ideas", nargs="+", type=_idea, metavar="NAME=VALUE")
    parser.add_argument(
        "--nodes", type=int, default=5000, help="soft limit of nodes per move (5000)"
    )
    add_match_options(parser, games=6000)
    return parser.parse_args(arguments)


@command_line("coins")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    ideas = dict(options.ideas)
    if len(ideas) < len(options.ideas):
        raise MatchError("each parameter can be given only once")
    os.environ["PYTHAGORAS_TUNE"] = "1"
    made = build(None, player=True)
    usual = {each["name"]: each["default"] for each in read_parameters(made, list(ideas))}
    coins = Coins(ideas, options.seed)
    facts = {
        "engine": made.key,
        "ideas": ideas,
        "nodes": options.nodes,
        "seed": options.seed,
        "openings": digest_of(options.openings),
    }
    with resume(options.state, facts, coins) as file:
        run(made, usual, coins, file, options)
    print(coins)
    return 0


if __name__ == "__main__":
    sys.exit(main())
