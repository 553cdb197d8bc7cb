"""Files that a user names: for bad ones the engine reports the fault and continues."""

import os
import random
import threading
from itertools import product
from pathlib import Path

import chess
import pytest

from engine.evaluation.network import NetworkError, default_network, read_network, serialise
from engine.files import open_file, open_log
from helpers.bad_paths import bad_paths
from helpers.books import entry, raw, write
from helpers.client import Process
from helpers.command import call
from scripts.patience import SILENCE
from uci.chess_io.syzygy import open_tables
from uci.errors import UciError

FILES = ("EvalFile", "Book File", "SyzygyPath", "Debug Log File")

posix = pytest.mark.skipif(os.name != "posix", reason="needs named pipes and devices")


@pytest.mark.slow
def test_an_option_that_names_no_file(living: Process, tmp_path: Path) -> None:
    log = tmp_path / "log"
    living.say(f"setoption name Debug Log File value {log}")
    with bad_paths(tmp_path) as paths:
        for option, (what, path) in product(FILES, paths.items()):
            lines = living.say(f"setoption name {option} value {path}", "isready").until("readyok")
            if option == "Debug Log File" and what == "missing":
                assert lines == ["readyok"], "it has begun a file"
                living.say(f"setoption name {option} value {log}")
                continue
            assert len(lines) == 2, (option, what, lines)
            assert lines[0].startswith("info string ")
            assert "internal error" not in lines[0]
            assert len(lines[0]) < 200
    assert living.say("go depth 3").until("bestmove")
    assert log.read_text().splitlines()[-1].split(" ", 2)[2].startswith("< bestmove")


@pytest.mark.slow
@posix
def test_what_takes_the_place_of_a_file(living: Process, tmp_path: Path) -> None:
    """A file may be replaced: each move opens the book again, and tables are opened when needed."""
    book, table = tmp_path / "book.bin", tmp_path / "KQvK.rtbw"
    board = chess.Board(chess960=True)
    write(book, entry(board, raw("a2a4"), 1))
    table.write_bytes(b"\x71\xe8\x23\x5d" + bytes(76))
    living.say("setoption name OwnBook value true", f"setoption name Book File value {book}")
    living.say(f"setoption name SyzygyPath value {tmp_path}")
    assert living.say("go depth 3").until("bestmove")[-1] == "bestmove a2a4"
    for file in (book, table):
        file.unlink()
        os.mkfifo(file)
    assert living.say("go depth 3").until("bestmove")[-1] != "bestmove a2a4"
    for _ in range(2):
        living.say("position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "go depth 3")
        assert living.until("bestmove")[-1] != "bestmove (none)"


@posix
def test_a_table_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "KQvK.rtbw")
    said: list[str] = []

    def look() -> None:
        with pytest.raises(UciError) as error:
            open_tables(str(tmp_path))
        said.append(str(error.value))

    looks = threading.Thread(target=look, daemon=True)
    looks.start()
    looks.join(SILENCE)
    assert ["damaged files, not used: KQvK.rtbw" in line for line in said] == [True]


COMMANDS = (
    "pv-lab --epd PATH",
    "pv-lab --truth --epd PATH",
    "datagen PATH --games 1",
    "datagen PATH --stats",
    "datagen NEW --merge PATH",
    "datagen NEW --relabel PATH",
)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_names_no_file(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, new = tmp_path / "pipe", tmp_path / "new"
    os.mkfifo(pipe)
    for path, reason in ((str(pipe), "not a regular file"), ("x" * 5000, "too long")):
        words = [{"PATH": path, "NEW": str(new)}.get(word, word) for word in command.split()]
        assert call(*words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("pythagoras: ")
        assert reason in err
        assert err.count("\n") == 1
        assert len(err) < 200
    assert not new.exists()


@pytest.mark.interpreted
def test_what_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "file"
    for content in (b"one\r\n", b"two\n"):
        with open_log(file) as log:
            log.write(content)
    with open_file(file) as opened:
        assert opened.read() == b"one\r\ntwo\n"
    with bad_paths(tmp_path) as paths:
        for path in (*paths.values(), "a\0b", ""):
            with pytest.raises(OSError, match=r"\w") as error:
                open_file(path)
            assert error.value.strerror


@posix
def test_a_log_may_go_to_a_terminal_or_nowhere() -> None:
    import pty

    with open_log(os.devnull) as log:
        assert log.write(b"nothing") == 7
    ours, theirs = pty.openpty()
    try:
        with open_log(os.ttyname(theirs)) as log:
            log.write(b"a line\n")
            assert os.read(ours, 100) == b"a line\r\n"
    finally:
        os.close(ours)
        os.close(theirs)
    with pytest.raises(OSError, match="not a regular file"):
        open_log("/dev/full")


@pytest.mark.interpreted
def test_a_network_is_read_no_further_than_one_goes(tmp_path: Path) -> None:
    file = tmp_path / "net"
    sound = serialise(default_network())
    file.write_bytes(sound)
    assert read_network(file) == default_network()
    with file.open("r+b") as long:
        long.truncate(1 << 40)  # sparse: it uses no disk space
    with pytest.raises(NetworkError, match="length"):
        read_network(file)
    file.write_bytes(sound[:-1])
    with pytest.raises(NetworkError, match="length"):
        read_network(file)


@pytest.mark.interpreted
def test_a_book_is_opened_anew_without_waiting(tmp_path: Path) -> None:
    path, board = tmp_path / "book.bin", chess.Board(chess960=True)
    book = write(path, entry(board, raw("a2a4"), 1))
    with bad_paths(tmp_path) as paths:
        for strange in (paths.get("pipe", ""), paths["folder"]):
            path.unlink()
            if strange:
                path.symlink_to(strange)
            picked: list[object] = []
            picks = threading.Thread(
                target=lambda picked=picked: picked.append(book.pick(board, random.Random(1))),
                daemon=True,
            )
            picks.start()
            picks.join(SILENCE)
            assert picked == [None]
            if not strange:
                path.touch()
