"""The command ``analyse`` as a process whose looks are made up, a little later than at once.

Usage: python stand_in_analysis.py SECONDS GAMES.pgn ... for each chunk of a game.
"""

import sys
import time

from helpers.stand_in_crew import Inline, look_at_once
from uci.analysis.analyst import Chunk, Look
from uci.cli.command import main
from uci.cluster import hiring

seconds, *words = sys.argv[1:]


def look(chunk: Chunk) -> list[Look]:
    time.sleep(float(seconds))
    return look_at_once(chunk)


hiring.hire = lambda *_: Inline(look)
sys.exit(main(["analyse", *words]))
