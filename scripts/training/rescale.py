"""Give a network the centipawns of its own games: 100 are the score from which half are won.

``python -m scripts.training.rescale NETWORK GAMES``, with games that this very network played. What
training says of centipawns is a first guess: it sees the network's opinion of a position, and not
what a search makes of it.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.evaluation.network import read_network, serialise
from scripts.training.dataset import load
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
        scale = scale_of(learned["score"] / int(net.scale), learned["result"])
    except (OSError, ValueError) as error:
        print(f"rescale: {error}", file=sys.stderr)
        return 1
    print(f"an output of 1 was {int(net.scale)} centipawns, and is {scale} now")
    net.scale = scale
    options.network.write_bytes(serialise(net))
    return 0


if __name__ == "__main__":
    sys.exit(main())
