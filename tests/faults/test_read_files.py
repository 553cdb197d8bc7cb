"""Files that are truncated, damaged or changed while they are read: networks, books, tables, games.

If a file that is mapped into memory shrinks, the system ends a process that reads beyond its end.
"""

import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest

from engine.evaluation.network import default_network, serialise
from helpers.bad_paths import bad_paths
from helpers.books import entry, raw, write
from helpers.client import Process, run
from helpers.command import call
from helpers.faults import behind, bites, limited, plays
from helpers.networks import random_net
from helpers.processes import start
from helpers.syzygy import FOLDER


def truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]


def short_of_a_map(path: Path) -> None:
    """Assert that the fault has an effect: a process that maps the file is ended by the system."""
    code = """if True:
        import mmap, os, sys
        with open(sys.argv[1], "r+b") as file:
            data = mmap.mmap(file.fileno(), 0)
            os.truncate(sys.argv[1], 0)
            data[0]
    """
    victim = path.with_name("mapped")
    victim.write_bytes(bytes(5000))
    bitten = subprocess.run([sys.executable, "-c", code, victim], check=False, capture_output=True)
    assert bitten.returncode < 0
    victim.unlink()


@contextmanager
def rewritten(path: Path, variants: list[bytes], seed: int) -> Iterator[None]:
    """Make a thread rewrite the file all the time, in pieces, with other contents."""
    rng, over = random.Random(seed), threading.Event()

    def write_on() -> None:
        while not over.is_set():
            data = rng.choice(variants)
            with path.open("r+b") as file:
                if rng.random() < 0.5:
                    file.truncate(rng.randrange(len(data) + 1))
                for at in range(0, len(data), 1 + len(data) // 3):
                    file.seek(at)
                    file.write(data[at : at + 1 + len(data) // 3])
                file.truncate(len(data))

    writer = threading.Thread(target=write_on)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def variants_of(data: bytes, seed: int) -> list[bytes]:
    rng = random.Random(seed)
    return [data, data, truncated(data, rng), flipped(data, rng)]


@pytest.fixture(scope="module")
def made(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of games."""
    file = tmp_path_factory.mktemp("made") / "games"
    words = ["--nodes", "50", "--threads", "1", "--games", "96"]
    assert run(warm, "datagen", str(file), *words).returncode == 0
    return file


@pytest.mark.external
def test_a_network_that_changes_while_it_is_read(
    living: Process, tmp_path: Path, seed: int
) -> None:
    """A network that changes while it is read is used completely or not at all."""
    file = tmp_path / "net.nnue"
    nets = [serialise(default_network()), serialise(random_net(1))]
    anew = "setoption name EvalFile", f"setoption name EvalFile value {file}", "isready", "eval"
    known = set()
    for net in nets:
        file.write_bytes(net)
        known.add(living.say(*anew).until("info string evaluation")[-1])
        living.say("isready").until("readyok")
    assert len(known) == 2
    refused = 0
    with rewritten(file, [*nets, *variants_of(nets[0], seed)], seed):
        for _ in range(40):
            told = living.say(*anew).until("info string evaluation")
            assert told[-1] in known
            answer = told[: told.index("readyok")]
            assert len(answer) <= 1
            refused += len(answer)
            living.say("isready").until("readyok")
    assert refused
    assert not plays(living, "setoption name EvalFile", "isready", "go depth 5")


@pytest.mark.external
def test_a_book_that_changes_while_it_is_read(living: Process, tmp_path: Path, seed: int) -> None:
    short_of_a_map(tmp_path / "book.bin")
    book, board = tmp_path / "book.bin", chess.Board(chess960=True)
    write(book, *(entry(board, raw("a2a4"), weight) for weight in range(1, 2000)))
    data = book.read_bytes()
    living.say("setoption name OwnBook value true", f"setoption name Book File value {book}")
    with rewritten(book, variants_of(data, seed), seed):
        for _ in range(100):
            assert len(plays(living, "go depth 1")) <= 1
        for _ in range(20):
            told = living.say(f"setoption name Book File value {book}", "isready").until("readyok")
            assert len(told) <= 2
    book.write_bytes(data)
    living.say(f"setoption name Book File value {book}")
    assert living.say("isready", "go depth 1").until("bestmove")[-1] == "bestmove a2a4"


@pytest.mark.external
def test_a_book_that_shrinks_under_its_reader(root: Path, tmp_path: Path) -> None:
    short_of_a_map(tmp_path / "book.bin")
    book = tmp_path / "book.bin"
    write(book, *(entry(chess.Board(), raw("a2a4"), weight) for weight in range(1, 2000)))
    code = f"""if True:
        import os
        from pathlib import Path
        from uci.chess_io.book import _Reader
        with _Reader(Path({str(book)!r})) as reader:
            assert reader[1998].weight == 1999
            os.truncate({str(book)!r}, 16)
            try:
                list(reader)
            except IndexError:
                print("noticed")
    """
    process = start(root, code, dict(os.environ))
    assert process.communicate(timeout=120)[0] == "noticed\n"


@pytest.mark.external
@pytest.mark.parametrize("how", [truncated, flipped])
def test_tables_that_change_while_they_are_probed(
    how: Callable[[bytes, random.Random], bytes], living: Process, tmp_path: Path, seed: int
) -> None:
    """The engine plays legal moves all the time, and knows the position before and afterwards."""
    short_of_a_map(tmp_path / "KQvK.rtbw")
    rng = random.Random(seed)
    files = [Path(FOLDER) / f"KQvK{suffix}" for suffix in (".rtbw", ".rtbz")]
    copies = [Path(shutil.copy(file, tmp_path)) for file in files]
    ask = ("position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "go depth 4")
    again = f"setoption name SyzygyPath value {tmp_path}"
    assert len(living.say(again, "isready").until("readyok")) == 2
    assert not plays(living, *ask)
    for _ in range(10):
        for file, copy in zip(files, copies, strict=True):
            data = how(file.read_bytes(), rng)
            with copy.open("r+b") as stream:  # the same file, open in the engine
                stream.write(data)
                stream.truncate(len(data))
        assert not plays(living, *ask)
        assert len(living.say(again, "isready").until("readyok")) == 2
    for file in files:
        shutil.copy(file, tmp_path)
    living.say(again, "isready").until("readyok")
    lines = living.say(*ask).until("bestmove")
    assert any("tbhits" in line and "tbhits 0" not in line for line in lines)


@pytest.mark.external
def test_games_that_change_while_they_are_read(
    warm: Path, made: Path, tmp_path: Path, seed: int
) -> None:
    short_of_a_map(tmp_path / "games")
    file, rng = tmp_path / "games", random.Random(seed)
    whole = made.read_bytes()
    for how in (truncated, flipped):
        file.write_bytes(how(whole, rng))
        for task in (["--stats"], ["--merge", str(file)]):
            out = file if task == ["--stats"] else tmp_path / f"merged {how.__name__}"
            done = run(warm, "datagen", str(out), *task)
            assert done.returncode in (0, 1, 2)
            assert done.stderr.count("\n") == (done.returncode > 0)
    code = f"""if True:
        import os
        from pathlib import Path
        from random import Random
        from engine.datagen.game_file import open_games
        file = Path({str(file)!r})
        for change in (lambda: os.truncate(file, 0), lambda: os.truncate(file, 40000),
                       lambda: file.write_bytes(Random({seed}).randbytes(60000))):
            file.write_bytes(open({str(tmp_path / "whole")!r}, "rb").read())
            blocks = open_games(file)
            print(next(blocks).games)
            change()
            assert len(list(blocks)) <= 2
    """
    (tmp_path / "whole").write_bytes(whole)
    process = start(warm, code, dict(os.environ))
    assert process.communicate(timeout=120)[0] == "32\n32\n32\n"


@pytest.mark.external
def test_a_merge_that_fails_leaves_nothing(warm: Path, made: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "games", tmp_path / "out"
    shutil.copy(made, file)
    bites(limited(fsize=5000), "cp", file, tmp_path / "copy")
    (tmp_path / "copy").unlink()
    done = behind(limited(fsize=5000), warm, "datagen", str(out), "--merge", str(file))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


COMMANDS = (
    "pv-lab --epd PATH",
    "pv-lab --truth --epd PATH",
    "datagen PATH --games 1",
    "datagen PATH --stats",
    "datagen PATH --positions 1",
    "datagen NEW --merge PATH",
    "datagen NEW --merge SOUND PATH",
    "datagen NEW --relabel PATH",
    "datagen PATH --merge SOUND",
    "datagen PATH --relabel SOUND",
)


@pytest.mark.external
@pytest.mark.skipif(os.name != "posix", reason="needs named pipes and devices")
@pytest.mark.parametrize("words", COMMANDS)
def test_an_argument_that_names_no_file(
    words: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each bad argument gets one line of error, and no file is left."""
    sound, new = tmp_path / "sound", tmp_path / "new"
    shutil.copy(made, sound)
    assert call("datagen", str(sound), "--stats") == 0  # compiles entry points of other tests too
    with bad_paths(tmp_path) as paths:
        before = sorted(path.name for path in tmp_path.iterdir())
        for what, path in paths.items():
            if what == "missing" and words.startswith("datagen PATH") and "stats" not in words:
                continue  # datagen creates a missing file
            replaced = {"PATH": path, "NEW": str(new), "SOUND": str(sound)}
            capsys.readouterr()
            status = call(*(replaced.get(word, word) for word in words.split()))
            out, err = capsys.readouterr()
            assert (status, out) == (2, ""), what
            assert err.startswith("pythagoras: ")
            assert err.count("\n") == 1
            assert len(err) < 200
            assert sorted(path.name for path in tmp_path.iterdir()) == before, what
