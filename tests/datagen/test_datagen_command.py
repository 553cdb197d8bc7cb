"""``pythagoras datagen`` with its options, files and messages."""

import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.datagen import game_file
from engine.datagen.factory import Settings
from engine.datagen.game_file import (
    Appender,
    FormatError,
    encode_header,
    open_games,
    read_header,
    split,
)
from helpers import command
from helpers.client import Process
from helpers.game_checks import check
from helpers.inline_executor import Inline
from helpers.syzygy import FOLDER, MEN
from uci.apps.datagen import command as datagen_command
from uci.apps.datagen import game_progress, stats
from uci.apps.datagen.game_progress import GameProgress
from uci.apps.datagen.remote_factory import play_games
from uci.apps.datagen.stats import stats_lines
from uci.apps.engines import make_executor
from uci.apps.engines.executor import TaskLost

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

Datagen = Callable[..., tuple[int, str, str]]

QUICK = ("--nodes", "50", "--threads", "2")


def games(path: Path) -> list[list[int]]:
    return [words.tolist() for block in open_games(path) for words in split(block)]


@pytest.fixture
def datagen(capsys: pytest.CaptureFixture[str]) -> Datagen:
    """Return a function that runs the command in this process, where kernels are loaded once."""

    def call(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        try:
            status = command.call("datagen", *words)
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    return call


@pytest.mark.slow
def test_a_tiny_generation(datagen: Datagen, tmp_path: Path) -> None:
    """A generation is started, interrupted and continued."""
    path, whole = tmp_path / "games", tmp_path / "whole"
    status, out, err = datagen(path, "--games", 3, *QUICK)
    assert (status, err) == (0, "")
    assert re.fullmatch(
        r"3 games, [\d,]+ positions; [\d.]+ games, [\d,]+ positions, [\d,]+ nodes a second",
        out.splitlines()[-1],
    )
    settings = Settings(**read_header(path)[0]["settings"])
    assert settings == Settings(nodes=50)
    for words in games(path):
        check(np.array(words, np.uint16), settings)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    assert datagen(path, "--games", 34, "--threads", 1)[0] == 0
    assert datagen(whole, "--games", 34, *QUICK)[0] == 0
    assert games(path) == games(whole)
    assert len(games(path)) == 34
    before = path.read_bytes()
    assert datagen(path, "--positions", 100)[0] == 0
    assert datagen(path, "--nodes", 51) == (
        2,
        "",
        f"pythagoras: {path} was created with other settings or by another engine\n",
    )
    assert path.read_bytes() == before


def test_tablebases(datagen: Datagen, tmp_path: Path) -> None:
    """A file made with tablebases can be continued only with them, from any folder."""
    path, empty = tmp_path / "games", tmp_path / "none"
    empty.mkdir()
    status, out, _ = datagen(path, "--games", 1, "--tables", FOLDER, *QUICK)
    assert (status, "WDL" in out.splitlines()[0]) == (0, True)
    assert read_header(path)[0]["settings"]["table_pieces"] == MEN
    assert datagen(path, "--games", 2, "--tables", f"{FOLDER}/", *QUICK)[0] == 0
    assert datagen(path, "--games", 3) == (
        2,
        "",
        f"pythagoras: {path} was written with tablebases of up to {MEN} pieces: give their folder"
        " with --tables\n",
    )
    assert datagen(path, "--games", 3, "--tables", empty)[0] == 2
    assert len(games(path)) == 2
    other = tmp_path / "other"
    assert datagen(other, "--games", 1, *QUICK)[0] == 0
    assert "other settings" in datagen(other, "--games", 2, "--tables", FOLDER)[2]


def test_positions_and_hours(datagen: Datagen, tmp_path: Path) -> None:
    path = tmp_path / "games"
    assert datagen(path, "--positions", 500, *QUICK)[0] == 0
    plies = [game[0] for game in games(path)]
    assert sum(plies) >= 500 > sum(plies[:-1])
    assert datagen(path, "--hours", 1e-9, *QUICK)[0] == 0
    assert len(games(path)) == len(plies)


def test_what_another_engine_began(datagen: Datagen, tmp_path: Path) -> None:
    """The last game is played again, which detects that another engine began the file."""
    path = tmp_path / "games"
    assert datagen(path, "--games", 2, *QUICK)[0] == 0
    facts, _ = read_header(path)
    (block,) = open_games(path)
    *others, last = split(block)
    last[17] ^= 1  # the score of its first move
    path.unlink()
    file = Appender(path, facts)
    file.append([*others, last])
    file.close()
    status, out, err = datagen(path, "--games", 3, *QUICK)
    assert (status, out) == (2, "")
    assert "another version of the engine" in err
    assert len(games(path)) == 2


def test_a_source_that_has_shrunk(datagen: Datagen, tmp_path: Path) -> None:
    path, again = tmp_path / "games", tmp_path / "again"
    assert datagen(path, "--games", 2, *QUICK)[0] == 0
    header = next(iter(open_games(path))).start
    assert datagen(again, "--relabel", path, *QUICK)[0] == 0
    with path.open("r+b") as file:
        file.truncate(header)
    status, out, err = datagen(again, "--relabel", path, *QUICK)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert len(games(again)) == 2


def test_games_that_are_left_out_as_damaged(datagen: Datagen, tmp_path: Path) -> None:
    """Undamaged games are merged, or scored again; the rest is reported."""
    sound, damaged, merged, again = (tmp_path / name for name in ("a", "b", "merged", "again"))
    assert datagen(sound, "--games", 2, *QUICK)[0] == 0
    (block,) = open_games(sound)
    data = bytearray(sound.read_bytes())
    last = data[block.start :]
    last[-1] ^= 1
    damaged.write_bytes(data + last)
    said = f"pythagoras: {damaged}: {len(last):,} damaged bytes were skipped\n"
    status, out, err = datagen(merged, "--merge", sound, damaged)
    assert (status, err) == (1, said)
    assert out.startswith("2 games, ")
    for _ in range(2):  # the second finds nothing to do
        status, _, err = datagen(again, "--relabel", damaged, *QUICK)
        assert (status, err) == (1, said)
        assert games(again) == games(sound)


def test_a_file_with_an_illegal_move_is_refused(datagen: Datagen, tmp_path: Path) -> None:
    path, other = tmp_path / "games", tmp_path / "other"
    assert datagen(path, "--games", 1, *QUICK)[0] == 0
    facts, _ = read_header(path)
    (block,) = open_games(path)
    (words,) = split(block)
    words[16] = 27 | 27 << 6  # d4d4
    path.unlink()
    file = Appender(path, facts)
    file.append([words])
    file.close()
    invalid = "game 0 is invalid: an illegal position or move, or a wrong length"
    for call in (
        (other, "--relabel", path, *QUICK),
        (other.with_name("merged"), "--merge", path),
        (path, "--stats"),
        (path, "--games", 2),
    ):
        status, _, err = datagen(*call)
        assert (status, err) == (2, f"pythagoras: {path}: {invalid}\n"), call


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("random_plies", 2000, "2000 is out of range 0–100"),
        ("hash", 0, "0 is out of range 1–65536"),
        ("nodes", 10**30, f"{10**30} is out of range 1–1000000000"),
        ("chess960", -1, "-1 is out of range 0–1000"),
        ("seed", True, "True is out of range 0–9223372036854775807"),
        ("win_plies", "x" * 99, f"'{'x' * 39} is out of range 0–2147483648"),
    ],
)
def test_settings_of_a_file_that_are_out_of_range(
    datagen: Datagen, tmp_path: Path, name: str, value: object, told: str
) -> None:
    path = tmp_path / "games"
    path.write_bytes(encode_header({"settings": asdict(Settings()) | {name: value}}))
    before = path.read_bytes()
    message = f"pythagoras: {path}: setting {name}: {told}\n"
    assert datagen(path, "--games", 1, "--threads", 1) == (2, "", message)
    assert path.read_bytes() == before


