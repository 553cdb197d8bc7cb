"""Measure how networks judge endgames with known tablebase results, without a search.

``python -m scripts.training.known_endings FOLDER [NETWORK...]``, with Syzygy tables of up to four
pieces. Random positions are drawn, equally many for each table, and only quiet ones are used: not
in check, and without captures or promotions. Endgames that rules evaluate, with a lone king and no
pawns, are skipped.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
from numpy.typing import NDArray

from engine.board.position import new_position
from engine.evaluation.network import default_network, install, read_network
from engine.evaluation.nnue import EVALUATION, evaluate_from_scratch
from engine.evaluation.shape import Network
from engine.memory.records import new_record
from uci.chess_io.convert import fill

MEN = 4
"""Maximum number of pieces of the tables."""

CLEAR = 300
"""Minimum score of a won position, in centipawns."""

LEVEL = 50
"""Maximum score of a drawn position, in centipawns."""


def draw(table: str, rng: random.Random) -> chess.Board:
    """Return a board with the pieces of ``table``, such as ``KRPvKR``, which may be illegal."""
    board = chess.Board(None)
    board.turn = rng.random() < 0.5
    strong = rng.random() < 0.5
    sides = table.split("v")
    squares = iter(rng.sample(chess.SQUARES, len(table) - 1))
    for colour, pieces in zip((strong, not strong), sides, strict=True):
        for letter in pieces:
            piece = chess.Piece.from_symbol(letter)
            board.set_piece_at(next(squares), chess.Piece(piece.piece_type, colour))
    return board


def is_quiet(board: chess.Board) -> bool:
    """Return whether the network's score of ``board`` should match the result."""
    lone = any(chess.popcount(men) == 1 for men in board.occupied_co)
    return (
        board.is_valid()
        and not board.is_check()
        and not (lone and not board.pawns)
        and not board.is_insufficient_material()
        and any(board.legal_moves)
        and not any(board.is_capture(move) or move.promotion for move in board.legal_moves)
    )


def positions(folder: Path, each: int, seed: int) -> Iterator[tuple[chess.Board, int]]:
    """Yield quiet boards and their results, −2 (lost) to 2 (won) for the side to move.

    ``each`` positions are drawn per table. Raises `ValueError` for a folder without tables. Raises
    `OSError` or `chess.syzygy.MissingTableError` if tables cannot be read, or those of captures are
    missing.
    """
    names = sorted(path.stem for path in folder.glob("*.rtbw") if len(path.stem) - 1 <= MEN)
    if not names:
        raise ValueError(f"{folder}: no Syzygy tables of up to {MEN} pieces")
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        for name in names:
            rng = random.Random(f"{seed} {name}")
            for board in (draw(name, rng) for _ in range(each)):
                if is_quiet(board):
                    yield board, tables.probe_wdl(board)


def scores(net: Network, boards: Sequence[chess.Board]) -> NDArray[np.int64]:
    """Return the network's scores in centipawns for the side to move."""
    pos, record = new_position(), new_record(EVALUATION)
    install(record, net)
    found = np.zeros(len(boards), np.int64)
    for index, board in enumerate(boards):
        fill(pos, board)
        found[index] = evaluate_from_scratch(pos, record)
    return found


def judge(found: NDArray[np.int64], results: NDArray[np.int64]) -> tuple[float, float]:
    """Return the shares of decided positions beyond `CLEAR`, and of drawn ones within `LEVEL`.

    A win or loss that the fifty-move rule prevents is a draw.
    """
    decided = abs(results) == 2
    right = found * np.sign(results) >= CLEAR
    return float(np.mean(right[decided])), float(np.mean(abs(found[~decided]) <= LEVEL))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each network, by default the built-in one; return the exit status."""
    parser = argparse.ArgumentParser(prog="known_endings", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of Syzygy tablebases")
    parser.add_argument("networks", type=Path, nargs="*", metavar="network")
    parser.add_argument("--each", type=int, default=1000, help="positions to draw per table (1000)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        boards, known = zip(*positions(options.folder, options.each, options.seed), strict=True)
        results = np.array(known)
        drawn = int(np.sum(abs(results) < 2))
        print(f"{len(results):,} positions, {drawn:,} of them drawn")
        nets = {str(path): read_network(path) for path in options.networks}
        for name, net in (nets or {"built-in": default_network()}).items():
            won, level = judge(scores(net, boards), results)
            print(
                f"{name}: {won:.1%} of decided ones beyond ± {CLEAR},"
                f" {level:.1%} of drawn ones within ± {LEVEL}",
                flush=True,
            )
    except (OSError, ValueError, chess.syzygy.MissingTableError) as error:
        print(f"known_endings: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
