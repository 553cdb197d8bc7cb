"""Changes between two searches: options, memory, files, games. The engine here is a puppet."""

import os
import threading
import time
from pathlib import Path

import pytest

from helpers.fake_tables import constant_file
from helpers.puppet_session import Client
from helpers.timing import FOREVER, PATIENCE
from uci.chess_io.book import Book
from uci.session import session as session_module
from uci.session.analysis_writer import AnalysisWriter
from uci.session.worker import Worker


def test_hash(client: Client) -> None:
    client.say("setoption name Hash value 64", "setoption name hash value 64")
    assert client.engine.sizes == [64]
    client.say("setoption name Hash value 33554432")
    assert "not enough memory" in client.until("info string")[-1]
    assert client.session.options.number("Hash") == 64
    client.say("setoption name Hash value 0")
    assert "1 to 33554432" in client.until("info string")[-1]
    assert client.engine.sizes == [64]


def test_memory_changes_after_the_search(client: Client) -> None:
    client.say("go infinite").until("info depth 2")
    client.say("setoption name Hash value 32", "setoption name Clear Hash", "ucinewgame")
    assert (client.engine.sizes, client.engine.cleared) == ([], 0)
    client.say("stop").until("bestmove")
    client.session.join()
    client.say("isready").until("readyok")
    assert (client.engine.sizes, client.engine.cleared) == ([32], 1)


def test_a_table_takes_its_memory_before_the_clock_runs(client: Client) -> None:
    client.say("setoption name Hash value 64")
    assert client.engine.touched == 1
    client.say("go infinite").until("info depth 2")
    client.say("setoption name Hash value 32", "go depth 2").until("bestmove")
    client.until("bestmove")
    assert (client.engine.sizes, client.engine.touched) == ([64, 32], 1)


