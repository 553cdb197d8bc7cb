"""One player of `scripts.match.arena`, in a process and an environment of its own.

Usage: arena_player NODES [NETWORK | --evaluate FILE:FUNCTION]. It reads these commands, one per
line, and answers only ``go``:

- ``start FEN`` begins a game, with cleared tables; castling rights name the rook or its corner
- ``made MOVE`` reports the opponent's move
- ``set NAME VALUE`` sets a parameter of the following games, when the engine is tuned
- ``go`` requests a move, which is then made; the answer is ``MOVE SCORE NODES``

A move is 16 bits as a decimal number: origin, target << 6, flag << 12 (`engine.board.move`).
Castling is from the king to its rook. The score is in centipawns for the side to move; NODES are
those of this search. The end of input ends the process.

These commands are frozen, since in a match each revision plays with its own player: a new command
must never be sent to older players. A player is one file of this name anywhere in scripts/, and
imports nothing else from there.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import chess

from engine.board.makemove import make
from engine.datagen.factory import Player, Settings
from engine.datagen.root import search
from engine.evaluation.network import read_network
from engine.search.parameters import TUNING, set_parameters
from uci.chess_io.convert import fill
from uci.protocol.writer import exit_process

HASH_MB = 8


def own_search(evaluate: str) -> Callable[..., None]:
    """Return `search` with a user's evaluation, as ``FILE:FUNCTION``, in place of the network."""
    from engine.custom.function import Evaluation
    from engine.custom.variant import EvaluationVariant
    from uci.session.own_evaluation import read_function, try_out

    evaluation = Evaluation(read_function(evaluate))
    variant = EvaluationVariant(evaluation)
    found: Callable[..., None] = variant.search_game
    if not variant.is_warm():
        try_out(evaluation.interpreted())
        evaluation.check_types()
    variant.warm()
    return found


def main() -> None:
    """Play until the end of input."""
    nodes, *others = sys.argv[1:]
    evaluates = others[:1] == ["--evaluate"]
    think = own_search(others[1]) if evaluates else search
    nets = [] if evaluates else [read_network(Path(name)) for name in others]
    settings = Settings(nodes=int(nodes), hash=HASH_MB)
    values: dict[str, int] = {}
    for line in sys.stdin:
        order, _, rest = line.strip().partition(" ")
        if order == "start":
            player = Player(settings, *nets)  # without hash and histories of the last game
            if TUNING:
                set_parameters(player.th, values)
            fill(player.pos, chess.Board(rest, chess960=True))
        elif order == "set":
            name, value = rest.split()
            values[name] = int(value)
        elif order == "made":
            make(player.pos, int(rest))
        else:
            think(player.pos, player.th, player.root)
            root = player.root
            print(int(root.move), int(root.score), int(player.th.nodes), flush=True)
            make(player.pos, int(root.move))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the match has ended
        exit_process(1)
