"""Several engines give the same results as one, in the same order, and end with their parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers.fake_managers import posix
from helpers.inline_executor import Inline
from helpers.processes import marked
from helpers.timing import PATIENCE
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.parallel import GameJob, analyse_games
from uci.apps.engines.thread_pool import ThreadPool

RUY = "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4"
GAMES = [
    GameJob(1, chess.STARTING_FEN, RUY),
    GameJob(2, chess.STARTING_FEN, RUY[:3]),
    GameJob(3, "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", ("e3d4", "e6d6", "e2e4")),
]


def test_games_come_in_their_order_and_are_taken_as_needed() -> None:
    taken = []

    def recall(game: GameJob) -> list[PositionAnalysis] | None:
        return [PositionAnalysis(())] if game.number == 500 else None

    def source() -> Iterator[GameJob]:
        for number in range(1000):
            taken.append(number)
            yield GameJob(number, chess.STARTING_FEN, ("e2e4",) * 25)

    inline, seen = Inline(lambda chunk: [PositionAnalysis(())] * (chunk.last - chunk.first + 1)), []
    kept = []
    found = analyse_games(
        source(), "nodes 1", inline, {}, recall, seen.append, lambda game, _: kept.append(game)
    )
    game, analyses = next(found)
    assert (game.number, len(analyses)) == (0, 26)
    assert len(taken) < 10
    assert [game.number for game, *_ in found] == list(range(1, 1000))
    assert sum(map(len, seen)) == 26 * 999
    assert len(inline.chunks) == 3 * 999
    assert [game.number for game in kept] == [n for n in range(1000) if n != 500]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_two_engines_see_what_one_sees(warm: Path) -> None:
    def plain(jobs: int) -> list[object]:
        with ThreadPool(jobs) as pool:
            return [
                [
                    (line.cp, line.mate, line.pv, line.nodes)
                    for analysis in analyses
                    for line in analysis.lines
                ]
                for _, analyses in analyse_games(GAMES, "nodes 2000", pool, {"MultiPV": "2"})
            ]

    assert plain(1) == plain(2)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_engine_outlives_its_command(way: signal.Signals, warm: Path, tmp_path: Path) -> None:
    code = """
import chess
from uci.apps.analyse.parallel import *
from uci.apps.engines.thread_pool import ThreadPool
if __name__ == "__main__":
    games = [GameJob(1, chess.STARTING_FEN, ())] * 9
    with ThreadPool(2) as pool:
        print("begun", flush=True)
        list(analyse_games(games, "nodes 1000000000", pool, {}))
"""
    (tmp_path / "main.py").write_text(code)
    mark = f"CREW_MARK={tmp_path}"
    env = os.environ | {"CREW_MARK": str(tmp_path), "PYTHONPATH": str(warm)}
    command = [sys.executable, str(tmp_path / "main.py")]
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == b"begun\n"
        deadline = time.monotonic() + PATIENCE
        while len(marked(mark)) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(marked(mark)) >= 3
        time.sleep(1)
        it.send_signal(way)
    deadline = time.monotonic() + PATIENCE
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not marked(mark)
