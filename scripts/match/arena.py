"""Play thousands of short games between two revisions or two networks: a sequential test.

Usage: python -m scripts.match.arena [--base REVISION] [--nodes N] …, or ``make arena``. Both sides
search to a soft limit of nodes with the compiled root of `engine.datagen`, without a protocol or a
clock, which gives about ten times as many games per minute as UCI. Changes that make nodes slower
must be tested with a clock. All games are saved, and the same command resumes a stopped match. See
README.md in `scripts`; the exit status is the verdict.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import chess
import chess.pgn

from scripts.match.builds import MatchError, build
from scripts.match.command_line import add_sprt_options, command_line, refuse_same
from scripts.match.elo import PairResults, llr_bounds
from scripts.match.exit_status import INTERRUPTED, OF_VERDICT
from scripts.match.kept_games import digest_of, open_match, resume
from scripts.match.openings import distinct_pairs, read_openings, shuffled
from scripts.match.pgn import POINTS
from scripts.match.players import Player, Workers
from uci.apps.engines.pv_checks import game_over_reason
from uci.chess_io.convert import move_to_uci

DRAW_FROM, DRAW_PLIES, DRAW_SCORE = 80, 16, 10
WIN_PLIES, WIN_SCORE = 8, 600
"""Adjudication as fastchess understands `scripts.match.runner.ADJUDICATION`, in plies."""

REPORT_EVERY = 20.0
"""Seconds between two lines of progress."""

Game: TypeAlias = tuple[float, chess.Board]
"""The points of the player who began, and the end."""


def play(fen: str, players: Sequence[Player]) -> Game:
    """Return the points (0, ½ or 1) of the first player, who begins at ``fen``, and the end."""
    board = chess.Board(fen, chess960=True)
    for player in players:
        player.tell(f"start {fen}")
    winning = drawing = 0
    for ply in itertools.count(1):
        us, them = players if ply % 2 else reversed(players)
        move, score = us.go()
        them.tell(f"made {move}")
        board.push_uci(move_to_uci(move, chess960=True))
        if ply % 2 == 0:
            score = -score
        sign = (score >= WIN_SCORE) - (score <= -WIN_SCORE)
        winning = sign if winning * sign <= 0 else winning + sign
        if not board.halfmove_clock:
            drawing = 0
        drawing = drawing + 1 if abs(score) <= DRAW_SCORE else 0
        if board.is_checkmate():
            return float(ply % 2), board
        over = game_over_reason(board) or board.is_insufficient_material()
        if over or (drawing >= DRAW_PLIES and board.ply() >= DRAW_FROM):
            return 0.5, board
        if abs(winning) >= WIN_PLIES:
            return float(winning > 0), board
    raise AssertionError


def play_pair(fen: str, players: Sequence[Player]) -> tuple[Game, Game]:
    """Return the games from ``fen`` in which the first and the second player begin."""
    return play(fen, players), play(fen, players[::-1])


def pgn_of(points: float, board: chess.Board, names: Sequence[str]) -> str:
    """Return a game that ended on ``board`` with these ``points`` of the first player, as PGN."""
    root = board.root()
    game = chess.pgn.Game.without_tag_roster()
    first, second = names if root.turn else reversed(names)
    white = points if root.turn else 1 - points
    result = next(result for result, worth in POINTS.items() if worth == white)
    game.headers.update(White=first, Black=second, Result=result)
    game.setup(root if root.has_chess960_castling_rights() else chess.Board(root.fen()))
    game.add_line(board.move_stack)
    return f"{game}\n\n"


class Match:
    """Pairs of games, several at a time, until the sequential test or the number of games ends
    it."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Build the engines, and read the games played before. Raises `MatchError`."""
        suite = read_openings(options.openings)
        pairs = distinct_pairs(options.games // 2, suite)
        openings = shuffled(suite, options.seed, pairs)
        new, base = (build(revision, player=True) for revision in (options.new, options.base))
        self._sides = (
            (new, options.nodes, options.net, options.evaluate),
            (
                base,
                options.base_nodes or options.nodes,
                options.base_net,
                options.base_evaluate,
            ),
        )
        described = [
            f"{made.key}-{nodes}n" + _digest(net, evaluate)
            for made, nodes, net, evaluate in self._sides
        ]
        refuse_same(options, new == base and described[0] == described[1])
        self._names = [f"new-{described[0]}", f"base-{described[1]}"]
        self.folder: Path = options.state / f"arena-{'-'.join(self._names)}-seed{options.seed}"
        open_match(self.folder, "openings.json", digest_of(options.openings))
        self.results = PairResults()
        self._bounds, self._limits = options.bounds, llr_bounds(options.alpha, options.beta)
        self._verdict = "capped"
        self._reported = time.monotonic()
        played, left = resume(self._games, openings, self._names[0])
        self._workers = Workers(
            options.concurrency, self._players, iter(left), play_pair, self._add
        )
        for pair in played:
            self.results.add(pair)
        self._judge()

    @property
    def _games(self) -> Path:
        return self.folder / "games.pgn"

    def play(self) -> str:
        """Play to the end and return the verdict.

        Raises `MatchError`, and `KeyboardInterrupt` if stopped.
        """
        if self._verdict == "capped":
            self._workers.run(self._report)
        return self._verdict

    def _report(self) -> None:
        """Print a line of progress, if one is due."""
        if time.monotonic() >= self._reported + REPORT_EVERY and any(self.results.pairs):
            self._reported = time.monotonic()
            print(self, flush=True)

    def __str__(self) -> str:
        if not any(self.results.pairs):
            return "no games"
        low, high = self._limits
        llr = self.results.llr(*self._bounds)
        first, second = self._bounds
        return f"{self.results}, LLR {llr:.2f} ({low:.2f}, {high:.2f}) for [{first:g}, {second:g}]"

    def _judge(self) -> None:
        low, high = self._limits
        if any(self.results.pairs) and not low < (llr := self.results.llr(*self._bounds)) < high:
            self._verdict = "accepted" if llr >= high else "rejected"
            self._workers.stopped = True

    def _players(self) -> Iterator[Player]:
        return (Player(*side) for side in self._sides)

    def _add(self, _: str, games: tuple[Game, Game]) -> None:
        """Save and count a pair of games, unless the match was decided before its end."""
        if self._verdict == "capped":
            ours, theirs = games
            with self._games.open("a", encoding="utf-8") as file:
                file.write(pgn_of(*ours, self._names) + pgn_of(*theirs, self._names[::-1]))
            self.results.add((ours[0], 1 - theirs[0]))
            self._judge()


def _digest(net: Path | None, evaluate: str | None) -> str:
    """Return a suffix that distinguishes two sides of the same build, empty for its own network.

    For an evaluation, it depends on the file, but not on what that imports. Raises `MatchError`,
    also if both are given.
    """
    if net and evaluate:
        raise MatchError("a side has a network or an evaluation, not both")
    if not evaluate:
        return f"-{digest_of(net)}" if net else ""
    path, _, name = evaluate.rpartition(":")
    if not path or not Path(path).is_file():
        raise MatchError(f"{evaluate}: expected FILE.py:FUNCTION, of a file that exists")
    return f"-{digest_of(Path(path))}-{name}"


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="arena", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--base", metavar="REV", help="revision to play against (default: the working tree)"
    )
    parser.add_argument("--net", type=Path, help="a network for the new side")
    parser.add_argument("--base-net", type=Path, help="a network for the other side")
    for option, side in (("--evaluate", "new"), ("--base-evaluate", "other")):
        text = f"an evaluation for the {side} side"
        parser.add_argument(option, metavar="FILE:FUNCTION", help=text)
    parser.add_argument(
        "--nodes", type=int, default=5000, help="soft limit of nodes per move (5000)"
    )
    add_sprt_options(parser)
    options = parser.parse_args(arguments)
    given = [vars(options)[name] for name in ("new", "base", "net", "base_net", "base_nodes")]
    given += [options.evaluate, options.base_evaluate]
    if not any(given):
        parser.error(
            "--base, --net or --evaluate is required: make arena BASE=REVISION, NET=FILE,"
            " or EVALUATE=FILE:FUNCTION"
        )
    return options


@command_line("arena")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    print(f"openings: {options.openings}", flush=True)
    match = Match(options)
    print(f"in {match.folder}: {match}", flush=True)
    try:
        verdict = match.play()
    except KeyboardInterrupt:
        print(f"{match} → stopped; run the same command again to resume")
        return INTERRUPTED
    print(f"{match} → {verdict}")
    return OF_VERDICT[verdict]


if __name__ == "__main__":
    sys.exit(main())