def test_what_comes_as_soon_as_the_move_is_done_before_the_next(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that arrive with the bestmove, before the search has ended, act before the next."""
    finish = AnalysisWriter.finish

    def dawdle(writer: AnalysisWriter) -> None:
        finish(writer)
        time.sleep(0.01)

    monkeypatch.setattr(AnalysisWriter, "finish", dawdle)
    monkeypatch.setattr(session_module, "ANSWERED_GRACE", PATIENCE)
    client.say("go depth 1").until("bestmove")
    client.say("setoption name Hash value 32", "ucinewgame", "isready").until("readyok")
    assert (client.engine.sizes, client.engine.cleared) == ([32], 1)
    client.say("go depth 1").until("bestmove")
    client.say("go depth x").until("bestmove (none)")


def test_threads(client: Client) -> None:
    client.say("setoption name Threads value 4", "isready").until("readyok")
    assert client.engine.threads == 4
    lines = client.say("setoption name Threads value 1024", "isready").until("readyok")
    assert "info string could not start 1024 threads; using 1000" in lines


def test_options_of_bots(client: Client) -> None:
    """lichess-bot's default options are accepted; missing tables do not end the engine."""
    given = {
        "Move Overhead": "100",
        "Threads": "4",
        "Hash": "512",
        "UCI_ShowWDL": "True",
    }
    client.say(*(f"setoption name {name} value {value}" for name, value in given.items()))
    assert client.is_silent()
    assert client.session.options.number("Move Overhead") == 100
    assert client.engine.sizes == [512]


def test_a_log_of_everything(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "a log  with spaces é.txt"
    client.say(f"setoption name Debug Log File value {path}", "isready", "go depth 2")
    client.until("bestmove")
    lines = path.read_text(encoding="utf-8").splitlines()
    said = [line.split(" ", 2)[2] for line in lines]
    assert said[:3] == ["> isready", "< readyok", "> go depth 2"]
    assert said[-1].startswith("< bestmove ")
    client.say("setoption name Debug Log File value <empty>", "isready").until("readyok")
    assert path.read_text(encoding="utf-8").splitlines()[:-1] == lines, "closed"
    client.say(f"setoption name Debug Log File value {tmp_path}")
    assert "cannot write" in client.until("info string")[-1]
    assert client.is_silent()


@pytest.mark.parametrize(
    ("name", "value"),
    [("SyzygyPath", "./syzygy/"), ("SyzygyPath", "/"), ("Book File", "no such book.bin")],
)
def test_files_that_are_not_there_get_one_line(client: Client, name: str, value: str) -> None:
    client.say(f"setoption name {name} value {value}")
    client.until("info string")
    assert client.is_silent()
    client.say(f"setoption name {name} value <empty>", "go depth 1").answer()


@pytest.mark.parametrize("around", ['"{}"', "'{}'", " {} ", ' "{}"\t'])
def test_spaces_and_quotes_around_a_path(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    monkeypatch.chdir(tmp_path)
    folder, log = tmp_path / "a b", tmp_path / "log"
    folder.mkdir()
    (folder / "KQvK.rtbw").write_bytes(constant_file(2))
    book = folder / "book.bin"
    book.write_bytes(bytes(16))

    def use(name: str, path: Path | str) -> list[str]:
        client.say(f"setoption name {name} value {around.format(path)}", "isready")
        return client.until("readyok")[:-1]

    assert use("Book File", book) == []
    assert client.session.resources.book == Book(book)
    assert use("Debug Log File", log) == []
    assert log.exists()
    for name in folder, around.format(folder) + os.pathsep:  # the probe may be compiled first
        assert "found 1 WDL" in "\n".join(use("SyzygyPath", name))
    assert "No such file" in use("Book File", folder / "missing")[0]
    assert use("Book File", "") == use("SyzygyPath", "") == use("Debug Log File", "") == []
    assert client.session.resources.book is client.session.resources.tables is None
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, log.name}


@pytest.mark.skipif(os.name != "posix", reason="names have no quotes there")
def test_a_path_as_it_stands_comes_first(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("book", '"book"', " book"):
        Path(name).write_bytes(bytes(16))
        client.say(f"setoption name Book File value {name}")
        assert client.session.resources.book == Book(Path(name))


def test_nobody_waits_for_memory(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """`isready` is answered while a search still has to clear a large table."""
    client.say("go depth 1").until("bestmove")
    client.session.join()
    clearing, cleared = threading.Event(), threading.Event()

    def clear() -> None:
        clearing.set()
        assert cleared.wait(FOREVER)

    monkeypatch.setattr(client.engine, "clear", clear)
    client.say("go infinite").until("info depth 2")
    client.say("ucinewgame", "go infinite").until("bestmove")
    assert clearing.wait(PATIENCE)
    client.say("isready", "setoption name Hash value 64").until("readyok")
    assert client.is_silent()
    assert client.engine.sizes == []
    cleared.set()
    client.until("info depth 2")
    client.say("stop").answer()


def test_a_value_that_is_set_while_another_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.say("setoption name Hash value 32", "setoption name Threads value 2", "isready")
    failing, failed = threading.Event(), threading.Event()

    def fail(wanted: int) -> int:
        failing.set()
        assert failed.wait(FOREVER)
        return 7

    for name, method in (("Hash", "resize"), ("Threads", "use_threads")):
        with monkeypatch.context() as patch:
            patch.setattr(client.engine, method, fail)
            client.say("go infinite").until("info depth 2")
            client.say(f"setoption name {name} value 1000", "go infinite").until("bestmove")
            assert failing.wait(PATIENCE)
            client.say(f"setoption name {name} value 64")
            failed.set()
            client.until("info depth 2")
        client.say("stop").until("bestmove")
        client.session.join()
        client.say("isready").until("readyok")
        assert client.session.options.number(name) == 64
        failing.clear()
        failed.clear()
    assert (client.engine.sizes[-1], client.engine.threads) == (64, 64)


def test_a_network_that_is_named_while_another_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, read = threading.Event(), threading.Event()

    def use_network(path: str) -> None:
        reading.set()
        assert read.wait(FOREVER)
        raise ValueError("not a Pythagoras network")

    with monkeypatch.context() as patch:
        patch.setattr(client.engine, "use_network", use_network)
        client.say("go infinite").until("info depth 2")
        client.say("setoption name EvalFile value bad", "go infinite").until("bestmove")
        assert reading.wait(PATIENCE)
        client.say("setoption name EvalFile value good")
        read.set()
        client.until("info depth 2")
    client.say("stop", "go depth 1")
    client.answer()
    client.answer()
    assert client.engine.networks == ["good"]


def test_a_game_that_begins_while_the_last_is_forgotten(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.say("go infinite").until("info depth 2")
    clearing, cleared = threading.Event(), threading.Event()

    def clear() -> None:
        clearing.set()
        assert cleared.wait(FOREVER)

    with monkeypatch.context() as patch:
        patch.setattr(client.engine, "clear", clear)
        client.say("ucinewgame", "go infinite").until("bestmove")
        assert clearing.wait(PATIENCE)
        client.say("ucinewgame")
        cleared.set()
        client.until("info depth 2")
    client.say("stop").until("bestmove")
    client.session.join()
    client.say("isready").until("readyok")
    assert client.engine.cleared == 1


def test_who_settles_sees_each_search(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search is registered before it runs."""
    start, busy = Worker.start, []

    def watch(worker: Worker, before: Worker | None) -> None:
        start(worker, before)
        client.until("info depth 2")
        busy.append(client.session.busy())

    monkeypatch.setattr(Worker, "start", watch)
    client.say("go infinite", "stop").until("bestmove")
    assert busy == [True]
