"""Play endgames with tablebases against without, to measure the value of probes in the search.

Usage: python -m scripts.match.table_match --tables DIR [--games 1000] [--nodes 40000]. Each opening
is played twice, with both colours, at fixed nodes, so that machine and load only affect the time.
Games end by the rules of chess alone. From the first position of a game that is in the tables, its
value is compared with the game's result, for each engine.
"""

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.engine
import chess.syzygy

from scripts.console import print_table
from scripts.match.builds import ROOT, MatchError
from scripts.match.command_line import command_line, even_number
from scripts.match.exit_status import DEFECT
from scripts.match.openings import distinct_pairs, read_openings, shuffled
from scripts.match.pentanomial import PairResults
from scripts.match.workers import Workers

OPENINGS = ROOT / "scripts" / "data" / "endgames_500.epd"
COMMAND = [sys.executable, "-m", "uci"]
NAMES = "with tables", "without"
VALUES = {1: "won", 0: "drawn", -1: "lost"}
REPORT_INTERVAL = 20
"""Pairs of games between two lines of progress."""

Player = Callable[[chess.Board, object], chess.Move]
"""Returns the move for a board of a game."""


@dataclass
class Results:
    """The results of the match. ``known[player, value]`` is the number of games in which a player
    reached a table position of that value, 1, 0 or -1; ``kept`` is the number of those with that
    result."""

    pairs: PairResults = field(default_factory=PairResults)
    known: Counter[tuple[int, int]] = field(default_factory=Counter)
    kept: Counter[tuple[int, int]] = field(default_factory=Counter)

    def add(self, games: Sequence[tuple[int, int | None]]) -> None:
        """Add a pair of games: the result of each, and its value by the tables or None, from the
        view of the first player."""
        self.pairs.add([(1 + result) / 2 for result, _ in games])
        for result, value in games:
            if value is not None:
                for player, sign in enumerate((1, -1)):
                    self.known[player, sign * value] += 1
                    self.kept[player, sign * value] += result == value

    def rows(self) -> list[tuple[str, ...]]:
        """Return the rows of the table of values."""
        return [
            (name, word, f"{self.known[player, value]}", f"{self.kept[player, value]}",
             f"{100 * self.kept[player, value] / max(1, self.known[player, value]):.1f} %")
            for value, word in VALUES.items()
            for player, name in enumerate(NAMES)
        ]  # fmt: skip


def value_of(tables: chess.syzygy.Tablebase, board: chess.Board) -> int | None:
    """Return 1, 0 or -1 for White if the tables have ``board``; draws by fifty moves are draws."""
    if board.halfmove_clock or board.castling_rights:
        return None
    wdl = tables.get_wdl(board)
    return None if wdl is None else int(wdl / 2) * (1 if board.turn else -1)


def play(
    opening: str, white: Player, black: Player, tables: chess.syzygy.Tablebase
) -> tuple[int, int | None]:
    """Return the result of a game, and its first value by the tables, both for White."""
    board, game = chess.Board(opening), object()
    value = value_of(tables, board)
    while (outcome := board.outcome()) is None:
        if board.is_repetition(3) or board.halfmove_clock >= 100:
            return 0, value
        board.push((white if board.turn else black)(board, game))
        if value is None:
            value = value_of(tables, board)
    return {True: 1, False: -1, None: 0}[outcome.winner], value


def _open(nodes: int, **options: str | int) -> tuple[chess.engine.SimpleEngine, Player]:
    engine = chess.engine.SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=120)
    engine.configure({"Hash": 16, **options})

    def move(board: chess.Board, game: object) -> chess.Move:
        played = engine.play(board, chess.engine.Limit(nodes=nodes), game=game).move
        assert played is not None
        return played

    return engine, move


class Match:
    """The pairs of games still to be played, and the results of the others."""

    def __init__(self, openings: Sequence[str], tables: Path, nodes: int) -> None:
        self.results = Results()
        self._openings = iter(openings)
        self._tables, self._nodes = tables, nodes
        self._lock = threading.Lock()

    def run(self, concurrency: int) -> None:
        """Play all pairs. Raises `chess.engine.EngineError` if an engine fails."""
        workers = Workers(concurrency, lambda: self._work(workers))
        workers.run()

    def _work(self, workers: Workers) -> None:
        """Play pair after pair, with this thread's engines and tables."""
        with chess.syzygy.open_tablebase(str(self._tables)) as tables:
            first, strong = _open(self._nodes, SyzygyPath=str(self._tables))
            second, weak = _open(self._nodes)
            with first, second:
                while not workers.stopped:
                    with self._lock:
                        opening = next(self._openings, None)
                    if opening is None:
                        return
                    games = [play(opening, strong, weak, tables)]
                    result, value = play(opening, weak, strong, tables)
                    games.append((-result, None if value is None else -value))
                    with self._lock:
                        self.results.add(games)
                        if sum(self.results.pairs.pairs) % REPORT_INTERVAL == 0:
                            print(self.results.pairs, flush=True)


@command_line("table_match")
def main(arguments: Sequence[str] | None = None) -> int:
    """Play the match and print its results, also after Ctrl-C; return the exit status."""
    parser = argparse.ArgumentParser(prog="table_match", description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=Path, required=True, help="folder of Syzygy tablebases")
    parser.add_argument("--games", type=even_number, default=1000, help="even (1000)")
    parser.add_argument("--nodes", type=int, default=40_000, help="nodes per move (40000)")
    parser.add_argument(
        "--openings", type=Path, default=OPENINGS, help=f"EPD file of openings ({OPENINGS})"
    )
    parser.add_argument(
        "--concurrency", type=int, default=2, help="number of games played at the same time (2)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="random seed of the openings' order (1)"
    )
    options = parser.parse_args(arguments)
    if not any(options.tables.glob("*.rtbw")):
        raise MatchError(f"{options.tables} has no Syzygy tables")
    suite = read_openings(options.openings)
    pairs = distinct_pairs(options.games // 2, suite)
    match = Match(shuffled(suite, options.seed, pairs), options.tables, options.nodes)
    try:
        match.run(options.concurrency)
    except chess.engine.EngineError as error:
        print(f"table_match: an engine failed: {error}", file=sys.stderr)
        return DEFECT
    finally:
        if any(match.results.pairs.pairs):
            print(f"{NAMES[0]} against {NAMES[1]}: {match.results.pairs}")
            print_table(("engine", "position", "games", "ended so", ""), match.results.rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
