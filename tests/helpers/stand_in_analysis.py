"""The command ``analyse`` as a process that makes up its analyses after a short wait.

Usage: python stand_in_analysis.py SECONDS GAMES.pgn ..., where SECONDS is the wait for each chunk
of a game.
"""

import sys
import time

from helpers.inline_executor import Inline, analyse_inline
from uci.apps.analyse.analyst import Chunk, PositionAnalysis
from uci.apps.engines import make_executor
from uci.cli.main import main

seconds, *words = sys.argv[1:]


def analyse_chunk(chunk: Chunk) -> list[PositionAnalysis]:
    time.sleep(float(seconds))
    return analyse_inline(chunk)


make_executor.make_executor = lambda *_: Inline(analyse_chunk)
sys.exit(main(["analyse", *words]))
