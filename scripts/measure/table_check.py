"""Compare the engine's Syzygy probes with python-chess's: values and speed.

Usage: python -m scripts.measure.table_check --tables DIR [--sample 2000000] [--seed 1]. It probes
every legal position of the three-piece tables, with each colour as the stronger side, and a random
sample of the larger tables, including en passant. The exit status is 1 if a value differs.
"""

import argparse
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time

import chess
import chess.syzygy

from engine.board.types import EMPTY
from engine.memory.records import Record, new_record
from engine.syzygy.batch import BATCH, BatchProber
from engine.syzygy.wdl_tables import Tablebases
from scripts.console import track
from scripts.match.exit_status import DEFECT

BATCH_SIZE, BATCHES = 1024, 32
EN_PASSANT_SHARE = 0.2
"""The share of positions with pawns on both sides in which one has just made a double step."""

MAX_FAULTS = 10
"""Maximum number of differences that are described."""


@dataclass
class Comparison:
    """The result of a comparison: number of positions, differences, and seconds of both probers."""

    positions: int = 0
    en_passant: int = 0
    checks: int = 0
    differences: list[str] = field(default_factory=list)
    ours: float = 0.0
    theirs: float = 0.0

    def __str__(self) -> str:
        speed = self.positions / max(self.ours, 1e-9)
        return (
            f"{self.positions:,} positions, {self.checks:,} in check, {self.en_passant:,} with en"
            f" passant: {len(self.differences)} differences; {speed:,.0f} probes/s,"
            f" {self.theirs / max(self.ours, 1e-9):.0f} times python-chess's"
        )


def table_files(folder: Path) -> list[Path]:
    """Return the WDL files in a folder."""
    return sorted(folder.glob(f"*{chess.Board.tbw_suffix}"))


def pieces_of(name: str, swapped: bool) -> list[chess.Piece]:
    """Return the pieces of a table, such as "KQvK"; if ``swapped``, Black has the first part."""
    parts = name.split("v")
    return [
        chess.Piece(chess.Piece.from_symbol(letter).piece_type, colour)
        for colour, part in zip((not swapped, swapped), parts, strict=True)
        for letter in part
    ]


def place(
    pieces: Sequence[chess.Piece], squares: Sequence[int], turn: chess.Color
) -> chess.Board | None:
    """Return a board with the ``pieces`` on the squares, ``None`` if it is illegal."""
    board = chess.Board(None)
    for piece, square in zip(pieces, squares, strict=True):
        if piece.piece_type == chess.PAWN and not 8 <= square < 56:
            return None
        board.set_piece_at(square, piece)
    board.turn = turn
    return None if board.was_into_check() else board


def every_position(name: str, step: int = 1) -> Iterator[chess.Board]:
    """Yield the legal positions of a table with distinct pieces, with either side as White.

    Of all arrangements, legal or not, every ``step``-th is tried.
    """
    arrangements = (
        (pieces, squares, turn)
        for pieces in (pieces_of(name, False), pieces_of(name, True))
        for squares in itertools.permutations(chess.SQUARES, len(pieces))
        for turn in chess.COLORS
    )
    for arrangement in itertools.islice(arrangements, 0, None, step):
        board = place(*arrangement)
        if board is not None:
            yield board


def random_position(name: str, rng: random.Random) -> chess.Board:
    """Return a random legal position of a table, often with en passant."""
    pieces = pieces_of(name, rng.random() < 0.5)
    while True:
        squares = rng.sample(chess.SQUARES, len(pieces))
        board = place(pieces, squares, rng.random() < 0.5)
        if board is None:
            continue
        steps = _pawns_meet(pieces) and rng.random() < EN_PASSANT_SHARE
        if not steps or _step(board, rng):
            return board


def _pawns_meet(pieces: Sequence[chess.Piece]) -> bool:
    colours = {piece.color for piece in pieces if piece.piece_type == chess.PAWN}
    return len(colours) == 2


