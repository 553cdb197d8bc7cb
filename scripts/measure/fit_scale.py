"""Fit the table of `uci.apps.games.stockfish_scale`: our centipawns and Stockfish's.

Usage: python -m scripts.measure.fit_scale FOLDER [--nodes N] [--stockfish-nodes N]

FOLDER is one of `make verdicts`, with another seed than that of the comparison of verdicts. Of all
lines with one bend, the script prints the one with which our verdicts on these games' moves agree
best with Stockfish's, by weighted kappa.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TypeAlias

from scripts.console import track
from scripts.match.builds import MatchError
from scripts.match.command_line import command_line
from scripts.match.runner import find_engine
from scripts.measure.agreement import kappa, matrix_of
from scripts.measure.verdicts import STOCKFISH_NODES, ours, pairs_of, read_games, stockfish
from uci.apps.analyse.analysis_settings import NODES
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.judge import rescaled
from uci.apps.analyse.lichess import SCALE
from uci.apps.analyse.parallel import GameJob
from uci.apps.games.stockfish_scale import Knots

SLOPES = 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0
"""Slopes before the bend: Stockfish's centipawns per centipawn of ours."""

BENDS = 400, 600, 800
"""Heights of the bend, in Stockfish's centipawns."""

LATER = 0.25, 0.5, 0.75, 1.0
"""Slopes after the bend."""

FAR = 1000
"""Distance of the last knot from the bend, in our centipawns."""

SeenGame: TypeAlias = tuple[GameJob, Sequence[PositionAnalysis], Sequence[PositionAnalysis]]
"""A game, with Stockfish's analysis and ours."""


def line_with_a_bend(slope: float, height: int, later: float) -> Knots:
    """Return the knots of a line that bends at Stockfish's ``height`` centipawns."""
    bend = round(height / slope)
    return (0, 0), (bend, height), (bend + FAR, height + round(FAR * later))


def agreement(games: Sequence[SeenGame], knots: Knots) -> float:
    """Return weighted kappa over all moves, with our scores converted."""
    pairs = (
        pair.severities
        for game, reference, own in games
        for pair in pairs_of(game, reference, rescaled(own, knots))
    )
    return kappa(matrix_of(pairs, len(SCALE)))


def fit(games: Sequence[SeenGame]) -> tuple[float, Knots]:
    """Return the best agreement and its knots; the first ones in case of a tie."""
    lines = [line_with_a_bend(*each) for each in product(SLOPES, BENDS, LATER)]
    found = [(agreement(games, knots), knots) for knots in track(lines, "lines", len(lines))]
    return max(found, key=lambda each: each[0])


@command_line("fit_scale")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="fit_scale", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of games.pgn and its analyses")
    parser.add_argument(
        "--nodes", type=int, default=NODES, help="our nodes per position (%(default)s)"
    )
    parser.add_argument("--stockfish-nodes", type=int, default=STOCKFISH_NODES)
    options = parser.parse_args(arguments)
    path = find_engine("stockfish") or "stockfish"
    observers = stockfish(options.stockfish_nodes, 1, path), ours(options.nodes, 1)
    games = []
    for game in read_games(options.folder / "games.pgn"):
        reference, own = (observer.seen(game, options.folder) for observer in observers)
        if reference and own:
            games.append((game, reference, own))
    if not games:
        raise MatchError(f"{options.folder}: no game was analysed by both engines")
    best, knots = fit(games)
    moves = sum(len(game.moves) for game, _, _ in games)
    print(f"{moves:,} moves of {len(games)} games, weighted kappa {best:.3f}")
    print(f"KNOTS = {knots}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
