"""Games stream: a long file takes no more memory than a short one."""

import itertools
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from uuid import uuid4

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers.client import PYTHAGORAS
from helpers.processes import marked, size_of

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="analyses in /proc")

MOST = 16_384
"""The allowed growth of the processes, in KiB: less than a kilobyte for each of 20,000 games."""


def lines(board: chess.Board, plies: int) -> Iterator[str]:
    """Yield the moves of every game of ``plies`` plies."""
    if not plies:
        yield ""
        return
    for move in sorted(board.legal_moves, key=chess.Move.uci):
        san = board.san(move)
        board.push(move)
        yield from (f"{san} {rest}" for rest in lines(board, plies - 1))
        board.pop()


def write_games(path: Path, games: int) -> None:
    """Write different games of four plies."""
    with path.open("w") as file:
        for number, moves in enumerate(itertools.islice(lines(chess.Board(), 4), games)):
            file.write(f'[Event "{number}"]\n[White "x"]\n[Result "*"]\n\n{moves}*\n\n')


def sizes(command: Sequence[object], root: Path, every: int) -> list[int]:
    """Run a command; return the memory of its processes, in KiB, after each ``every`` games."""
    mark = f"{uuid4()}"
    paths = os.pathsep.join(map(str, (root, root / "tests")))
    env = os.environ | {"PYTHONPATH": paths, "ANALYSIS_MARK": mark}
    words = list(map(str, command))
    found, done = [], 0
    with subprocess.Popen(words, env=env, cwd=root, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            done += ": game " in line
            if done == every * (len(found) + 1):
                found.append(sum(size_of(each) for each in marked(mark)))
    assert process.returncode == 0
    return found


def hold_flat(found: Sequence[int]) -> None:
    """Assert that the second half of the run takes no more memory than its second quarter."""
    quarter = len(found) // 4
    print(f"{len(found)} analyses, KiB: {found[:: max(1, len(found) // 20)]}")
    before, after = (median(part) for part in (found[quarter : 2 * quarter], found[2 * quarter :]))
    assert after < before + MOST


@pytest.mark.slow
def test_hundreds_of_games(root: Path, tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 200)
    script = root / "tests" / "helpers" / "stand_in_analysis.py"
    found = sizes([PYTHAGORAS[0], script, 0, tmp_path / "games.pgn"], root, 10)
    assert len(found) == 20
    hold_flat(found)


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_twenty_thousand_games(warm: Path, tmp_path: Path) -> None:
    games = int(os.environ.get("PYTHAGORAS_GAMES", "20000"))
    write_games(tmp_path / "games.pgn", games)
    options = "--nodes", 1, "--hash", 1, "--jobs", 2
    command = [*PYTHAGORAS, "analyse", *options, tmp_path / "games.pgn"]
    found = sizes(command, warm, games // 100)
    assert len(found) == 100
    hold_flat(found)
