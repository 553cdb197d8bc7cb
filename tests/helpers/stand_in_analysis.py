"""The command ``analyse`` as a process whose looks are made up, a little later than at once.

Usage: python stand_in_analysis.py SECONDS GAMES.pgn ... for each chunk of a game.
"""

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor

from helpers.stand_in_crew import Inline, look_at_once
from uci.analysis import crew
from uci.analysis.analyst import Chunk, Look
from uci.cli.command import main

seconds, *words = sys.argv[1:]


def look(chunk: Chunk) -> list[Look]:
    time.sleep(float(seconds))
    return look_at_once(chunk)


@contextlib.contextmanager
def stand_in(jobs: int, options: Mapping[str, str]) -> Iterator[Executor]:
    yield Inline(look)


crew.crew = stand_in
sys.exit(main(["analyse", *words]))
