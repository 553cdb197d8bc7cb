"""Measure how much of the search speed remains when games are generated.

Usage: python -m scripts.measure.datagen_speed [--nodes 5000] [--seconds 20] [--threads N], on an
idle machine. Alternately, games are generated into a file, and the same searches are repeated one
by one, with the clock running only during searches. The ratio is the result.
"""

import argparse
import os
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter

from engine.board.annotations import Words
from engine.board.makemove import make
from engine.datagen.factory import Factory, Player, Settings
from engine.datagen.game_file import Appender
from engine.datagen.game_record import MOVES, moves_end
from engine.datagen.root import search
from engine.datagen.selfplay import go_to_start
from engine.jit import kernel
from uci.apps.datagen.fill_file import GAMES_PER_BLOCK

ROUNDS = 3


def generate(
    players: list[Player], file: Appender, seconds: float, first: int
) -> tuple[float, list[Words]]:
    """Return the nodes per second of generated positions, and the games.

    The clock runs from the first finished game to the last, so unfinished games do not count. There
    is at least one game for each player.
    """
    for player in players:
        player.game.halt = 0
    factory = Factory(players, (partial(Player.play, number=n) for n in count(first)))
    games: list[Words] = []
    nodes, start = -1, perf_counter()
    ends = start + seconds
    while perf_counter() < ends or len(games) <= len(players):
        for game in factory.games(0.2):
            if nodes < 0:
                nodes, start = 0, perf_counter()
            else:
                nodes += game.nodes
            games.append(game.words)
            now = perf_counter()
            if len(games) % GAMES_PER_BLOCK == 0:
                file.append(games[-GAMES_PER_BLOCK:])
    factory.close()
    return nodes / (now - start), games


def search_again(players: list[Player], games: list[Words], seconds: float) -> float:
    """Return the nodes per second, of all threads together, during searches only."""
    ends = perf_counter() + seconds

    def speed(player: Player, share: list[Words]) -> float:
        nodes, spent = 0, 0.0
        pos, th, root = player.pos, player.th, player.root
        for words in share:
            player.game.words[: len(words)] = words
            go_to_start(pos, th, player.game)
            for at in range(MOVES, int(moves_end(words, 0)), 2):
                start = perf_counter()
                search(pos, th, root)
                spent += perf_counter() - start
                nodes += int(th.nodes)
                make(pos, int(words[at]))
            if perf_counter() > ends:
                break
        return nodes / spent

    shares = [games[index :: len(players)] for index in range(len(players))]
    with ThreadPoolExecutor(len(players)) as pool:
        return sum(pool.map(speed, players, shares))


def main() -> None:
    """Measure, and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000, help="soft limit of nodes per search")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds per measurement")
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count(), help="number of threads (default: all cores)"
    )
    options = parser.parse_args()
    kernel.warm()
    settings = Settings(nodes=options.nodes)
    players = [Player(settings) for _ in range(options.threads)]
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        file = Appender(Path(folder) / "games", {})
        for number in range(ROUNDS):
            made, games = generate(players, file, options.seconds, 1000 * number)
            alone = search_again(players, games, options.seconds)
            ratios.append(made / alone)
            print(
                f"round {number + 1} of {ROUNDS}: {made:,.0f} nodes per second in generation,"
                f" {alone:,.0f} in searches alone: {made / alone:.1%}",
                flush=True,
            )
        file.close()
    print(f"median {statistics.median(ratios):.1%}")


if __name__ == "__main__":
    main()
