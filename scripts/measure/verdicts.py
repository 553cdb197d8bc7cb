"""Compare our verdicts on the moves of weak games with Stockfish's, by the same rules.

Usage: python -m scripts.measure.verdicts [--moves 1200] [--folder FOLDER] …, or ``make verdicts``.
`scripts.measure.weak_games` generates the games first; then both engines analyse every position,
and `uci.apps.analyse.judge` derives verdicts from each analysis. Stockfish is the reference: it
searches one line with all its nodes, as on lichess, and ours two lines, as in ``pythagoras
analyse``. Both search each game backwards. The same command resumes a stopped run.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import chess

from engine.cores import cores
from engine.files import replace_file
from scripts.console import print_table, track
from scripts.match.builds import MATCHES, MatchError
from scripts.match.command_line import command_line
from scripts.match.openings import read_openings
from scripts.match.runner import OPENINGS, find_engine
from scripts.measure.agreement import Detection, Matrix, kappa, matrix_of
from scripts.measure.weak_games import weak_games
from uci.apps.analyse.analysis_settings import NODES, AnalysisSettings
from uci.apps.analyse.analyst import Chunk, PositionAnalysis, analyse_backwards
from uci.apps.analyse.annotate import show
from uci.apps.analyse.journal import Journal, key_of
from uci.apps.analyse.judge import JudgedMove, judge_moves, rescaled
from uci.apps.analyse.lichess import SCALE
from uci.apps.analyse.parallel import GameJob, analyse_games
from uci.apps.engines.client import EngineClient
from uci.apps.engines.executor import TaskLost, as_done
from uci.apps.engines.task_worker import keep
from uci.apps.engines.thread_pool import ThreadPool
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import split_games
from uci.errors import UciError

STOCKFISH_NODES = 1_000_000

STOCKFISH = {"Threads": "1", "Hash": "16"}

BAD = 2
"""The severity of a mistake; a blunder is worse."""

Seen: TypeAlias = Iterable[tuple[GameJob, list[PositionAnalysis]]]


@dataclass(frozen=True, slots=True)
class Observer:
    """An engine that analyses games; ``settings`` are all that its results depend on."""

    name: str
    settings: str
    analysis: Callable[[Sequence[GameJob]], Seen]

    def see(self, games: Sequence[GameJob], folder: Path) -> list[list[PositionAnalysis]]:
        """Return the analysis of each game; earlier ones are read from ``folder``."""
        journal = Journal(folder / self.name)
        missing = [game for game in games if self.seen(game, folder) is None]
        for game, analyses in (
            track(self.analysis(missing), self.name, len(missing)) if missing else ()
        ):
            journal.keep(self._key(game), analyses)
        return [self.seen(game, folder) or [] for game in games]

    def seen(self, game: GameJob, folder: Path) -> list[PositionAnalysis] | None:
        """Return the saved analysis of a game, None if there is none."""
        return Journal(folder / self.name).read(self._key(game))

    def _key(self, game: GameJob) -> str:
        return key_of(game.start, game.moves, self.settings)


def ours(nodes: int, jobs: int) -> Observer:
    """Return our engine with the settings of ``pythagoras analyse``."""
    settings = AnalysisSettings(("nodes", nodes), jobs=jobs)

    def analysis(games: Sequence[GameJob]) -> Iterator[tuple[GameJob, list[PositionAnalysis]]]:
        with ThreadPool(jobs) as pool:
            yield from analyse_games(games, settings.go, pool, settings.options)

    return Observer("ours", settings.key, analysis)


def look_at_game(path: str, game: GameJob, go: str) -> list[PositionAnalysis]:
    """Return Stockfish's analysis of a game: a task for an executor."""
    engine = keep(EngineClient, path, STOCKFISH)
    return analyse_backwards(engine, Chunk(game.start, game.moves, 0, len(game.moves), go))


def stockfish(nodes: int, jobs: int, path: str) -> Observer:
    """Return Stockfish, with its hash cleared between games."""

    def analysis(games: Sequence[GameJob]) -> Iterator[tuple[GameJob, list[PositionAnalysis]]]:
        with ThreadPool(jobs) as pool:
            calls = (
                (game, partial(pool.submit, look_at_game, path, game, f"nodes {nodes}"))
                for game in games
            )
            for game, done in as_done(pool, calls):
                yield game, done.result()

    return Observer("stockfish", f"{path} {STOCKFISH} nodes {nodes}", analysis)


def read_games(path: Path) -> list[GameJob]:
    """Return the games of a file. Raises `MatchError`."""
    games = []
    try:
        with path.open("rb") as file:
            for raw in split_games(file):
                game = read_game(raw)
                moves = tuple(move.uci() for move in game.mainline_moves())
                games.append(GameJob(raw.number, game.board().fen(), moves))
    except (OSError, BadGame) as error:
        raise MatchError(f"{path}: {error}") from None
    if not games:
        raise MatchError(f"{path}: the file contains no games")
    return games


