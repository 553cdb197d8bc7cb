"""One player of `scripts.arena`, in a process and an environment of its own.

Reads lines: ``start FEN`` begins a game, ``made MOVE`` tells of the opponent's move, ``go`` asks
for one and is answered by ``MOVE SCORE NODES``; when tuning, ``set NAME VALUE`` sets a parameter
of the games to come. Moves are the engine's 16-bit words, scores
centipawns for the side to move. Usage: arena_player NODES [NETWORK].
"""

import sys
from pathlib import Path

import chess

from engine.board.makemove import make
from engine.datagen.factory import Player, Settings
from engine.datagen.root import search
from engine.evaluation.network import read_network
from engine.search.parameters import TUNING, set_parameters
from uci.adapter import fill

HASH_MB = 8


def main() -> None:
    """Play until the orders end."""
    nodes, *network = sys.argv[1:]
    nets = [read_network(Path(name)) for name in network]
    settings = Settings(nodes=int(nodes), hash=HASH_MB)
    values: dict[str, int] = {}
    for line in sys.stdin:
        order, _, rest = line.strip().partition(" ")
        if order == "start":
            player = Player(settings, *nets)  # nothing learned in the game before
            if TUNING:
                set_parameters(player.th, values)
            fill(player.pos, chess.Board(rest, chess960=True))
        elif order == "set":
            name, value = rest.split()
            values[name] = int(value)
        elif order == "made":
            make(player.pos, int(rest))
        else:
            search(player.pos, player.th, player.root)
            root = player.root
            print(int(root.move), int(root.score), int(player.th.nodes), flush=True)
            make(player.pos, int(root.move))


if __name__ == "__main__":
    main()
