"""Set a network's centipawns by its own games: at 100 half of the games are won.

``python -m scripts.training.rescale NETWORK GAMES``, with games that this network played. The scale
from training is only a first guess, since it is based on evaluations without a search.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.evaluation.network import read_network, serialise
from engine.files import replace_file
from scripts.training.blocks import load
from scripts.training.scale import scale_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the network; return the exit status."""
    parser = argparse.ArgumentParser(prog="rescale", description=__doc__.splitlines()[0])
    parser.add_argument("network", type=Path)
    parser.add_argument("games", type=Path)
    options = parser.parse_args(arguments)
    try:
        net = read_network(options.network)
        learned, _ = load([options.games])
        before = int(net.scale)
        net.scale = scale_of(learned["score"] / before, learned["result"])
        replace_file(options.network, serialise(net))
    except (OSError, ValueError) as error:
        print(f"rescale: {error}", file=sys.stderr)
        return 1
    print(f"scale: an output of 1 is now {int(net.scale)} centipawns, previously {before}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