def test_nobody_else_loads_it(root: Path) -> None:
    """Only datagen loads its kernels: play would load, or compile, code that it does not use.

    `warm` compiles them, `genfens` uses datagen's settings, and `scores` its compiled root.
    """
    uci = root / "uci"
    users = {p.relative_to(uci) for p in uci.rglob("*.py") if "engine.datagen" in p.read_text()}
    datagen = {p.relative_to(uci) for p in (uci / "apps" / "datagen").iterdir()}
    others = "cli/warm.py", "session/genfens.py", "apps/engines/position_scorer.py"
    assert users - datagen == set(map(Path, others))


@pytest.mark.slow
def test_stats_merge_relabel(datagen: Datagen, tmp_path: Path) -> None:
    path, other, merged, again = (tmp_path / name for name in ("a", "b", "merged", "again"))
    assert datagen(path, "--games", 6, "--keep-pvs", *QUICK)[0] == 0
    assert datagen(other, "--games", 5, "--seed", 2, "--chess960", 1, "--keep-pvs", *QUICK)[0] == 0
    status, out, err = datagen(path, "--stats")
    assert (status, err) == (0, "")
    assert "games       6;" in out
    assert "6 different openings" in out
    assert "\nlines       " in out
    assert "illegal" not in out
    assert "damaged" not in out
    assert datagen(merged, "--merge", path, other, path)[:2] == (
        0,
        f"11 games, {sum(game[0] for game in games(path) + games(other)):,} positions;"
        " 6 duplicate games dropped\n",
    )
    status, out, err = datagen(merged, "--merge", path, other)
    assert (status, out) == (2, "")
    assert "already exists" in err
    status, out, err = datagen(merged, "--games", 20)
    assert (status, out) == (2, "")
    assert "games cannot be added to it" in err
    for _ in range(2):  # the second finds nothing to do
        status, out, err = datagen(again, "--relabel", merged, "--keep-pvs", *QUICK)
        assert (status, err) == (0, "")
        assert games(again) == games(merged)
    assert read_header(again)[0]["relabelled"] == read_header(merged)[0]


