"""Make openings for matches, balanced or not, as balanced_10000.epd and unbalanced_2000.epd.

Usage: python -m scripts.data.openings FILE [--from CENTIPAWNS] [--to CENTIPAWNS]. Candidates are
positions after six or seven random moves in which nobody is in check. A candidate is kept if its
score, from White's view, is in the range. Every candidate depends only on the seed and its number,
and the file lists them by number, so the number of threads does not change the file. The same
command resumes an interrupted run, and extends the file if ``--count`` is greater than before.
"""

import argparse
import itertools
import math
import random
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import local

import chess

from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import MATE_IN_MAX
from engine.search.searcher import Searcher
from scripts.console import track
from scripts.match.builds import MatchError
from scripts.match.command_line import command_line
from uci import __version__
from uci.chess_io.convert import fill

HASH_MB = 8

PLIES = 6, 7
"""Random plies before the opening, so that White and Black are to move equally often."""

QUICK_NODES, QUICK_MARGIN = 2000, 30
"""A short first search rejects candidates that are this far outside the range.

Of 600 candidates it kept 94 % of those within 60 centipawns at 100,000 nodes, and 90 % of those
from +90 to +130, where it saved seven of eight long searches.
"""

BATCH = 64
"""Number of candidates in a batch, which the threads share."""

_NUMBER = re.compile(r' id "(\d+)";')


@dataclass(frozen=True, slots=True)
class Choice:
    """The criteria of the openings: their seed, and the range of their scores in centipawns for
    White, both ends included, after ``nodes`` nodes."""

    seed: int
    lower: int
    upper: int
    nodes: int

    def __str__(self) -> str:
        return (
            f"Made by scripts/data/openings.py of version {__version__}: seed {self.seed},"
            f" White's score {self.lower:+} to {self.upper:+} centipawns at {self.nodes} nodes"
        )

    def candidate(self, number: int) -> chess.Board | None:
        """Return candidate ``number``, or None if it is in check or the game is over."""
        rng = random.Random(f"{self.seed} {number}")
        board = chess.Board(chess960=True)
        for _ in range(rng.choice(PLIES)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        return None if board.is_check() or not any(board.legal_moves) else board

    def accepts(self, searcher: Searcher, board: chess.Board) -> bool:
        """Return whether the score of ``board`` is in the range, by a short and then a long
        search."""
        for nodes, margin in (QUICK_NODES, QUICK_MARGIN), (self.nodes, 0):
            score = score_of(searcher, board, nodes)
            if not self.lower - margin <= score <= self.upper + margin:
                return False
        return True


def new_searcher() -> Searcher:
    """Return a searcher with a small table that never reports within a depth, so that no result is
    a bound, even on a slow machine."""
    searcher = Searcher(HASH_MB)
    searcher.report_after = searcher.progress_after = math.inf
    return searcher


def score_of(searcher: Searcher, board: chess.Board, nodes: int) -> int:
    """Return White's score of ``board`` in centipawns after ``nodes`` nodes from scratch."""
    searcher.clear()
    fill(searcher.pos, board)
    *_, last = searcher.begin(Limits(nodes=nodes), None)
    assert isinstance(last, Iteration)
    return last.score if board.turn else -last.score


def openings(choice: Choice, first: int, threads: int) -> Iterator[tuple[int, str]]:
    """Yield number and EPD of the accepted candidates, from candidate ``first`` on."""
    mine = local()

    def accepted(number: int) -> tuple[int, str] | None:
        board = choice.candidate(number)
        if board is None:
            return None
        if not hasattr(mine, "searcher"):
            mine.searcher = new_searcher()
        return (number, board.epd()) if choice.accepts(mine.searcher, board) else None

    with ThreadPoolExecutor(threads) as pool:
        for start in itertools.count(first, BATCH):
            for found in pool.map(accepted, range(start, start + BATCH)):
                if found:
                    yield found


def extend(path: Path, choice: Choice, count: int, threads: int) -> None:
    """Write distinct openings to a new or unfinished file until it has ``count`` of them.

    An incomplete last line is replaced. Raises `MatchError` if ``choice`` did not create the file.
    """
    # Not on a line of its own, which tournament managers would read as a position.
    comment = f' c0 "{choice}";'
    with path.open("a+", encoding="utf-8", errors="replace", newline="\n") as file:
        file.seek(0)
        *lines, torn = file.read().split("\n")
        numbers = [_NUMBER.search(line) for line in lines]
        foreign = not lines[0].endswith(comment) if lines else torn != ""
        if foreign or not all(numbers):
            raise MatchError(f"{path} was not created with these settings: {choice}")
        file.truncate(file.tell() - len(torn.encode()))
        known = {" ".join(line.split()[:4]) for line in lines}
        last = numbers[-1] if numbers else None
        made = openings(choice, int(last[1]) + 1 if last else 0, threads)
        fresh = ((number, epd) for number, epd in made if epd not in known)
        missing = max(count - len(lines), 0)
        for number, epd in track(itertools.islice(fresh, missing), "openings", missing):
            print(f'{epd} id "{number}";{"" if known else comment}', file=file, flush=True)
            known.add(epd)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="openings", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="EPD file to create or to extend")
    parser.add_argument("--count", type=int, default=10_000, help="openings (default: %(default)s)")
    parser.add_argument(
        "--from", dest="lower", type=int, default=-60, metavar="CENTIPAWNS",
        help="lowest score, from White's view (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--to", dest="upper", type=int, default=60, metavar="CENTIPAWNS",
        help="highest score, from White's view (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--nodes", type=int, default=100_000, help="nodes per search (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not -MATE_IN_MAX < options.lower <= options.upper < MATE_IN_MAX:
        parser.error("--from must not exceed --to, and neither may be a mate score")
    return options


@command_line("openings")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    choice = Choice(options.seed, options.lower, options.upper, options.nodes)
    try:
        extend(options.file, choice, options.count, options.threads)
    except OSError as error:
        raise MatchError(f"{options.file}: {error.strerror}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
