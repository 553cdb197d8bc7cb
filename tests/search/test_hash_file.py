"""Hash files: a search continues where another process left it, or the file is refused."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine import files
from engine.evaluation.network import default_network
from engine.jit.kernel import COMPILED
from engine.search import hash_file, tt
from engine.search.hash_file import HashFileError, load_hash, save_hash
from engine.search.searcher import Searcher
from engine.search.tt import EXACT, Table
from helpers.naive_search import facts, replay, search
from helpers.networks import random_net
from uci.chess_io.convert import board_of, fill
from uci.session.bench import POSITIONS

DEPTH = 10 if COMPILED else 2
BOARD = board_of(POSITIONS[4])


def searched(hash_mb: int = 1) -> Searcher:
    """Return a searcher that has searched `BOARD`."""
    searcher = Searcher(hash_mb)
    fill(searcher.pos, BOARD)
    search(searcher, DEPTH)
    return searcher


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hash") / "saved.hash"
    save_hash(searched(), path, "1")
    return path


def test_a_loaded_search_visits_the_same_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hash_file, "_CHUNK", 16 * 101)  # makes some chunks end within a cluster
    going, path = searched(), tmp_path / "a.hash"
    count = save_hash(going, path, "1")
    assert count == np.count_nonzero(going.table._words[1::2])
    resumed = Searcher(1, threads=2)
    resumed.use_threads(1)
    assert load_hash(resumed, path, "1") == count
    assert (resumed.table._words == going.table._words).all()
    for fen in POSITIONS[4:6]:
        for searcher in (going, resumed):
            fill(searcher.pos, board_of(fen))
        found = facts(search(resumed, DEPTH))
        assert found == facts(search(going, DEPTH))
    going.clear()
    assert found != facts(search(going, DEPTH)), "the table is of no use"


@pytest.mark.parametrize("size", [2, 3, 33])
def test_a_larger_table_takes_every_entry(saved: Path, tmp_path: Path, size: int) -> None:
    searcher, back, path = Searcher(size), Searcher(1), tmp_path / "larger.hash"
    count = load_hash(searcher, saved, "1")
    assert np.count_nonzero(searcher.table._words[1::2]) == count
    save_hash(searcher, path, "1")
    assert load_hash(back, path, "1") == count
    assert np.count_nonzero(back.table._words[1::2]) == count
    for each in (searcher, back):
        fill(each.pos, BOARD)
        for iteration in search(each, DEPTH):
            replay(BOARD, iteration.pv)


def test_a_smaller_table_takes_the_deepest_entries() -> None:
    table, keys = Table(1), np.arange(1, 13, dtype=np.uint64)
    depths = np.array([3, 9, 1, 8, 2, 7, 6, 5, 4, 1, 2, 3], dtype=np.uint64)
    keys[10:] += np.uint64(1 << 63)
    data = depths << np.uint64(48) | np.uint64(EXACT << 56) | keys
    table.insert(np.rec.fromarrays([keys ^ data, data], dtype=tt.ENTRY))
    left = data[[1, 3, 5, 6, 10, 11]]
    assert sorted(table._words[1::2][table._words[1::2] != 0]) == sorted(left)
    assert set(table._words[1:8:2]) == set(left[:4])


@pytest.mark.parametrize("cut", [0, 5, 11, 40, 1000, -33, -32, -1])
def test_a_truncated_file_is_refused(saved: Path, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut"
    path.write_bytes(saved.read_bytes()[:cut])
    reason = "not a hash file" if 0 <= cut < 8 else "bad checksum"
    with pytest.raises(HashFileError, match=reason):
        load_hash(Searcher(1), path, "1")


@pytest.mark.parametrize("place", [9, 14, 1000, -1000, -1])
def test_a_damaged_file_changes_nothing(saved: Path, tmp_path: Path, place: int) -> None:
    data = bytearray(saved.read_bytes())
    data[place] ^= 4
    path = tmp_path / "damaged"
    path.write_bytes(data)
    searcher = searched()
    before = searcher.table._words.copy(), searcher._thread.continuation.copy()
    for file, reason in ((path, "bad checksum"), (Path(__file__), "not a hash file")):
        with pytest.raises(HashFileError, match=reason):
            load_hash(searcher, file, "1")
    assert (searcher.table._words == before[0]).all()
    assert (searcher._thread.continuation == before[1]).all()


@pytest.mark.parametrize(
    "text", [b"{", b"[" * 100_000, b"[]", b"{}", b'{"age": 32, "fifty": true}', b'{"age": 1}']
)
def test_an_invalid_description_is_refused(tmp_path: Path, text: bytes) -> None:
    data = b"PYTHHASH" + len(text).to_bytes(4, "little") + text
    path = tmp_path / "signed"
    path.write_bytes(data + hashlib.sha256(data).digest())
    with pytest.raises(HashFileError, match="invalid description"):
        load_hash(Searcher(1), path, "1")


def test_what_changes_the_meaning_of_scores_is_compared(saved: Path) -> None:
    searcher = Searcher(1)
    with pytest.raises(HashFileError, match="from version 1, this is version 2"):
        load_hash(searcher, saved, "2")
    searcher.use_network(random_net(9))
    with pytest.raises(HashFileError, match="made with the evaluation"):
        load_hash(searcher, saved, "1")
    searcher.use_network(default_network())
    assert load_hash(searcher, saved, "1")

    class Variant(Searcher):
        """Another search."""

    with pytest.raises(HashFileError, match="other search parameters"):
        load_hash(Variant(1), saved, "1")


def test_contempt_is_not_saved(saved: Path, tmp_path: Path) -> None:
    searcher = searched()
    searcher.use_contempt(20, 0)
    with pytest.raises(HashFileError, match="Contempt"):
        save_hash(searcher, tmp_path / "a", "1")
    assert not (tmp_path / "a").exists()
    load_hash(searcher, saved, "1")
    searcher.use_contempt(0, 0)
    assert searcher.table._words.any(), "a loaded table is without contempt"


def test_a_full_disk_leaves_the_old_file(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_hash(searched(), path, "1")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]
