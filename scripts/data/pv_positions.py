"""Make the positions on which lines are judged: tests/data/pv_positions.epd.

Usage: python -m scripts.data.pv_positions > FILE. Openings come from the file of the matches,
everything else from games that the engine plays against itself, now and then at random, and
from random endgames. The seed and the engine decide what comes out.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess

from engine.search.limits import Limits
from engine.search.results import Iteration
from engine.search.score import MATE_IN_MAX
from engine.search.searcher import Searcher
from scripts.match.runner import OPENINGS, openings
from uci.chess_io.adapter import fill, text_of

SEED = 20
EACH = 250
"""Positions of each of the four kinds."""

BLUNDERS = 0.06
"""How many moves of the games are random."""

WINS = 150
"""Centipawns that a tactical position wins beyond what its own evaluation says."""


class Player:
    """The engine, asked for a few plies."""

    def __init__(self) -> None:
        self._searcher = Searcher(8)

    def search(self, board: chess.Board, depth: int) -> tuple[str, int]:
        """Return the best move and its score in centipawns."""
        fill(self._searcher.pos, board)
        for told in self._searcher.begin(Limits(depth=depth), None):
            assert isinstance(told, Iteration)
            last = told
        return text_of(last.pv[0], chess960=True), last.score

    def static(self, board: chess.Board) -> int:
        """Return the evaluation of a position without searching."""
        fill(self._searcher.pos, board)
        return self._searcher.evaluate(self._searcher.pos)


def is_endgame(board: chess.Board) -> bool:
    """Return whether few pieces are left beside kings and pawns."""
    return chess.popcount(board.occupied & ~board.kings & ~board.pawns) <= 4


def game(player: Player, opening: str, dice: random.Random) -> Iterator[chess.Board]:
    """Yield the positions of a game in which both sides blunder now and then."""
    board = chess.Board(opening, chess960=True)
    while not board.is_game_over(claim_draw=True) and board.ply() < 240:
        yield board.copy(stack=False)
        if dice.random() < BLUNDERS:
            board.push(dice.choice(list(board.legal_moves)))
        else:
            board.push_uci(player.search(board, 5)[0])


def is_tactical(player: Player, board: chess.Board) -> bool:
    """Return whether the side to move wins material or mates, and must see something for it."""
    score = player.search(board, 8)[1]
    shallow = player.search(board, 1)[1]
    return score >= MATE_IN_MAX or score - max(shallow, player.static(board)) >= WINS


def few_men(dice: random.Random) -> chess.Board:
    """Return a random position of two kings and one to five others, some near fifty moves."""
    while True:
        board = chess.Board(None, chess960=True)
        squares = dice.sample(chess.SQUARES, dice.randint(3, 7))
        for colour in chess.COLORS:
            board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
        for square in squares:
            kind = dice.choice([chess.PAWN, chess.PAWN, *chess.PIECE_TYPES[1:5]])
            board.set_piece_at(square, chess.Piece(kind, dice.random() < 0.5))
        board.turn = dice.random() < 0.5
        board.halfmove_clock = dice.choice([0, 0, 0, dice.randint(80, 99)])
        board.fullmove_number = 60 + board.halfmove_clock
        if board.is_valid() and any(board.legal_moves) and not board.is_insufficient_material():
            return board


def positions(source: Sequence[str], seed: int, each: int) -> Iterator[tuple[str, chess.Board]]:
    """Yield kind and position, ``each`` of them a kind, no position twice."""
    dice, player = random.Random(seed), Player()
    source = dice.sample(source, len(source))
    kinds: dict[str, list[chess.Board]] = {"selfplay": [], "endgame": [], "tactics": []}
    known = set(source[:each])
    for opening in source[:each]:
        yield "opening", chess.Board(opening, chess960=True)
    for _ in range(each // 2):
        kinds["endgame"].append(few_men(dice))
    while any(len(found) < each for found in kinds.values()):
        played = list(game(player, dice.choice(source), dice))
        for board in dice.sample(played, min(6, len(played))):
            kind = "endgame" if is_endgame(board) else "selfplay"
            if len(kinds["tactics"]) < each and is_tactical(player, board):
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
    parser.add_argument("--openings", type=Path, default=OPENINGS, help="an EPD file")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", type=int, default=EACH, help="positions of each kind")
    options = parser.parse_args(arguments)
    source = openings(options.openings).read_text(encoding="utf-8").split("\n")
    fens = [line.strip() for line in source if line.strip()]
    print(f"# Made by scripts/data/pv_positions.py, seed {options.seed}.")
    for number, (kind, board) in enumerate(positions(fens, options.seed, options.each), 1):
        clocks = f"hmvc {board.halfmove_clock}; fmvn {board.fullmove_number};"
        print(f'{board.epd()} {clocks} id "{kind} {number}";')
    return 0


if __name__ == "__main__":
    sys.exit(main())
