"""Tune search parameters with games: simultaneous perturbation (SPSA, James Spall, 1992).

Usage: python -m scripts.match.spsa STATE [--pairs N] [--only NAME ...]. For each pair of games all
parameters are perturbed at once, in opposite directions for the two sides; then all values move
towards the winner. STATE is written after every pair, and the same command resumes a stopped run; a
different command is refused. At the end the values are printed. The gains are those that are usual
for engines (Joona Kiiskinen, 2011), in units of each parameter's ``step``.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, TypedDict

from engine.files import replace_file
from scripts.match.arena import play
from scripts.match.builds import Build, MatchError, build
from scripts.match.command_line import add_match_options, command_line
from scripts.match.kept_games import digest_of
from scripts.match.openings import read_openings
from scripts.match.players import Player, Workers

ALPHA, GAMMA = 0.602, 0.101
LEARNING_RATE = 0.01
"""How far a point moves a value at the end of the run, in steps. With it, ten thousand pairs move a
value without effect by about one step."""

PERTURBATION = 2.0
"""The size of the perturbation at the end of the run, in steps. With twice the size, a quarter of
the games finds the better side."""

STABILITY = 0.1
"""The share of the run during which the gain hardly decreases."""

SAVE_EVERY = 50

_LIST_PARAMETERS = """
import json, engine.search.pvs
from dataclasses import asdict
from engine.search.parameters import PARAMETERS
print(json.dumps([asdict(each) for each in PARAMETERS]))
"""


class Parameter(TypedDict):
    """A parameter of a build, as declared in `engine.search.parameters`."""

    name: str
    default: int
    low: int
    high: int
    step: int


Perturbation: TypeAlias = tuple[dict[str, int], dict[str, int], dict[str, float]]
"""Two settings, and the gradient: what each point of the first one's lead adds to the values."""


class Tuning:
    """The values after ``done`` of ``pairs`` pairs of games; ``facts`` identify the run."""

    def __init__(
        self, parameters: Sequence[Parameter], pairs: int, seed: int, **facts: object
    ) -> None:
        self.parameters, self.facts = parameters, facts
        self.values = {each["name"]: float(each["default"]) for each in parameters}
        self.pairs, self.seed, self.done = pairs, seed, 0

    def perturb(self, number: int) -> Perturbation:
        """Return two settings around the current values for pair ``number``."""
        rng = random.Random(self.seed * 1_000_003 + number)
        gain = LEARNING_RATE * ((self._offset + self.pairs) / (self._offset + number + 1)) ** ALPHA
        distance = (self.pairs / (number + 1)) ** GAMMA
        above, below, gradient = {}, {}, {}
        for each in self.parameters:
            name, sign = each["name"], rng.choice((-1, 1))
            shift = sign * PERTURBATION * distance * each["step"]
            above[name] = _rounded(self.values[name] + shift, each, rng)
            below[name] = _rounded(self.values[name] - shift, each, rng)
            gradient[name] = gain * each["step"] * sign / distance
        return above, below, gradient

    def update(self, gradient: dict[str, float], points: float) -> None:
        """Move the values by the first setting's lead in a pair of games, -2 to 2 ``points``."""
        for each in self.parameters:
            value = self.values[each["name"]] + points * gradient[each["name"]]
            self.values[each["name"]] = min(max(value, each["low"]), each["high"])
        self.done += 1

    @property
    def _offset(self) -> float:
        return STABILITY * self.pairs

    def save(self, path: Path) -> None:
        """Write the state, replacing the file atomically."""
        replace_file(path, json.dumps(vars(self), indent=1).encode())

    def resume(self, path: Path) -> None:
        """Resume from what `save` wrote. Raises `MatchError`, also if it belongs to another run."""
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            here = vars(self) | {name: state[name] for name in ("values", "done")}
        except (ValueError, KeyError, TypeError) as error:
            raise MatchError(f"{path} is not a tuning state: {error!r}") from None
        if state != here:
            raise MatchError(f"{path} belongs to other parameters, engines or options")
        self.values, self.done = state["values"], state["done"]

    def __str__(self) -> str:
        rows = [f"{self.done} of {self.pairs} pairs"]
        for each in self.parameters:
            value = self.values[each["name"]]
            rows.append(f"{each['name']:24} {each['default']:6} → {value:9.1f}")
        return "\n".join(rows)


def _rounded(value: float, parameter: Parameter, rng: random.Random) -> int:
    """Return ``value`` within range, rounded up or down at random so that the mean is kept."""
    bounded = min(max(value, parameter["low"]), parameter["high"])
    return math.floor(bounded + rng.random())


def read_parameters(made: Build, only: Sequence[str]) -> list[Parameter]:
    """Return the parameters of a build, or ``only`` those named. Raises `MatchError`."""
    command = [str(made.python), "-I", "-c", _LIST_PARAMETERS]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if listed.returncode:
        raise MatchError(f"could not read the build's parameters: {listed.stderr.strip()[-200:]}")
    parameters: list[Parameter] = json.loads(listed.stdout)
    names = {each["name"] for each in parameters}
    if unknown := set(only) - names:
        raise MatchError(f"unknown parameter: {', '.join(sorted(unknown))}")
    return [each for each in parameters if not only or each["name"] in only]


def run(tuning: Tuning, made: Build, options: argparse.Namespace) -> None:
    """Play the games of a tuning to the end, or until Ctrl-C. Raises `MatchError`."""
    fens = read_openings(options.openings)

    def new_players() -> Iterator[Player]:
        return (Player(made, options.nodes, None) for _ in range(2))

    def play_pair(pair: tuple[int, Perturbation], players: Sequence[Player]) -> float:
        number, (*settings, _) = pair
        for player, setting in zip(players, settings, strict=True):
            for name, value in setting.items():
                player.tell(f"set {name} {value}")
        fen = random.Random(number).choice(fens)
        return play(fen, players)[0] - play(fen, players[::-1])[0]

    def add(pair: tuple[int, Perturbation], points: float) -> None:
        _, (*_, gradient) = pair
        tuning.update(gradient, 2 * points)
        if tuning.done % SAVE_EVERY == 0:
            tuning.save(options.state)
            print(f"{tuning.done} of {tuning.pairs} pairs", flush=True)

    # A perturbation is drawn when its pair begins, around the values at that time.
    pairs = ((number, tuning.perturb(number)) for number in range(tuning.done, tuning.pairs))
    try:
        Workers(options.concurrency, new_players, pairs, play_pair, add).run()
    finally:
        tuning.save(options.state)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="spsa", description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path, help="state file, new or to be resumed")
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="NAME", help="tune only these parameters"
    )
    parser.add_argument(
        "--pairs", type=int, default=10000, help="pairs of games (default %(default)s)"
    )
    parser.add_argument(
        "--nodes", type=int, default=5000, help="soft limit of nodes per move (5000)"
    )
    add_match_options(parser)
    return parser.parse_args(arguments)


@command_line("spsa")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    os.environ["PYTHAGORAS_TUNE"] = "1"
    made = build(None, player=True)
    tuning = Tuning(
        read_parameters(made, options.only), options.pairs, options.seed,
        engine=made.key, nodes=options.nodes, openings=digest_of(options.openings),
    )  # fmt: skip
    if options.state.exists():
        tuning.resume(options.state)
    run(tuning, made, options)
    print(tuning)
    return 0


if __name__ == "__main__":
    sys.exit(main())
