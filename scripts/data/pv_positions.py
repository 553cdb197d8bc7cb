"""Create the positions for checks of PVs: tests/data/pv_positions.epd.

Usage: python -m scripts.data.pv_positions > FILE. Openings come from the file of the matches, all
other positions from games that the engine plays against itself with some random moves, and from
random endgames. Seed and engine determine the output.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess

from engine.search.score import MATE_IN_MAX
from scripts.data.endgames import random_endgame
from scripts.data.engine import Engine
from scripts.match.runner import OPENINGS, find_openings
from uci.chess_io.positions import read_positions

SEED = 20
EACH = 250
"""Positions of each of the four kinds."""

BLUNDERS = 0.06
"""The share of random moves in the games."""

WINS = 150
"""Minimum gain of a tactical position over its static eval, in centipawns."""


def is_endgame(board: chess.Board) -> bool:
    """Return whether only few pieces are left in addition to kings and pawns."""
    return chess.popcount(board.occupied & ~board.kings & ~board.pawns) <= 4


def game(engine: Engine, opening: chess.Board, rng: random.Random) -> Iterator[chess.Board]:
    """Yield the positions of a game in which both sides sometimes blunder."""
    board = opening.copy()
    while not board.is_game_over(claim_draw=True) and board.ply() < 240:
        yield board.copy(stack=False)
        if rng.random() < BLUNDERS:
            board.push(rng.choice(list(board.legal_moves)))
        else:
            board.push_uci(engine.search(board, 5)[0])


def is_tactical(engine: Engine, board: chess.Board) -> bool:
    """Return whether the side to move wins material or mates, but not by its static eval."""
    score = engine.search(board, 8)[1]
    shallow = engine.search(board, 1)[1]
    return score >= MATE_IN_MAX or score - max(shallow, engine.evaluate(board)) >= WINS


def endgame(rng: random.Random) -> chess.Board:
    """Return a random position of two kings and one to five others, some close to fifty moves."""
    while True:
        board = random_endgame(rng, rng.randint(1, 5), (0, 0, 0, rng.randint(80, 99)))
        board.fullmove_number = 60 + board.halfmove_clock
        if not board.is_insufficient_material():
            return board


def positions(
    source: Sequence[chess.Board], seed: int, each: int
) -> Iterator[tuple[str, chess.Board]]:
    """Yield kind and position, ``each`` positions of each kind, without duplicates."""
    rng, engine = random.Random(seed), Engine()
    source = rng.sample(source, len(source))
    kinds: dict[str, list[chess.Board]] = {"selfplay": [], "endgame": [], "tactics": []}
    known = {opening.epd() for opening in source[:each]}
    for opening in source[:each]:
        yield "opening", opening
    for _ in range(each // 2):
        kinds["endgame"].append(endgame(rng))
    while any(len(found) < each for found in kinds.values()):
        played = list(game(engine, rng.choice(source), rng))
        for board in rng.sample(played, min(6, len(played))):
            kind = "endgame" if is_endgame(board) else "selfplay"
            if len(kinds["tactics"]) < each and is_tactical(engine, board):
                kind = "tactics"
            if len(kinds[kind]) < each and board.epd() not in known:
                known.add(board.epd())
                kinds[kind].append(board)
    for kind, found in kinds.items():
        for board in found:
            yield kind, board


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="pv_positions", description=__doc__.splitlines()[0])
    parser.add_argument("--openings", type=Path, default=OPENINGS, help="EPD file (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", type=int, default=EACH, help="positions of each kind")
    options = parser.parse_args(arguments)
    source = read_positions(find_openings(options.openings))
    print(f"# Made by scripts/data/pv_positions.py, seed {options.seed}.")
    for number, (kind, board) in enumerate(positions(source, options.seed, options.each), 1):
        clocks = f"hmvc {board.halfmove_clock}; fmvn {board.fullmove_number};"
        print(f'{board.epd()} {clocks} id "{kind} {number}";')
    return 0


if __name__ == "__main__":
    sys.exit(main())