class Losing(Inline):
    """A client that gives up the range of games from 64 on."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if fn is not play_games or args[1] != 64:
            return super().submit(fn, *args, **kwargs)
        future: Future[Any] = Future()
        future.set_exception(TaskLost("it has ended 4 workers"))
        return future


@pytest.mark.slow
def test_games_that_kill_their_workers_are_left_out(
    datagen: Datagen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_executor, "make_executor", lambda *_: Losing())
    here, there, words = tmp_path / "here", tmp_path / "there", ("--nodes", 50)
    where = "--scheduler", "tcp://127.0.0.1:1"
    assert datagen(here, "--games", 140, *words)[0] == 0
    status, _, err = datagen(there, "--games", 70, *words, *where)
    assert (status, err) == (0, "pythagoras: games 64 to 127 skipped: it has ended 4 workers\n")
    assert datagen(there, "--games", 76, *words, "--threads", 1)[0] == 0
    whole = games(here)
    assert games(there) == whole[:64] + whole[128:]


@posix
@pytest.mark.slow
@pytest.mark.parametrize("way", ["SIGINT", "SIGHUP", "SIGKILL"])
def test_ways_to_end(
    root: Path, tmp_path: Path, processes: list[Process], datagen: Datagen, way: str
) -> None:
    path = tmp_path / "games"
    process = Process(root, "datagen", str(path), *QUICK)
    processes.append(process)
    while not path.exists() or path.stat().st_size < 20_000:
        assert process.popen.poll() is None, process.popen.communicate()
        time.sleep(0.02)
    process.popen.send_signal(signal.Signals[way])
    status, _, err = process.end()
    assert (status, err) == (-9 if way == "SIGKILL" else 0, "")
    held = len(games(path))
    assert held >= 32
    assert datagen(path, "--games", held + 1, *QUICK)[0] == 0
    assert len(games(path)) == held + 1


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 1, ""),
        (OSError(errno.ENOSPC, "No space"), 2, "pythagoras: standard output: No space\n"),
    ],
)
def test_an_output_that_takes_no_more(
    error: OSError, status: int, told: str, datagen: Datagen, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The error names the output, not the file; the games that were played are kept."""

    class Output(StringIO):
        def write(self, text: str) -> int:
            if re.match("[1-9]", text):
                raise error
            return super().write(text)

    path = tmp_path / "games"
    monkeypatch.setattr(game_progress, "LINE_EVERY", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Output())
        assert datagen(path, "--games", 9, "--nodes", 50, "--threads", 1) == (status, "", told)
    assert games(path)


