"""The command ``analyse`` as a process whose looks are made up, a little later than at once.

Usage: python stand_in_analysis.py SECONDS GAMES.pgn ... for each chunk of a game.
"""

import sys
import time

from helpers.stand_in_crew import Inline, look_at_once
from uci.apps.analyse.analyst import Chunk, Look
from uci.apps.engines import make_executor
from uci.cli.parser import main

seconds, *words = sys.argv[1:]


def look(chunk: Chunk) -> list[Look]:
    time.sleep(float(seconds))
    return look_at_once(chunk)


make_executor.make_executor = lambda *_: Inline(look)
sys.exit(main(["analyse", *words]))
