"""A suite of five positions, the command `epd` in this process, and its results without times."""

from typing import Any

import pytest

from engine.jit.kernel import COMPILED
from helpers import command

SUITE = """# own positions
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "Mates.001";
7k/8/5K2/6Q1/8/8/8/8 w - - dm 1; id "Mates.002";
r5k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - am Rd8+; id 'Other';
4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1 bm Nxd5!; c0 "Nxd5=10, Ke2=1"; id Points.1
4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Ke2; c0 "Nxd5=3, Ke2=10"; id "Points.2";
"""
TIMES = "time", "spent"

compiled = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")


def call(*words: object) -> int:
    """Run the command in this process; return the exit status."""
    return command.call("epd", *words)


def untimed(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the times and other values that differ from run to run."""
    for position in document["positions"]:
        for outcome in position["outcomes"]:
            assert 0 <= (outcome["time"] or 0) <= outcome["spent"]
            for name in TIMES:
                del outcome[name]
    return document
