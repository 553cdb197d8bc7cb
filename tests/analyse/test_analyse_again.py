"""`pythagoras analyse` run again: stopped work resumes, and existing files are not replaced."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers.inline_executor import Inline, analyse_inline, stop_after
from helpers.three_games import GAMES, Output, call, names
from uci.errors import UciError


def written(games: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in games.parent.iterdir() if path != games}


def test_of_several_files_those_that_are_done_are_left(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    other = games.with_name("other.pgn")
    other.write_text(GAMES)
    with monkeypatch.context() as patch:
        patch.setattr(Inline, "submit", interrupted)
        assert call(games, other) == 130
    assert "nothing was saved to resume from" in capsys.readouterr().err
    assert call(games) == 1
    done = (games.parent / "games.analysed.pgn").stat()
    with monkeypatch.context() as patch:
        patch.setattr(Inline, "submit", interrupted)
        assert call(games, other) == 130
    inline.chunks.clear()
    capsys.readouterr()
    assert call(games, other) == 1
    assert "games.pgn: already analysed" in capsys.readouterr().err
    assert (games.parent / "games.analysed.pgn").stat() == done
    for words in (games, other), (games, other, "--nodes", 7):
        assert call(*words) == 2
        assert "already exists; use --force to replace it" in capsys.readouterr().err
    other.with_name("other.analysed.pgn").unlink()
    for change in (["--nodes", 7], ["--games", "1"]):
        assert call(games, other, *change) == 2
    os.utime(games, (done.st_mtime + 5, done.st_mtime + 5))
    assert call(games, other) == 2, "it has changed since"


def test_nothing_is_replaced(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(games)
    before = (games.parent / "games.analysed.pgn").read_bytes()
    inline.chunks.clear()
    assert call(games, "--nodes", 7) == 2
    assert "games.analysed.pgn already exists; use --force to replace it" in capsys.readouterr().err
    assert not inline.chunks
    assert (games.parent / "games.analysed.pgn").read_bytes() == before
    assert call(games, "--nodes", 7, "--force") == 1
    assert (games.parent / "games.analysed.pgn").read_bytes() != before


@pytest.mark.parametrize("words", [("--games", "5"), ("--side", "xx"), ("--games", "2")])
def test_without_a_game_nothing_is_written(
    words: Sequence[str], inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(games, *words) == 1
    assert names(games.parent) == ["games.pgn"]
    said = capsys.readouterr().err
    assert ": nothing analysed: " in said
    assert "written to" not in said
    assert call(games, "--games", "1") == 0
    whole = written(games)
    assert call(games, *words, "--force") == 1
    assert written(games) == whole


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143), (UciError(), 2)]
)
def test_what_was_stopped_goes_on(
    error: BaseException, status: int, inline: Inline, games: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    call(games)
    whole = written(games)
    for path in whole:
        path.unlink()
    inline.analyse_chunk = stop_after(1, error)
    capsys.readouterr()
    assert call(games) == status
    said = capsys.readouterr().err
    assert ("stopped; run the same command again to resume" in said) == (status != 2)
    assert names(games.parent) == ["games.analysis.part", "games.pgn"]
    inline.chunks.clear()
    inline.analyse_chunk = analyse_inline
    assert call(games) == 1
    said = capsys.readouterr().err
    assert said.count("resuming, some of its games are already analysed") == 1
    assert ": 2 analysed (1 of them already saved), 1 unreadable; " in said
    assert len(inline.chunks) == 1
    assert written(games) == whole


@pytest.mark.parametrize("name", ["games.pgn", "-"])
def test_what_was_stopped_in_its_first_game_does_not_go_on(
    name: str, inline: Inline, games: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(games.parent)
    monkeypatch.setattr(sys, "stdin", Output(GAMES.encode()))
    inline.analyse_chunk = stop_after(0, KeyboardInterrupt)
    assert call(name) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "stopped; nothing was saved to resume from"
    assert names(games.parent) == ["games.pgn"]


def test_records_are_of_these_settings(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inline.analyse_chunk = stop_after(1, KeyboardInterrupt)
    call(games)
    inline.analyse_chunk = analyse_inline
    inline.chunks.clear()
    assert call(games, "--nodes", 9) == 1
    assert len(inline.chunks) == 2
    assert "already saved" not in capsys.readouterr().err


def test_a_damaged_record_is_not_known(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inline.analyse_chunk = stop_after(1, KeyboardInterrupt)
    call(games)
    (record,) = games.parent.glob("games.analysis.part/records/*.json")
    record.write_bytes(record.read_bytes()[:-20])
    inline.analyse_chunk = analyse_inline
    assert call(games) == 1
    assert "already saved" not in capsys.readouterr().err


def test_a_game_that_stands_there_twice_is_not_known_from_earlier(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games.write_text(4 * "1. e4 e5 *\n\n")
    assert call(games) == 0
    assert "already saved" not in capsys.readouterr().err
