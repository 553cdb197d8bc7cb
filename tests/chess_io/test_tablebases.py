"""Tablebases: their values; no game is lost by a damaged file or a slow look-up."""

import itertools
import os
import struct
import threading
from pathlib import Path

import chess
import chess.syzygy
import pytest

from helpers.descriptors import descriptors_stay
from helpers.syzygy import FOLDER, MEN, board_of, ranked
from uci.chess_io.syzygy import Tables, open_tables
from uci.chess_io.syzygy_ranking import WdlValue
from uci.errors import UciError


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",  # may castle
        "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1",  # five pieces
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    ],
)
def test_what_the_tables_do_not_hold(tables: Tables, fen: str) -> None:
    assert tables.rank(board_of(fen)) is None


def test_limits(tables: Tables) -> None:
    board = board_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    assert tables.largest == MEN
    assert tables.rank(board, limit=2) is None
    assert tables.rank(board, limit=0) is None
    assert tables.rank(board, limit=3) is not None
    assert tables.rank(board, halted=lambda: True) is None


def test_several_folders(tmp_path: Path) -> None:
    for name in ("KQvK", "KPvK"):
        (tmp_path / name).mkdir()
        for file in Path(FOLDER).glob(f"{name}.rtb?"):
            (tmp_path / name / file.name).symlink_to(file.absolute())
    found = open_tables(os.pathsep.join(map(str, sorted(tmp_path.iterdir()))))
    assert found.summary == (
        "found 2 WDL and 2 DTZ tables of up to 3 pieces;"
        " the search itself probes WDL tables from the files"
    )
    assert found.rank(board_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")) is not None
    assert found.rank(board_of("8/8/8/3k4/8/8/P7/K7 w - - 0 1")) is not None
    assert found.rank(board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")) is None


def test_damaged_files_are_left_out(tmp_path: Path) -> None:
    for name in ("KQvK", "KRvK"):
        for suffix in (".rtbw", ".rtbz"):
            (tmp_path / (name + suffix)).write_bytes(Path(FOLDER, name + suffix).read_bytes())
    with (tmp_path / "KQvK.rtbw").open("r+b") as file:
        file.truncate(100)
    found = open_tables(str(tmp_path))
    assert "damaged files, not used: KQvK.rtbw" in found.summary
    assert found.rank(board_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")) is None
    assert found.rank(board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")) is not None


@pytest.mark.parametrize("error", [KeyError, IndexError, struct.error, RecursionError, OSError])
def test_damage_inside_a_file_costs_no_game(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def probe(*_: object) -> int:
        raise error

    board = board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
    full = ranked(tables, board)
    monkeypatch.setattr(chess.syzygy.Tablebase, "probe_dtz", probe)
    half = ranked(tables, board)
    assert half.value == WdlValue.WIN
    assert set(full.moves) <= set(half.moves)
    monkeypatch.setattr(chess.syzygy.Tablebase, "probe_wdl", probe)
    assert tables.rank(board) is None


@pytest.mark.parametrize("error", [TypeError, AttributeError, NameError])
def test_a_mistake_of_ours_is_not_taken_for_damage(
    tables: Tables, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def read(*_: object) -> int:
        raise error("ours")

    board = board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
    with monkeypatch.context() as patch:
        patch.setattr(chess.syzygy.Tablebase, "probe_dtz", read)
        with pytest.raises(error, match="ours"):
            tables.rank(board)
        with pytest.raises(error, match="ours"):
            tables.rank_within(30, board)
    monkeypatch.setattr("uci.chess_io.syzygy.is_drawn", read)
    with pytest.raises(error, match="ours"):
        tables.rank_within(30, board)


def test_tables_that_nobody_uses_are_closed() -> None:
    board = board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
    with descriptors_stay():
        for _ in range(3):
            ranked(open_tables(FOLDER), board)


def test_a_look_up_that_never_ends_costs_no_game(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")
    whole = tables.rank_within(30, board)
    assert whole == tables.rank(board)
    release = threading.Event()

    def probe(*_: object) -> int:
        release.wait(30)
        return -9

    with monkeypatch.context() as patch:
        patch.setattr(chess.syzygy.Tablebase, "probe_dtz", probe)
        assert tables.rank_within(0.05, board) is None
        late = tables._late
        assert late is not None
        assert tables.rank_within(30, board) is None, "one is enough to be lost"
        assert tables._late is late
        release.set()
        late.join()
        release.clear()
        asked = itertools.count()
        assert tables.rank_within(30, board, halted=lambda: next(asked) == 3) is None
        assert next(asked) == 4, "it ends with the search"
        release.set()
        assert tables._late is not late
        tables._late.join()
    assert tables.rank_within(30, board) == whole


def test_a_look_up_without_a_thread_spoils_none_after_it(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1")

    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        assert tables.rank_within(30, board) is None
    assert tables.rank_within(30, board) == tables.rank(board)


def test_folders_without_tables(tmp_path: Path) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(b"no table")
    for path in (str(tmp_path / "missing"), str(tmp_path), str(tmp_path / "KQvK.rtbw"), ":", "\0"):
        with pytest.raises(UciError) as error:
            open_tables(path)
        assert "\n" not in str(error.value)