def _step(board: chess.Board, rng: random.Random) -> bool:
    """Place two pawns so that the side to move can capture en passant; return whether it is
    legal."""
    us = board.turn
    mine = rng.choice(list(board.pieces(chess.PAWN, us)))
    other = rng.choice(list(board.pieces(chess.PAWN, not us)))
    file = rng.randrange(8)
    beside = file + rng.choice((-1, 1))
    rank = 4 if us else 3
    forward = 1 if us else -1
    targets = [chess.square(f, rank) for f in (file, beside) if 0 <= f < 8]
    for square in (mine, other):
        board.remove_piece_at(square)
    behind = [chess.square(file, rank + forward * step) for step in (1, 2)]
    if len(targets) < 2 or any(board.piece_at(square) for square in targets + behind):
        return False
    board.set_piece_at(targets[0], chess.Piece(chess.PAWN, not us))
    board.set_piece_at(targets[1], chess.Piece(chess.PAWN, us))
    board.ep_square = behind[0]
    return not board.was_into_check() and board.has_legal_en_passant()


def _fill(batch: Record, boards: Sequence[chess.Board]) -> None:
    for number, board in enumerate(boards):
        squares = batch.boards[number]
        squares[:] = EMPTY
        for square, piece in board.piece_map().items():
            squares[square] = piece.piece_type - 1 + 6 * (not piece.color)
        batch.sides[number] = not board.turn
        batch.en_passant[number] = board.ep_square or 0
    batch.count = len(boards)


def compare(
    tables: Tablebases, base: chess.syzygy.Tablebase, boards: Iterator[chess.Board]
) -> Comparison:
    """Compare the values of all ``boards``.

    Each prober is timed over many positions, so that neither finds the processor's caches filled by
    the other.
    """
    prober, found = BatchProber(tables), Comparison()
    batches = [new_record(BATCH) for _ in range(BATCHES)]
    while chunk := list(itertools.islice(boards, BATCHES * BATCH_SIZE)):
        parts = [chunk[at : at + BATCH_SIZE] for at in range(0, len(chunk), BATCH_SIZE)]
        for batch, part in zip(batches, parts, strict=False):
            _fill(batch, part)
        started = thread_time()
        for batch in batches[: len(parts)]:
            prober.probe(batch)
        between = thread_time()
        values = [base.probe_wdl(board) for board in chunk]
        found.theirs += thread_time() - between
        found.ours += between - started
        found.positions += len(chunk)
        found.en_passant += sum(board.ep_square is not None for board in chunk)
        found.checks += sum(map(chess.Board.is_check, chunk))
        ours = [
            int(value) for batch in batches[: len(parts)] for value in batch.values[: batch.count]
        ]
        found.differences += [
            f"{board.fen()}: {our}, not {their}"
            for board, our, their in zip(chunk, ours, values, strict=True)
            if our != their
        ]
    return found


def main() -> int:
    """Compare, print a line for each size of tables; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True, help="folder of Syzygy tablebases")
    parser.add_argument(
        "--sample", type=int, default=2_000_000, help="positions from larger tables"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    files = table_files(options.tables)
    tables, rng = Tablebases(files), random.Random(options.seed)
    small = [file.stem for file in files if len(file.stem) == 4]
    large = [file.stem for file in files if len(file.stem) > 4]
    sample = (
        random_position(rng.choice(large), rng) for _ in track(range(options.sample), "positions")
    )
    every = itertools.chain.from_iterable(map(every_position, small))
    differences = 0
    with chess.syzygy.open_tablebase(str(options.tables)) as base:
        compare(tables, base, (random_position(name, rng) for name in small))  # compiles the probes
        for what, boards in (("three pieces", every), ("more", sample if large else iter(()))):
            found = compare(tables, base, iter(boards))
            print(f"{what}: {found}", *found.differences[:MAX_FAULTS], sep="\n  ", flush=True)
            differences += len(found.differences)
    return DEFECT if differences else 0


if __name__ == "__main__":
    sys.exit(main())
