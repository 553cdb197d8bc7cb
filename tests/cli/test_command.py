"""The ``pythagoras`` command in processes: start, answers, and every way to end."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import chess.engine
import pytest

import uci
from engine.jit.kernel import COMPILED
from engine.user_folders import cache_variable
from helpers.client import COMMAND, ENVIRONMENT, PYTHAGORAS, Process, installed, run
from helpers.processes import environment
from helpers.timing import PATIENCE, timed
from uci.session.bench import CHECK_DEPTH, CHECK_NODES

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


# Start


def test_what_uciok_waits_for(root: Path) -> None:
    """``uciok`` does not wait for slow imports: numba, numpy, python-chess, commands' packages."""
    code = (
        "import sys, uci.cli.main, uci.session.session; from io import BytesIO;"
        "from uci.session.loader import Loader; from uci.protocol.writer import Writer;"
        "out = BytesIO(); uci.session.session.Session(Writer(out), Loader()).handle(b'uci');"
        "assert out.getvalue().endswith(b'uciok\\n');"
        "names = {'numba', 'numpy', 'chess', 'rich', 'argparse', 'json', 'asyncio',"
        "'prompt_toolkit', 'uci.apps.analyse', 'uci.apps.play', 'uci.apps.lab', 'pythagoras',"
        "'multiprocessing', 'concurrent.futures'};"
        "sys.exit(' '.join(names & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)


@timed("graphical programs wait for `uciok` and `readyok` at every start: 0.3 s and 3 s")
def test_quick_to_uciok_and_readyok(warm: Path, processes: list[Process]) -> None:
    times = []
    for _ in range(5):
        process = Process(warm)
        processes.append(process)
        process.say("uci").until("uciok")
        hello = time.perf_counter() - process.started
        process.say("isready").until("readyok")
        times.append((hello, time.perf_counter() - process.started))
        assert process.say("quit").end()[0] == 0
    # An idle machine takes a third of this: see the README.
    assert min(hello for hello, _ in times) < 0.3
    assert min(ready for _, ready in times) < 3.0


@pytest.mark.slow
def test_silent_on_both_streams_before_uci(root: Path, tmp_path: Path) -> None:
    process = Process(root, XDG_CACHE_HOME=str(tmp_path))
    time.sleep(1)
    assert process.say("quit").end() == (0, "", "")


@pytest.mark.slow
def test_a_conversation(warm: Path) -> None:
    given = "uci\r\n\r\nisready\r\nucinewgame\nposition startpos moves e2e4\n  go   depth 6"
    result = run(warm, given=given)
    lines = result.stdout.split("\n")
    assert result.returncode == 0
    assert result.stderr == ""
    assert "\r" not in result.stdout
    assert "readyok" in lines
    assert lines[-2].startswith("bestmove ")
    assert lines[-3].split(" pv ")[1].split()[0] == lines[-2].split()[1]


def test_bad_input_does_not_end_it(warm: Path) -> None:
    bad = ["position fen x", "go perft x", "\0", "é\udc80", "setoption name X", "y" * 100_000]
    process = subprocess.run(
        PYTHAGORAS,
        cwd=warm,
        env=ENVIRONMENT,
        input="".join(line + "\n" for line in [*bad, "isready"]).encode(errors="surrogateescape"),
        capture_output=True,
        timeout=30,
        check=False,
    )
    lines = process.stdout.decode().splitlines()
    assert lines[-1] == "readyok"
    assert len(lines) == len(bad) + 1
    assert all(line.startswith("info string ") for line in lines[:-1])
    assert (process.returncode, process.stderr) == (0, b"")


@pytest.mark.slow
def test_a_game_through_python_chess(warm: Path) -> None:
    with chess.engine.SimpleEngine.popen_uci(PYTHAGORAS, cwd=str(warm), timeout=15) as engine:
        assert engine.id["name"] == f"Pythagoras {uci.__version__}"
        assert {"Hash", "Threads", "Move Overhead", "Clear Hash"} <= set(engine.options)
        engine.configure({"Hash": 32, "Threads": 4})
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 24:
            limit = chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)
            played = engine.play(board, limit, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves
            assert played.info["pv"][0] == played.move
            board.push(played.move)
        info = engine.analyse(board, chess.engine.Limit(depth=5))
        assert info["depth"] == 5
    chess960 = chess.Board.from_chess960_pos(700)
    with chess.engine.SimpleEngine.popen_uci(PYTHAGORAS, cwd=str(warm), timeout=15) as engine:
        for _ in range(16):
            played = engine.play(chess960, chess.engine.Limit(nodes=2000))
            assert played.move in chess960.legal_moves
            chess960.push(played.move)


@pytest.mark.slow
def test_a_whole_game_against_stockfish(warm: Path, stockfish: str) -> None:
    board, limit = chess.Board(), chess.engine.Limit(time=0.03)
    with (
        chess.engine.SimpleEngine.popen_uci(PYTHAGORAS, cwd=str(warm), timeout=15) as ours,
        chess.engine.SimpleEngine.popen_uci(stockfish) as theirs,
    ):
        theirs.configure({"Skill Level": 0})
        while not board.is_game_over(claim_draw=True):
            engine = ours if board.turn else theirs
            played = engine.play(board, limit, info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves
            if engine is ours:
                assert played.info["pv"][0] == played.move
            board.push(played.move)
    assert board.is_checkmate() or board.ply() > 20


# From the shell


@pytest.mark.slow
def test_go(warm: Path) -> None:
    result = run(warm, "go", "depth", "5", "--hash", "1", "--threads", "2")
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert lines[-2].startswith("info depth 5 ")
    fen = "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"
    mate = run(warm, "go", "nodes", "5000", "movetime", "2000", "--fen", fen).stdout.splitlines()
    assert " score mate 1 " in mate[-2]
    assert mate[-1] == "bestmove d1d8"
    clock = run(warm, "go", "wtime", "-5", "btime", "1000", "winc", "5", "movestogo", "3")
    assert clock.stdout.splitlines()[-1].startswith("bestmove ")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device")
@pytest.mark.parametrize("words", ["go depth 3", "doctor", "--print-completion bash", "--help"])
def test_a_full_disk_is_no_success(warm: Path, words: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [*PYTHAGORAS, *words.split()]
        done = subprocess.run(
            command, cwd=warm, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert done.stderr == "pythagoras: standard output: No space left on device\n"


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("kept", [True, False])
def test_warm_fails_where_nothing_can_be_kept(root: Path, tmp_path: Path, kept: bool) -> None:
    """`warm` tests whether the folder can be written before it compiles anything."""
    if not kept:
        (tmp_path / "pythagoras").write_text("a file in the place of the folder")
    code = (
        "import sys\n"
        "from engine.jit import kernel\n"
        "from engine.syzygy import probe_entry\n"
        "from uci.cli import main\n"
        "new = main.Loader\n"
        "load = lambda notice, progress: kernel.PLAY.folder\n"
        "main.Loader = lambda **options: new(load, **options)\n"
        "probe_entry.load_probe = lambda: None\n"
        "sys.exit(main.main(['warm']))\n"
    )
    settings = dict.fromkeys(("XDG_CACHE_HOME", "LOCALAPPDATA"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=os.environ | settings,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("ready to play")
    assert done.returncode == int(not kept)
    told = f"could not save the compiled code in {tmp_path / 'pythagoras'}: "
    assert (told in done.stderr) == (not kept)
    assert (f"Set {cache_variable()} to a folder" in done.stderr) == (not kept)


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_after_warm_no_file_of_games_needs_the_compiler(root: Path) -> None:
    """`datagen --stats` loads all of its kernels without compiling."""
    code = (
        "import sys\n"
        "from engine.jit import kernel\n"
        "from uci.cli import main\n"
        "new = main.Loader\n"
        "names = (k.py_func.__name__ for k, _ in kernel.PLAY._known)\n"
        "load = lambda *_: print(*names, flush=True)\n"
        "main.Loader = lambda **options: new(load, **options)\n"
        "sys.exit(main.main(['warm']))\n"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    assert {"find_games", "look_at"} <= set(done.stdout.split())


@pytest.mark.slow
def test_the_shell_is_patient(warm: Path) -> None:
    """A search of 300 ms from the shell waits for the engine, without the fallback search."""
    lines = run(warm, "go", "movetime", "300").stdout.splitlines()
    deepest = max(int(line.split()[2]) for line in lines if line.startswith("info depth"))
    assert deepest > 5


@pytest.mark.slow
def test_perft(warm: Path) -> None:
    assert run(warm, "perft", "4").stdout.splitlines()[-1] == "197281"
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    lines = run(warm, "perft", "2", "--divide", "--fen", fen).stdout.splitlines()
    assert lines[-1] == "2039"
    assert "e1g1: 43" in lines
    lines = run(warm, "perft", "1", "--divide", "--chess960", "--fen", fen).stdout.splitlines()
    assert "e1h1: 1" in lines
    assert lines[-1] == "48"


@pytest.mark.slow
def test_bench(warm: Path) -> None:
    alone = run(warm, "bench", "3").stdout.splitlines()[-1]
    assert re.fullmatch(r"\d+ nodes \d+ nps", alone)
    inside = run(warm, given="go depth 4\nbench 3\n").stdout.splitlines()[-1]
    assert inside.split()[0] == alone.split()[0]


def test_uci_commands_as_arguments(warm: Path) -> None:
    words = ["setoption name Hash value 1", "genfens 2 seed 1 book None", "go depth 2", "quit"]
    result = run(warm, *words, "go depth 3")
    lines = result.stdout.splitlines()
    assert result.returncode == 0
    assert [line.split()[2] for line in lines[:2]] == ["genfens", "genfens"]
    assert sum(line.startswith("bestmove") for line in lines) == 1, "none after quit"


def test_version_and_help(root: Path) -> None:
    assert run(root, "--version").stdout == f"pythagoras {uci.__version__}\n"
    assert {"go", "perft", "bench", "warm"} <= set(run(root, "--help").stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["go", "depth", "x"],
        ["go", "dpeth", "3"],
        ["go", "5"],
        ["go", "e2e4"],
        ["go", "searchmoves", "e2e5"],
        ["go", "depth", "3", "--hash", "0"],
        ["go", "depth", "3", "--threads", "many"],
        ["go", "depth", "3", "--fen", "8/8/8/8/8/8/8/8/8 w - - 0 1"],
        ["perft", "x"],
        ["perft"],
        ["bench", "x"],
        ["speedtest", "x"],
        ["genfens 0 seed 1 book None", "quit"],
    ],
)
def test_wrong_usage(root: Path, words: list[str]) -> None:
    result = run(root, *words)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "pythagoras" in result.stderr
    assert "Traceback" not in result.stderr


# Every way to end


@pytest.mark.slow
@posix
@pytest.mark.parametrize("words", ["go depth 30", "perft 3 --divide", "bench 4", ""])
def test_a_reader_that_has_enough(warm: Path, words: str) -> None:
    command = f"{sys.executable} -m uci {words} | head -3"
    result = subprocess.run(
        command,
        shell=True,
        cwd=warm,
        env=ENVIRONMENT,
        input="uci\n" * 1000 + "go depth 30\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == ""


@pytest.mark.slow
@posix
def test_interrupt_a_search(warm: Path, processes: list[Process]) -> None:
    shell, loop = Process(warm, "go", "infinite"), Process(warm).say("uci", "go infinite")
    processes += [shell, loop]
    for process in (shell, loop):
        before = process.until("info depth 7")
        process.popen.send_signal(signal.SIGINT)
        status, out, err = process.end()
        assert (status, err) == (0, "")
        *_, last, best = before + out.splitlines()
        assert last.startswith("info depth ")
        assert best.split()[1] == last.split(" pv ")[1].split()[0]


@pytest.mark.slow
@posix
def test_interrupt_other_work(warm: Path, processes: list[Process]) -> None:
    process = Process(warm, "bench")
    processes.append(process)
    process.until(" 1/")
    process.popen.send_signal(signal.SIGINT)
    status, _, err = process.end()
    assert (status, err) == (130, "")


@pytest.mark.slow
@posix
def test_interrupt_a_perft(warm: Path, processes: list[Process]) -> None:
    process = Process(warm).say("isready")
    processes.append(process)
    process.until("readyok")
    process.say("perft 90", "d").until("Key")
    process.popen.send_signal(signal.SIGINT)
    status, out, err = process.end()
    assert (status, err) == (0, "")
    assert out == "info string perft stopped before all leaves were counted\n"


@pytest.mark.slow
def test_quit_during_a_search(warm: Path, processes: list[Process]) -> None:
    process = Process(warm).say("uci", "isready", "go infinite")
    processes.append(process)
    process.until("info depth 7")
    status, out, err = process.say("quit").end()
    assert (status, err) == (0, "")
    assert out.splitlines()[-1].startswith("bestmove ")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["quit", "end of input", "SIGTERM", "SIGINT"])
@pytest.mark.parametrize(
    ("line", "after"), [("uciok", 0.0), ("uciok", 0.4), ("info string compiling", 0.4)]
)
def test_leaving_while_it_compiles(
    root: Path, tmp_path: Path, processes: list[Process], way: str, line: str, after: float
) -> None:
    process = Process(root, XDG_CACHE_HOME=str(tmp_path)).say("uci")
    processes.append(process)
    process.until(line)
    time.sleep(after)
    if way == "quit":
        process.say("quit")
    elif way == "end of input":
        assert process.popen.stdin
        process.popen.stdin.close()
        process.popen.stdin = None
    elif os.name == "posix":
        process.popen.send_signal(signal.Signals[way])
    else:
        pytest.skip("needs POSIX signals")
    status, _, err = process.end()
    assert (status, err) == (0, "")


@timed("an engine that compiles answers `go movetime 300` in time, and `isready` before 10 s")
@installed
@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_cold_start(planted: Path, home: Path, processes: list[Process]) -> None:
    """Without a cache: answers in time while compiling, one explanation, and a usable cache.

    A second process, which loads the code of the first one, would crash or count other nodes if
    kernels called each other, or a recursive one with a literal.
    """

    def start() -> Process:
        process = Process(planted, command=[str(COMMAND)], **environment(home))
        processes.append(process)
        return process.say("uci")

    killed = start()
    killed.until("info string compiling")
    time.sleep(0.5)
    killed.popen.kill()

    process = start()
    process.until("info string compiling")
    board, times = chess.Board(), []
    for _ in range(4):
        moves = " ".join(move.uci() for move in board.move_stack)
        process.say(f"position startpos moves {moves}", "go movetime 300")
        begin = time.perf_counter()
        lines = process.until("bestmove")
        times.append(time.perf_counter() - begin)
        assert lines[-2].split(" pv ")[1].split()[0] == lines[-1].split()[1]
        board.push_uci(lines[-1].split()[1])
    assert min(times) < 0.35
    assert max(times) < 2.0  # on a machine that does other things too
    begin = time.perf_counter()
    process.say("isready").until("readyok")
    assert time.perf_counter() - begin < 10.0
    lines = process.say("go depth 5").until("bestmove")
    assert not any("compiling" in line for line in lines)

    again = start().say("isready")
    assert not any("compiling" in line for line in again.until("readyok"))
    for each in (process, again):
        each.say(f"bench {CHECK_DEPTH}")
        each.until(f"{CHECK_NODES} nodes ")
        each.say("quit").end()


@pytest.mark.slow
def test_without_numba(root: Path, tmp_path: Path) -> None:
    """The same kernels run interpreted: legal and sensible moves, slowly, with a notice."""
    (tmp_path / "numba.py").write_text("raise ModuleNotFoundError(name='numba')\n")
    path = os.pathsep.join([str(tmp_path), str(root)])
    given = "uci\nisready\nposition startpos moves f2f3 e7e5 g2g4\ngo depth 2\n"
    result = run(root, given=given, PYTHONPATH=path)
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert sum("slowly" in line for line in lines) == 1
    assert lines[-1] == "bestmove d8h4"
