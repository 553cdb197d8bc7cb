"""Join two networks of half the width: ``python -m scripts.training.join OUT ONE OTHER``.

The result contains the neurons of both, and its output is the mean of their outputs, which is
better since networks with different initial weights make different errors. It is a start for
training that keeps what two narrow networks have learned.

The mean loses no precision: a network of this width stores output weights in half the unit.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.evaluation.network import parse_parts, serialise
from engine.evaluation.shape import HIDDEN, NETWORK, Network
from engine.memory.records import new_record


def join(one: bytes, other: bytes) -> Network:
    """Return the network with both files' neurons, at the mean of their scales."""
    (left, first), (right, second) = (parse_parts(data, HIDDEN // 2) for data in (one, other))
    net = new_record(NETWORK)
    for name in ("weights", "output", "bias"):
        net[name] = np.concatenate([left[name], right[name]], axis=-1)
    net.output_bias[:] = left["output_bias"] + right["output_bias"]
    net.scale = (first + second) // 2
    return net


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the joined network; return the exit status."""
    parser = argparse.ArgumentParser(prog="join", description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="file to write")
    parser.add_argument("networks", type=Path, nargs=2, metavar="network")
    options = parser.parse_args(arguments)
    try:
        net = join(*(path.read_bytes() for path in options.networks))
        options.out.write_bytes(serialise(net))
    except (OSError, ValueError) as error:
        print(f"join: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
