"""Probes of tablebases, compared with python-chess's."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.syzygy
import pytest

from engine.memory.records import new_record
from engine.syzygy.batch import BATCH, BatchProber
from engine.syzygy.decoding import UNKNOWN
from engine.syzygy.wdl_tables import Tablebases
from helpers.syzygy import FOLDER, needs_four_men
from scripts.measure.table_check import compare, every_position, random_position, table_files

FILES = table_files(Path(FOLDER))
NAMES = [file.stem for file in FILES]


@pytest.fixture(scope="module")
def base() -> Iterator[chess.syzygy.Tablebase]:
    """Yield the tables as python-chess reads them."""
    with chess.syzygy.open_tablebase(FOLDER) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if len(name) == 4])
def test_three_pieces(base: chess.syzygy.Tablebase, name: str) -> None:
    """One in 53 positions of a table is right; `scripts.measure.table_check` tests all."""
    found = compare(Tablebases(FILES), base, every_position(name, 53))
    assert found.positions > 5000
    assert found.differences == []


@pytest.mark.parametrize("name", [name for name in NAMES if len(name) > 4])
def test_more_pieces(base: chess.syzygy.Tablebase, name: str) -> None:
    rng = random.Random(name)
    found = compare(Tablebases(FILES), base, (random_position(name, rng) for _ in range(500)))
    assert found.positions == 500
    assert found.checks > 0
    assert (found.en_passant > 0) == (name.count("P") == 2 and name.endswith("P"))
    assert found.differences == []


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("name", NAMES[:: max(1, len(NAMES) // 7)])
def test_few_positions(base: chess.syzygy.Tablebase, name: str) -> None:
    """A few positions are right where kernels are slow: interpreted, or with bounds checks."""
    rng = random.Random(name)
    found = compare(Tablebases(FILES), base, (random_position(name, rng) for _ in range(25)))
    assert found.positions == 25
    assert found.differences == []


@pytest.mark.interpreted
def test_in_memory(base: chess.syzygy.Tablebase) -> None:
    """Tables are read into memory if the system has no ``pread``, with the same values."""
    rng = random.Random(1)
    tables = Tablebases(FILES, pread=0)
    assert tables.in_memory
    assert tables.count == len(FILES)
    boards = (random_position(rng.choice(NAMES), rng) for _ in range(100))
    assert compare(tables, base, boards).differences == []


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("8/8/8/8/8/8/8/K1k5 w - - 0 1", 0),  # bare kings
        ("8/8/8/8/8/8/1r6/K1k5 w - - 0 1", 0),  # stalemate, by a rook that is guarded
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", -2),  # mate
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0),  # stalemate
    ],
)
def test_known_values(fen: str, value: int) -> None:
    assert probe(Tablebases(FILES), fen) == value


@needs_four_men
@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("5k2/8/8/8/2Pp4/8/6K1/8 b - c3 0 1", 2),  # only en passant wins
        ("2K5/8/8/2kPp3/8/8/8/8 w - e6 0 1", 0),  # only en passant draws
        ("k7/2Q5/8/8/3Pp3/4K3/8/8 b - d3 0 1", -2),  # en passant is the only move, five pieces
    ],
)
def test_en_passant(fen: str, value: int) -> None:
    assert probe(Tablebases(FILES), fen) == value


@needs_four_men
def test_missing_tables() -> None:
    """The value is unknown if a table, or the table after a capture, is missing."""
    some = Tablebases(file for file in FILES if file.stem in ("KQvK", "KQvKR"))
    assert probe(some, "8/8/8/3k4/8/8/8/KQ6 w - - 0 1") == 2
    assert probe(some, "8/8/8/3k4/8/8/8/KR6 w - - 0 1") == UNKNOWN
    assert probe(some, "8/8/8/3k4/3r4/8/8/KQ6 w - - 0 1") == 2
    assert probe(some, "8/8/8/3k4/3r4/8/3Q4/K7 b - - 0 1") == UNKNOWN
    assert probe(some, "8/8/8/3k4/8/8/PPPP4/K7 b - - 0 1") == UNKNOWN
    assert (some.count, some.largest) == (2, 4)


def probe(tables: Tablebases, fen: str) -> int:
    """Return the value of one position."""
    batch, board = new_record(BATCH), chess.Board(fen)
    batch.count = 1
    batch.boards[0] = 12
    for square, piece in board.piece_map().items():
        batch.boards[0][square] = piece.piece_type - 1 + 6 * (not piece.color)
    batch.sides[0], batch.en_passant[0] = not board.turn, board.ep_square or 0
    BatchProber(tables).probe(batch)
    return int(batch.values[0])
