"""Files of tables, and their possible damage."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import chess.syzygy
import pytest

from engine.memory.records import new_record
from engine.syzygy.batch import BATCH, BatchProber
from engine.syzygy.decoding import UNKNOWN
from engine.syzygy.wdl_file import DamagedTable, read_header
from engine.syzygy.wdl_tables import Tablebases
from helpers.syzygy import FOLDER
from scripts.measure.table_check import random_position, table_files

FILES = table_files(Path(FOLDER))
THREE = [file for file in FILES if len(file.stem) == 4]
SOME = FILES[::4]
SAMPLE = 200

Damage = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, rng: random.Random, start: int = 0) -> bytes:
    """Change one bit."""
    changed = bytearray(data)
    changed[rng.randrange(start, len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


DAMAGES: dict[str, Damage] = {
    "empty": lambda data, rng: b"",
    "halved": lambda data, rng: data[: len(data) // 2],
    "a byte less": lambda data, rng: data[:-1],
    "a block less": lambda data, rng: data[:-64],
    "a block more": lambda data, rng: data + bytes(64),
    "zeros": lambda data, rng: data[:4] + bytes(len(data) - 4),
    "noise": lambda data, rng: data[:4] + rng.randbytes(len(data) - 4),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of links to all tables."""
    for file in FILES:
        (tmp_path / file.name).symlink_to(file)
    return tmp_path


def values(tables: Tablebases, name: str, seed: int = 1) -> list[tuple[int, int]]:
    """Return the values of random positions of a table, each with python-chess's."""
    rng, batch = random.Random(seed), new_record(BATCH)
    boards = [random_position(name, rng) for _ in range(SAMPLE)]
    batch.count = SAMPLE
    for number, board in enumerate(boards):
        batch.boards[number] = 12
        for square, piece in board.piece_map().items():
            batch.boards[number][square] = piece.piece_type - 1 + 6 * (not piece.color)
        batch.sides[number], batch.en_passant[number] = not board.turn, board.ep_square or 0
    BatchProber(tables).probe(batch)
    with chess.syzygy.open_tablebase(FOLDER) as base:
        return [
            (int(value), base.probe_wdl(board))
            for value, board in zip(batch.values, boards, strict=False)
        ]


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("file", SOME, ids=lambda file: file.stem)
def test_damaged_files_are_left_out(folder: Path, file: Path, kind: str) -> None:
    broken = folder / file.name
    broken.unlink()
    broken.write_bytes(DAMAGES[kind](file.read_bytes(), random.Random(1)))
    tables = Tablebases(table_files(folder))
    assert tables.damaged == [broken]
    assert tables.count == len(FILES) - 1
    assert all(ours in (theirs, UNKNOWN) for ours, theirs in values(tables, file.stem))


@pytest.mark.parametrize("file", SOME, ids=lambda file: file.stem)
def test_a_flipped_bit(folder: Path, file: Path) -> None:
    """A flipped bit fails the checksum; without that check it does no harm but wrong values."""
    rng = random.Random(file.stem)
    broken = folder / file.name
    broken.unlink()
    for _ in range(4):
        broken.write_bytes(flip(file.read_bytes(), rng, start=5))
        checked = Tablebases(table_files(folder), checked=True)
        assert checked.damaged == [broken]
        for ours, theirs in values(checked, file.stem):
            assert ours in (theirs, UNKNOWN)
        for ours, _ in values(Tablebases(table_files(folder)), file.stem):
            assert ours in (*range(-2, 3), UNKNOWN)


def test_swapped_names(tmp_path: Path) -> None:
    """Tables with swapped names are refused by their content."""
    for file in FILES:
        for other in FILES:
            if other == file:
                continue
            data = other.read_bytes()
            with pytest.raises(DamagedTable):
                read_header(file.stem, data, len(data))


def test_a_file_that_shrinks(tmp_path: Path) -> None:
    """Values beyond the end of a shrunken file are unknown, without a crash."""
    name = "KPvK"
    for file in FILES:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tables = Tablebases(table_files(tmp_path))
    assert all(ours == theirs for ours, theirs in values(tables, name))
    os.truncate(tmp_path / f"{name}.rtbw", 4_200)
    left = values(tables, name)
    assert all(ours in (theirs, UNKNOWN) for ours, theirs in left)
    assert any(ours == UNKNOWN for ours, _ in left)
    os.truncate(tmp_path / f"{name}.rtbw", 0)
    assert any(ours == UNKNOWN for ours, _ in values(tables, name))


def test_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """All descriptors are closed with the tables, and some are always left for others."""

    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    tables = Tablebases(FILES)
    assert count() == before + len(FILES)
    del tables
    assert count() == before
    monkeypatch.setattr("engine.syzygy.wdl_tables._most_files", lambda: 3)
    tables = Tablebases(FILES)
    assert (tables.count, tables.unread) == (3, len(FILES) - 3)
    assert tables.damaged == []


def test_strange_files(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").mkdir()
    os.mkfifo(tmp_path / "KRvK.rtbw")
    (tmp_path / "KPvK.rtbw").symlink_to(tmp_path / "nowhere")
    tables = Tablebases(table_files(tmp_path))
    assert (tables.count, tables.largest) == (0, 0)
    assert [file.name for file in tables.damaged] == ["KPvK.rtbw", "KQvK.rtbw", "KRvK.rtbw"]


def test_equal_names(tmp_path: Path) -> None:
    """Of several files with one name, the first valid one is used."""
    (tmp_path / THREE[0].name).write_bytes(b"")
    tables = Tablebases([tmp_path / THREE[0].name, THREE[0], THREE[0]])
    assert (tables.count, tables.damaged) == (1, [tmp_path / THREE[0].name])


@pytest.mark.boundscheck
@pytest.mark.parametrize("file", SOME[::2], ids=lambda file: file.stem)
def test_no_read_beyond_a_buffer(folder: Path, file: Path) -> None:
    """With bounds checks, probes of files with random bytes read nothing beyond a buffer."""
    rng = random.Random(file.stem)
    broken = folder / file.name
    broken.unlink()
    for _ in range(10):
        data = file.read_bytes()
        for _ in range(20):
            data = flip(data, rng, start=5)
        broken.write_bytes(data)
        values(Tablebases(table_files(folder)), file.stem)
