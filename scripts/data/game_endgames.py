"""Make openings for matches from the endgames of generated games, as endgames_500.epd.

Usage: python -m scripts.data.game_endgames FILE --games GAMES [--count 500]. GAMES is a file of
`pythagoras datagen`. Each opening is the first position of a game that has a number of pieces, from
5 to 8 in turn, in which nobody is in check, nothing can be captured and the score is small.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import numpy as np

from engine.board.annotations import Words
from engine.board.makemove import make
from engine.board.position import new_position
from engine.board.types import EMPTY, WHITE
from engine.datagen.game_file import FormatError, open_games, split
from engine.datagen.game_record import MOVES, moves_end, read_start
from scripts.console import track
from scripts.match.builds import MatchError
from scripts.match.command_line import command_line

PIECES = 5, 6, 7, 8

MAX_SCORE = 250
"""The largest score in centipawns; beyond it any engine wins most endgames."""


def positions(game: Words) -> Iterator[tuple[chess.Board, int]]:
    """Yield the positions of a game after the last castling rights, without history, with
    scores."""
    pos = new_position()
    read_start(pos, game, 0)
    for move, score in zip(*game[MOVES : moves_end(game, 0)].reshape(-1, 2).T, strict=True):
        if not pos.castling:
            board = chess.Board(None)
            for square, code in enumerate(pos.board.tolist()):
                if code != EMPTY:
                    board.set_piece_at(square, chess.Piece(code % 6 + 1, code < 6))
            board.turn = int(pos.side) == WHITE
            yield board, int(score.view(np.int16))
        make(pos, int(move))


def opening(game: Words, pieces: int) -> chess.Board | None:
    """Return the first quiet position of a game with ``pieces`` pieces, ``None`` if there is
    none."""
    for board, score in positions(game):
        few = chess.popcount(board.occupied)
        if few < pieces:
            return None
        if few > pieces or abs(score) > MAX_SCORE:
            continue
        quiet = not board.is_check() and not any(board.generate_legal_captures())
        if quiet and any(board.generate_legal_moves()):
            return board
    return None


def openings(games: Path) -> Iterator[str]:
    """Yield distinct openings as EPD, in the order of the games."""
    wanted, known = itertools.cycle(PIECES), set()
    pieces = next(wanted)
    for block in open_games(games):
        for game in split(block):
            board = opening(game, pieces)
            if board is not None and board.epd() not in known:
                known.add(board.epd())
                yield board.epd()
                pieces = next(wanted)


@command_line("game_endgames")
def main(arguments: Sequence[str] | None = None) -> int:
    """Write the openings; return the exit status."""
    parser = argparse.ArgumentParser(prog="game_endgames", description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="EPD file to write")
    parser.add_argument(
        "--games", type=Path, required=True, help="file of games from pythagoras datagen"
    )
    parser.add_argument("--count", type=int, default=500, help="openings (default: %(default)s)")
    options = parser.parse_args(arguments)
    try:
        made = itertools.islice(openings(options.games), options.count)
        found = list(track(made, "openings", options.count))
        options.file.write_text("".join(f"{epd}\n" for epd in found), encoding="utf-8")
    except (OSError, FormatError) as error:
        raise MatchError(str(error)) from None
    print(f"{len(found)} openings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
