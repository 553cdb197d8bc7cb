"""Play thousands of short games between two revisions or two networks: a sequential test.

Usage: python -m scripts.match.arena [--base REVISION] [--nodes N] …, or ``make arena``. Both sides
search to a soft limit of nodes with the compiled root of `engine.datagen`, without a protocol or a
clock, which gives some ten times as many games a minute as UCI. A change that makes nodes slower
is to be judged with a clock. See README.md in `scripts`; the exit status tells the verdict.
"""

import argparse
import itertools
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess

from scripts.match.builds import Build, MatchError, build
from scripts.match.command_line import add_sprt_options, command_line
from scripts.match.exit_status import OF_VERDICT
from scripts.match.pentanomial import PairResults, llr_bounds
from scripts.match.runner import find_openings
from scripts.match.workers import Workers
from uci.chess_io.adapter import text_of
from uci.chess_io.positions import read_positions
from uci.protocol.commands import UciError

DRAW_FROM, DRAW_PLIES, DRAW_SCORE = 78, 16, 10
WIN_PLIES, WIN_SCORE = 8, 600
"""Adjudication as in all matches (`scripts.match.runner.ADJUDICATION`), in plies of both sides."""

REPORT_EVERY = 20.0
"""Seconds between two lines of progress."""

_DIED = "a player died: its last words stand above"


class Player:
    """One side: a process that plays for a build, by the build's own script.

    It keeps to the lines of `scripts.match.arena_player`, which are frozen.
    """

    def __init__(self, made: Build, nodes: int, net: Path | None) -> None:
        """Start it; ``net`` replaces the build's own network."""
        assert made.player is not None, "a build with its player"
        command = [str(made.python), "-P", str(made.player), str(nodes)]
        if net:
            command.append(str(net))
        self._process = subprocess.Popen(
            command, text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.nodes = 0

    def tell(self, order: str) -> None:
        """Give an order that has no answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(order + "\n")
        except OSError:
            raise MatchError(_DIED) from None

    def go(self) -> tuple[int, int]:
        """Return a move and its score. Raises `MatchError` when the player has died."""
        assert self._process.stdout is not None
        self.tell("go")
        answer = self._process.stdout.readline()
        if not answer:
            raise MatchError(_DIED)
        move, score, nodes = map(int, answer.split())
        self.nodes += nodes
        return move, score

    def close(self) -> None:
        """End the process."""
        with self._process:
            self._process.kill()


def play(fen: str, players: Sequence[Player]) -> float:
    """Return the points, 0, ½ or 1, of the first player, who begins at ``fen``."""
    board = chess.Board(fen, chess960=True)
    for player in players:
        player.tell(f"start {fen}")
    winning = drawing = 0
    for ply in itertools.count(1):
        us, them = players if ply % 2 else reversed(players)
        move, score = us.go()
        them.tell(f"made {move}")
        board.push_uci(text_of(move, chess960=True))
        if ply % 2 == 0:
            score = -score
        sign = (score >= WIN_SCORE) - (score <= -WIN_SCORE)
        winning = sign if winning * sign <= 0 else winning + sign
        drawing = drawing + 1 if abs(score) <= DRAW_SCORE else 0
        if board.is_checkmate():
            return float(ply % 2)
        if is_draw(board) or (drawing >= DRAW_PLIES and board.ply() >= DRAW_FROM):
            return 0.5
        if abs(winning) >= WIN_PLIES:
            return float(winning > 0)
    raise AssertionError


def is_draw(board: chess.Board) -> bool:
    """Return whether a game that is not mate has ended."""
    return (
        board.halfmove_clock >= 100
        or board.is_insufficient_material()
        or board.is_repetition(3)
        or not any(board.legal_moves)
    )


class Match:
    """Pairs of games, some at a time, until the sequential test or the number of games ends it."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Build the engines. Raises `MatchError`."""
        self._openings = _shuffled(
            read_openings(options.openings), options.seed, options.games // 2
        )
        new, base = (build(revision, player=True) for revision in (options.new, options.base))
        self._sides = (
            (new, options.nodes, options.net),
            (base, options.base_nodes or options.nodes, options.base_net),
        )
        self.results = PairResults()
        self.nodes = [0, 0]
        self._bounds, self._limits = options.bounds, llr_bounds(options.alpha, options.beta)
        self._verdict = "capped"
        self._lock = threading.Lock()
        self._workers = Workers(options.concurrency, self._work)
        self._reported = time.monotonic()

    def play(self) -> str:
        """Play to the end and return the verdict. Raises `MatchError`."""
        self._workers.run(self._report)
        return self._verdict

    def _report(self) -> None:
        """Print a line of progress now and then."""
        if time.monotonic() >= self._reported + REPORT_EVERY and any(self.results.pairs):
            self._reported = time.monotonic()
            print(self, flush=True)

    def __str__(self) -> str:
        low, high = self._limits
        llr = self.results.llr(*self._bounds)
        first, second = self._bounds
        return (
            f"{self.results}, LLR {llr:.2f} ({low:.2f}, {high:.2f}) for [{first:g}, {second:g}],"
            f" {self.nodes[0]:,} and {self.nodes[1]:,} nodes"
        )

    def _judge(self) -> None:
        low, high = self._limits
        llr = self.results.llr(*self._bounds)
        if not low < llr < high:
            self._verdict = "accepted" if llr >= high else "rejected"
            self._workers.stopped = True

    def _work(self) -> None:
        players: list[Player] = []
        try:
            players += (Player(*side) for side in self._sides)
            while not self._workers.stopped:
                with self._lock:
                    fen = next(self._openings, None)
                if fen is None:
                    return
                points = play(fen, players), 1 - play(fen, players[::-1])
                with self._lock:
                    if not self._workers.stopped:  # or the pair came too late to count
                        self.results.add(points)
                        self._judge()
        finally:
            for index, player in enumerate(players):
                self.nodes[index] += player.nodes
                player.close()


def read_openings(path: Path) -> list[str]:
    """Return the openings of an EPD file as FEN. Raises `MatchError`."""
    try:
        return [board.fen() for board in read_positions(find_openings(path))]
    except UciError as error:
        raise MatchError(str(error)) from None


def _shuffled(suite: Sequence[str], seed: int, count: int) -> Iterator[str]:
    """Yield ``count`` openings: all of them in a random order, then in another."""
    rng = random.Random(seed)
    rounds = (rng.sample(suite, len(suite)) for _ in itertools.repeat(0))
    return itertools.islice(itertools.chain.from_iterable(rounds), count)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="arena", description=__doc__.splitlines()[0])
    parser.add_argument("--base", metavar="REV", help="play against this, not the working tree")
    parser.add_argument("--net", type=Path, help="a network for the new side")
    parser.add_argument("--base-net", type=Path, help="a network for the other side")
    parser.add_argument("--nodes", type=int, default=5000, help="soft limit of a move (5000)")
    add_sprt_options(parser)
    return parser.parse_args(arguments)


@command_line("arena")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    print(f"openings: {options.openings}", flush=True)
    match = Match(options)
    verdict = match.play()
    print(f"{match} → {verdict}")
    return OF_VERDICT[verdict]


if __name__ == "__main__":
    sys.exit(main())