def test_bad_input_gets_one_line(datagen: Datagen, tmp_path: Path) -> None:
    path, text = tmp_path / "games", tmp_path / "text"
    text.write_text("no games")
    for words, said in (
        ([text], "is not a file of games"),
        ([text, "--stats"], "is not a file of games"),
        ([tmp_path / "missing", "--stats"], "No such file"),
        ([tmp_path / "no" / "such"], "No such file"),
        ([tmp_path], "directory"),
        ([path, "--stats", "--nodes", 100], "--nodes cannot be used with --stats"),
        ([path, "--stats", "--random-moves", 0.1], "--random-moves cannot be used with --stats"),
        ([path, "--merge", text], "is not a file of games"),
        ([text, "--merge", text], "is not a file of games"),
        ([path, "--relabel", text], "is not a file of games"),
        ([path, "--relabel", text, "--seed", 3], "--seed cannot be used with --relabel"),
    ):
        status, out, err = datagen(*words)
        assert (status, out) == (2, ""), words
        assert err.startswith("pythagoras: ")
        assert err.count("\n") == 1, err
        assert said in err
    for words in (["--games", 0], ["--hours", "nan"], ["--chess960", 1.5], ["--nodes", "x"]):
        status, out, err = datagen(path, *words)
        assert status == 2
        assert f"argument {words[0]}" in err.splitlines()[-1]
    assert text.read_text() == "no games"
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("task", ["--games", "--merge", "--relabel", "--stats"])
def test_nothing_is_compiled_without_a_word(
    task: str, datagen: Datagen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice about compiling comes before games are read, which needs kernels."""
    path, other = tmp_path / "games", tmp_path / "other"
    assert datagen(path, "--games", 1, *QUICK)[0] == 0
    told: list[str] = []
    find_games = game_file.find_games

    def find(*arguments: Any) -> int:
        assert told, "games are read before the notice"
        return int(find_games(*arguments))

    monkeypatch.setattr(game_file, "find_games", find)
    for module in (datagen_command, stats):
        monkeypatch.setattr(module, "compile_kernels", lambda _: told.append("compiling"))
    words = {
        "--games": (path, "--games", 1, *QUICK),
        "--merge": (other, "--merge", path),
        "--relabel": (other, "--relabel", path, *QUICK),
        "--stats": (path, "--stats"),
    }
    status, _, err = datagen(*words[task])
    assert (status, err) == (0, "")
    if task == "--relabel":  # a second run also reads its own file
        told.clear()
        assert datagen(*words[task])[0] == 0


def test_nothing_is_compiled_for_the_statistics_of_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "text"
    path.write_text("no games")
    monkeypatch.setattr(stats, "compile_kernels", lambda say: pytest.fail("compiles"))
    with pytest.raises(FormatError):
        next(stats_lines(path))


@pytest.mark.interpreted
def test_the_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 100.0
    monkeypatch.setattr("uci.apps.datagen.game_progress.monotonic", lambda: now)
    games = GameProgress(1000, 80_000, most_games=3000)
    for _ in range(500):
        games.count(100, 400_000)
    now += 59.0
    games.show()
    assert capsys.readouterr().out == ""
    now += 41.0
    games.show()
    assert capsys.readouterr().out == (
        "1,500 games, 130,000 positions; 5.0 games, 500 positions,"
        " 2,000,000 nodes a second; 0 h 05 min left\n"
    )
    games.show()
    assert capsys.readouterr().out == ""
    assert not games.reached()
    for _ in range(1500):
        games.count(100, 400_000)
    assert games.reached()
    games.finish()
    assert capsys.readouterr().out.endswith("nodes a second\n")
    timed = GameProgress(0, 0, seconds=7200.0)
    now += 3600.0
    timed.show()
    assert capsys.readouterr().out.endswith("; 1 h 00 min left\n")
    now += 3600.0
    assert timed.reached()
    assert GameProgress(5, 50, most_positions=50).reached()
    assert not GameProgress(5, 49, most_positions=50).reached()
