"""Play endgames with tablebases against without, to measure the value of probes in the search.

Usage: python -m scripts.match.table_match --tables DIR [--games 1000] [--nodes 40000]. Each opening
is played twice, with both colours, at fixed nodes, so that machine and load only affect the time.
Games end by the rules of chess alone. From the first position of a game that is in the tables, its
value is compared with the game's result, for each engine.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess
import chess.engine
import chess.syzygy

from scripts.console import print_table
from scripts.match.builds import ROOT, MatchError
from scripts.match.command_line import command_line, even_number
from scripts.match.elo import PairResults
from scripts.match.exit_status import DEFECT
from scripts.match.openings import distinct_pairs, read_openings, shuffled
from scripts.match.players import Workers

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


class Engine:
    """Our engine with some UCI options, as a player."""

    def __init__(self, nodes: int, **options: str) -> None:
        """Start it. Raises `chess.engine.EngineError`."""
        self._limit = chess.engine.Limit(nodes=nodes)
        self._engine = chess.engine.SimpleEngine.popen_uci(COMMAND, cwd=ROOT, timeout=120)
        self._engine.configure({"Hash": 16, **options})

    def __call__(self, board: chess.Board, game: object) -> chess.Move:
        """Return its move."""
        move = self._engine.play(board, self._limit, game=game).move
        assert move is not None
        return move

    def close(self) -> None:
        """End it."""
        self._engine.close()


def play_match(
    openings: Sequence[str], folder: Path, nodes: int, concurrency: int, results: Results
) -> None:
    """Play each opening twice, and add to ``results``. Raises `chess.engine.EngineError`."""

    def engines() -> Iterator[Engine]:
        yield Engine(nodes, SyzygyPath=str(folder))
        yield Engine(nodes)

    def play_pair(opening: str, players: Sequence[Engine]) -> list[tuple[int, int | None]]:
        strong, weak = players
        first = play(opening, strong, weak, tables)
        result, value = play(opening, weak, strong, tables)
        return [first, (-result, None if value is None else -value)]

    def add(_: str, games: Sequence[tuple[int, int | None]]) -> None:
        results.add(games)
        if sum(results.pairs.pairs) % REPORT_INTERVAL == 0:
            print(results.pairs, flush=True)

    with chess.syzygy.open_tablebase(str(folder)) as tables:
        Workers(concurrency, engines, iter(openings), play_pair, add).run()


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
    openings, results = shuffled(suite, options.seed, pairs), Results()
    try:
        play_match(openings, options.tables, options.nodes, options.concurrency, results)
    except chess.engine.EngineError as error:
        print(f"table_match: an engine failed: {error}", file=sys.stderr)
        return DEFECT
    finally:
        if any(results.pairs.pairs):
            print(f"{NAMES[0]} against {NAMES[1]}: {results.pairs}")
            print_table(("engine", "position", "games", "ended so", ""), results.rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