def make_games(path: Path, options: argparse.Namespace) -> None:
    """Write weak games with enough moves, atomically."""
    made, moves = [], 0
    for game in weak_games(read_openings(options.openings), options.plies, options.seed):
        made.append(f"{game}\n\n")
        moves += sum(1 for _ in game.mainline_moves())
        if moves >= options.moves:
            break
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, "".join(made).encode())


@dataclass(frozen=True, slots=True)
class Pair:
    """A move of a game, ``text`` in SAN, as Stockfish and the other engine judge it."""

    game: int
    text: str
    reference: JudgedMove
    other: JudgedMove

    @property
    def severities(self) -> tuple[int, int]:
        """Both verdicts, from 0 to 3."""
        return self.reference.verdict.severity, self.other.verdict.severity


def pairs_of(
    game: GameJob, reference: Sequence[PositionAnalysis], other: Sequence[PositionAnalysis]
) -> Iterator[Pair]:
    """Yield the moves of a game, judged by both analyses."""
    board = chess.Board(game.start)
    moves = [chess.Move.from_uci(text) for text in game.moves]
    both = (judge_moves(board, moves, analyses) for analyses in (reference, other))
    for first, second in zip(*both, strict=True):
        number = f"{board.fullmove_number}{'.' if board.turn else '…'}"
        yield Pair(game.number, f"{number} {board.san(first.move)}", first, second)
        board.push(first.move)


def rows(matrix: Matrix) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of verdicts."""
    for verdict, row in zip(SCALE, matrix, strict=True):
        yield (verdict.glyph or "none", *(f"{count:,}" for count in row), f"{sum(row):,}")
    sums = [sum(column) for column in zip(*matrix, strict=True)]
    yield ("all", *(f"{count:,}" for count in sums), f"{sum(sums):,}")


def differing(pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each move that only one engine calls bad."""
    for pair in pairs:
        first, second = pair.severities
        if (first >= BAD) != (second >= BAD):
            yield (f"{pair.game}", pair.text, *_facts(pair.reference), *_facts(pair.other))


def _facts(move: JudgedMove) -> tuple[str, str, str]:
    scores = f"{show(move.before)} → {show(move.after)}"
    lost = "best" if move.is_best else f"{move.points_lost:.1f}"
    return scores, lost, move.verdict.glyph


def report(pairs: Sequence[Pair], names: tuple[str, str]) -> None:
    """Print how well both agree."""
    matrix = matrix_of((pair.severities for pair in pairs), len(SCALE))
    glyphs = [each.glyph or "none" for each in SCALE]
    print(f"verdicts of {names[0]} (rows) and of {names[1]} (columns):")
    print_table(("", *glyphs, "all"), rows(matrix))
    found = Detection.of(matrix, BAD)
    same = sum(pair.reference.best.moves[:1] == pair.other.best.moves[:1] for pair in pairs)
    print(
        f"mistakes and blunders: {found.reference} and {found.ours}, {found.both} the same\n"
        f"{found}\n"
        f"weighted kappa {kappa(matrix):.3f}\n"
        f"the same best move in {same / len(pairs):.1%} of {len(pairs):,} positions"
    )


@command_line("verdicts")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    path = find_engine("stockfish")
    if path is None:
        raise MatchError("Stockfish is required, but not installed")
    folder = options.folder or MATCHES / f"verdicts-seed{options.seed}"
    file = folder / "games.pgn"
    if not file.exists():
        make_games(file, options)
    games = read_games(file)
    print(f"{len(games)} games in {file}", flush=True)
    reference = stockfish(options.stockfish_nodes, options.jobs, path)
    names = f"Stockfish at {options.stockfish_nodes:,} nodes", f"ours at {options.nodes:,}"
    try:
        theirs = reference.see(games, folder)
        own = ours(options.nodes, options.jobs).see(games, folder)
    except (OSError, TaskLost, UciError) as error:
        raise MatchError(str(error)) from None
    pairs = [
        pair
        for game, first, second in zip(games, theirs, own, strict=True)
        for pair in pairs_of(game, first, rescaled(second))
    ]
    report(pairs, names)
    if options.differing:
        print_table(DIFFERING, differing(pairs))
    return 0


DIFFERING = "game", "move", "Stockfish", "points lost", "", "the other", "points lost", ""


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="verdicts", description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="folder for games.pgn and its analyses")
    parser.add_argument(
        "--moves", type=int, default=1200, help="minimum total number of moves (1200)"
    )
    parser.add_argument("--plies", type=int, default=80, help="maximum plies of a game (80)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument(
        "--openings", type=Path, default=OPENINGS, help="EPD file of openings (%(default)s)"
    )
    parser.add_argument(
        "--nodes", type=int, default=NODES, help="our nodes per position (%(default)s)"
    )
    parser.add_argument(
        "--stockfish-nodes",
        type=int,
        default=STOCKFISH_NODES,
        help="Stockfish's nodes per position (%(default)s)",
    )
    parser.add_argument("--jobs", type=int, default=cores(), help="number of processes (all cores)")
    parser.add_argument(
        "--differing", action="store_true", help="list the moves that only one engine calls bad"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
