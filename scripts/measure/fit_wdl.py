"""Fit the model of ``uci/strength/wdl.py`` to games: the winning probability of each score.

Usage: python -m scripts.measure.fit_wdl GAMES.pgn … [--name Pythagoras] [--skip 16] [--most 1000]

It reads the scores in the comments that cutechess-cli and fastchess write after each move. It
prints the constants of maximum likelihood, their standard errors, and a comparison of model and
games. The errors assume independent positions, but those of one game are not: the true errors are
several times as large.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import chess.pgn
import numpy as np
from numpy.typing import NDArray

from scripts.console import print_table
from scripts.match.builds import MatchError
from scripts.match.command_line import command_line
from scripts.match.pgn import ORDINARY, POINTS, ending_of

Floats = NDArray[np.float64]

ENOUGH = 100
"""Minimum number of positions for a fit."""

STEPS = 200
CLOSE = 1e-6
TINY = 1e-300

_SCORE = re.compile(r"\s*([+-]?\d+\.\d+)/\d+")


@dataclass(frozen=True, slots=True)
class Fit:
    """The constants in centipawns, their standard errors, and the log-likelihood per position."""

    half_won: float
    slope: float
    errors: tuple[float, float]
    likelihood: float


def samples(pgn: TextIO, name: str | None, skip: int, most: int) -> Iterator[tuple[float, int]]:
    """Yield a score in centipawns and the game's result (1, 0, -1), both the mover's.

    Only moves of ``name``, unless None; without the first ``skip`` plies, mates and scores beyond
    ``most``. Unfinished games are skipped.
    """
    while (game := chess.pgn.read_game(pgn)) is not None:
        points = POINTS.get(game.headers["Result"])
        if points is None or ending_of(game.headers) not in ORDINARY:
            continue
        result = round(2 * points - 1)
        for ply, node in enumerate(game.mainline()):
            score, is_black = _SCORE.match(node.comment), node.turn()
            player = game.headers["Black" if is_black else "White"]
            if score is None or ply < skip or name not in (None, player):
                continue
            centipawns = 100 * float(score[1])
            if abs(centipawns) <= most:
                yield centipawns, -result if is_black else result


def chances(scores: Floats, half_won: float, slope: float) -> Floats:
    """Return the probabilities of win, draw and loss, one per row."""
    win = 1 / (1 + np.exp((half_won - scores) / slope))
    loss = 1 / (1 + np.exp((half_won + scores) / slope))
    return np.maximum(np.stack([win, 1 - win - loss, loss]), TINY)


def fit(scores: Floats, results: NDArray[np.int64]) -> Fit:
    """Return the constants of maximum likelihood, by Fisher scoring.

    Raises `ValueError` if there are not enough games.
    """
    if len(scores) < ENOUGH or len(set(results.tolist())) < 3:
        raise ValueError(f"{len(scores)} positions: too few, or without wins, draws and losses")
    rows = 1 - results  # win, draw, loss
    constants = np.array([100.0, 100.0])
    likelihood = _likelihood(scores, rows, constants)
    for _ in range(STEPS):
        gradient, information = _slopes(scores, rows, constants)
        step = np.linalg.solve(information, gradient)
        while (constants + step).min() <= 0 or (
            _likelihood(scores, rows, constants + step) < likelihood
        ):
            step /= 2
            if np.abs(step).max() < CLOSE:
                break
        else:
            constants = constants + step
            likelihood = _likelihood(scores, rows, constants)
        if np.abs(step).max() < CLOSE:
            break
    else:
        raise ValueError("the fit does not converge")
    errors = np.sqrt(np.diag(np.linalg.inv(_slopes(scores, rows, constants)[1])))
    half_won, slope = map(float, constants)
    return Fit(half_won, slope, (float(errors[0]), float(errors[1])), likelihood / len(scores))


def _likelihood(scores: Floats, rows: NDArray[np.int64], constants: Floats) -> float:
    probable = chances(scores, *constants)
    return float(np.log(probable[rows, np.arange(len(rows))]).sum())


def _slopes(scores: Floats, rows: NDArray[np.int64], constants: Floats) -> tuple[Floats, Floats]:
    """Return the gradient of the log-likelihood and the expected information."""
    half_won, slope = constants
    probable = chances(scores, half_won, slope)
    win, _, loss = probable
    # Derivatives with respect to both constants, shape (2, positions).
    ones = np.ones_like(scores)
    of_win = -win * (1 - win) / slope * np.stack([ones, (scores - half_won) / slope])
    of_loss = -loss * (1 - loss) / slope * np.stack([ones, (-scores - half_won) / slope])
    of_all = np.stack([of_win, -(of_win + of_loss), of_loss])
    index = np.arange(len(rows))
    gradient = (of_all[rows, :, index] / probable[rows, index][:, None]).sum(axis=0)
    information = np.einsum("kin,kjn->ij", of_all / probable[:, None, :], of_all)
    return gradient, information


HEADER = "centipawns", "positions", "games: + = - %", "model: + = - %"


def table(scores: Floats, results: NDArray[np.int64], found: Fit) -> Iterator[tuple[str, ...]]:
    """Yield the shares of wins, draws and losses by score, of the games and of the model."""
    for low in range(-500, 500, 100):
        here = (scores >= low) & (scores < low + 100)
        if here.any():
            games = [100 * float((results[here] == result).mean()) for result in (1, 0, -1)]
            model = 100 * chances(scores[here], found.half_won, found.slope).mean(axis=1)
            yield (
                *(f"{low} to {low + 99}", f"{int(here.sum())}"),
                *(" ".join(f"{share:.0f}" for share in shares) for shares in (games, model)),
            )


def _read(paths: Iterable[Path], options: argparse.Namespace) -> tuple[Floats, NDArray[np.int64]]:
    found: list[tuple[float, int]] = []
    for path in paths:
        try:
            with path.open(encoding="utf-8", errors="replace") as pgn:
                found += samples(pgn, options.name, options.skip, options.most)
        except OSError as error:
            raise MatchError(f"{path}: {error.strerror}") from None
    return np.array([s for s, _ in found], np.float64), np.array([r for _, r in found], np.int64)


@command_line("fit_wdl")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="fit_wdl", description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="+", type=Path, help="PGN files")
    parser.add_argument("--name", help="only scores of this player (default: both)")
    parser.add_argument("--skip", type=int, default=16, help="plies of the opening to skip (16)")
    parser.add_argument("--most", type=int, default=1000, help="maximum score in centipawns (1000)")
    options = parser.parse_args(arguments)
    scores, results = _read(options.games, options)
    try:
        found = fit(scores, results)
    except ValueError as error:
        raise MatchError(str(error)) from None
    print_table(HEADER, table(scores, results, found))
    print(f"log-likelihood {found.likelihood:.4f} a position, {len(scores)} positions")
    print(f"HALF_WON = {found.half_won:.1f}  # ± {found.errors[0]:.1f}")
    print(f"SLOPE = {found.slope:.1f}  # ± {found.errors[1]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
