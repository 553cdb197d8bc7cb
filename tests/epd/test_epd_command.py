"""``pythagoras epd``: its files, output and exit status."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.client import ENVIRONMENT, PYTHAGORAS
from helpers.epd_suite import SUITE, call, compiled, untimed
from helpers.timing import PATIENCE
from uci.apps.console import terminal
from uci.session.backend import COMPILING

BAD = """nonsense
4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Sxd5; id "German";
4k3/8/8/3q4/8/2N5/8/4K3 w - - id "nothing";
4k3/8/8/3q4/8/2N5/8/4K3 w - - id "nothing";
"""


class Terminal(io.StringIO):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.slow
@compiled
def test_a_suite_from_beginning_to_end(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite.with_name("one.json")
    assert call(suite, "--nodes", 3000, "--json", path) == 0
    out, err = capsys.readouterr()
    assert out.startswith("5 positions, 3,000 nodes for each\n")
    assert "| 4 of 5 (80.0%) | 13 of 20 (65.0%) |" in out
    assert "| Mates    | 2         | 2 of 2 (100.0%) |                  |" in out
    assert "| Points   | 2         | 1 of 2 (50.0%)  | 13 of 20 (65.0%) |" in out
    assert "| (others) | 1         | 1 of 1 (100.0%) |                  |" in out
    assert "Not solved: 1\n" in out
    assert "| Points.2 | Ke2      | Nxd5 (" in out
    told = [line for line in err.splitlines() if line != COMPILING]
    assert told[0].startswith("repaired lines: 2; ")
    assert len(told) == 6
    assert "[5/5] Points.2  Pythagoras" in told[-1]

    one = json.loads(path.read_text())
    assert one["schema"] == "pythagoras epd 1"
    assert one["given"] == {}
    assert (one["limit"], one["complete"], one["repaired"]) == ({"nodes": 3000}, True, 2)
    mate = one["positions"][1]
    assert (mate["id"], mate["theme"], mate["line"]) == ("Mates.002", "Mates", 3)
    assert mate["goal"] == {"dm": 1}
    assert mate["outcomes"][0]["mate"] == 1

    assert call(suite, "--nodes", 3000, "--jobs", 2, "--json", "-", "--quiet") == 0
    out, err = capsys.readouterr()
    two = json.loads(out)
    assert err == ""
    assert (one.pop("jobs"), two.pop("jobs")) == (1, 2)
    assert untimed(one) == untimed(two)


@pytest.mark.slow
@compiled
def test_quiet(warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call("--help")
    helped = " ".join(capsys.readouterr().out.split())
    assert "--quiet print only results and errors" in helped
    assert call(suite, "--depth", 2, "--quiet") == 0
    out, err = capsys.readouterr()
    assert out.startswith("5 positions, 2 plies for each\n")
    assert err == ""


@pytest.mark.slow
@compiled
def test_bad_lines_are_named_and_the_others_are_solved(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, missing = suite.with_name("bad.epd"), suite.with_name("missing.epd")
    bad.write_text(BAD)
    assert call(bad, missing, suite, "--depth", 2, "--quiet", "--json", "-") == 1
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        f"{bad}:1: not a position: nonsense",
        f"{bad}:2: bm Sxd5 does not use English piece letters",
        f"{bad}: 2 lines: nothing to solve: expected bm, am, dm or points (the first is line 3)",
        f"{missing}: No such file or directory",
    ]
    document = json.loads(out)
    assert len(document["positions"]) == 5
    assert [complaint["line"] for complaint in document["complaints"]] == [1, 2, 3, 4, 0]


@compiled
def test_more_memory_than_there_is(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A smaller hash table is reported, and the results contain the actual size."""
    words = "--depth", 1, "--hash", 1 << 25, "--quiet", "--json", "-"
    assert call(suite, *words) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    name = document["engines"][0]["name"]
    assert err.splitlines() == [
        f"pythagoras: {name}: not enough memory for Hash=33554432 MiB; using 16 MiB"
    ]
    assert document["given"] == {name: {"Hash": 16}}


@compiled
def test_standard_input(
    warm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SUITE.encode())))
    assert call("-", "--depth", 2) == 0
    assert capsys.readouterr().out.startswith("5 positions, 2 plies for each")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "expected at least one file of positions"),
        (["own.epd", "--nodes", "0"], "argument --nodes: 0: expected 1 or more"),
        (["own.epd", "--movetime", "x"], "argument --movetime: x: expected 1 to 2,147,483,647"),
        (
            ["own.epd", "--movetime", "1000000000000"],
            "argument --movetime: 1000000000000: expected 1 to 2,147,483,647",
        ),
        (["own.epd", "--jobs", "0"], "argument --jobs: 0: expected 1 to 512"),
        (["own.epd", "--hash", "0"], "Hash"),
        (["own.epd", "--threads", "2000"], "Threads"),
        (["own.epd", "--tables", "nowhere"], "no Syzygy tables in nowhere"),
        (["own.epd", "--json", "nowhere/x.json"], "the folder does not exist"),
        (["own.epd", "--json", "."], "not a regular file"),
        (["own.epd", "--json", "./own.epd"], "own.epd: this file contains the positions"),
        (["own.epd", "--engine", "nowhere/engine"], "nowhere/engine: No such file"),
        (["own.epd", "--engine", ""], "--engine: expected a command"),
        (["missing.epd"], "no positions to solve"),
        (["own.epd", "--compare", "a", "b"], "--compare cannot be used with files of positions"),
        (["--hash", "16", "--compare", "a", "b"], "--hash cannot be used with --compare"),
        (["--compare", "a", "b"], "a: No such file"),
        (
            ["own.epd", "--scheduler", "tcp://127.0.0.1:1", "--engine", "x"],
            "--engine cannot be used with --scheduler",
        ),
    ],
)
def test_wrong_usage(
    suite: Path, words: list[str], reason: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(suite.parent)
    assert call(*words) == 2
    assert reason in capsys.readouterr().err


@compiled
@pytest.mark.slow
def test_engines_side_by_side(
    warm: Path, suite: Path, stockfish: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--engine", "pythagoras", "--engine", stockfish, "--nodes", "3000"
    assert call(suite, *words) == 0
    out = capsys.readouterr().out
    table = [line for line in out.splitlines() if line.startswith("|")]
    assert table[0].startswith("| engine ")
    assert table[2].startswith("| Pythagoras ")
    assert table[3].startswith("| Stockfish ")
    assert "Not solved by all" in out


@compiled
@pytest.mark.parametrize("rich", [True, False])
@pytest.mark.slow
def test_on_a_terminal(
    warm: Path, suite: Path, rich: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("TERM", "xterm")
    if not rich:
        monkeypatch.setattr(terminal, "find_spec", lambda name: None)
    assert call(suite, "--depth", 3) == 0
    assert "5 of 5: Pythagoras" in err.getvalue()
    assert "[5/5] " not in err.getvalue()
    assert "5 positions, 3 plies for each" in out.getvalue()
    assert ("━" in err.getvalue()) is rich
    assert ("─" in out.getvalue()) is rich
    assert ("| engine " in out.getvalue()) is not rich


@compiled
@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("name", "times", "status"),
    [("SIGINT", 1, 130), ("SIGINT", 2, 130), ("SIGTERM", 1, 143), ("SIGHUP", 1, 129)],
)
def test_broken_off_it_reports_what_was_solved(
    warm: Path, suite: Path, name: str, times: int, status: int
) -> None:
    path = suite.with_name("x.json")
    lines = SUITE.splitlines()
    suite.write_text(f"{lines[1]}\n{lines[3]}\n")  # the second takes for ever
    words = "epd", str(suite), "--depth", "90", "--json", str(path)
    with subprocess.Popen(
        [*PYTHAGORAS, *words], cwd=warm, env=ENVIRONMENT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        while "[1/2]" not in process.stderr.readline():
            assert process.poll() is None
        for _ in range(times):
            process.send_signal(signal.Signals[name])
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    if times == 1:
        assert err.splitlines()[-1] == "stopped; run the same command again to resume"
        assert out.startswith("1 position, 90 plies for each; 1 more were not searched")
        document = json.loads(path.read_text())
        assert (document["complete"], len(document["positions"])) == (False, 1)


@pytest.mark.slow
@compiled
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_broken_off_before_an_engine_is_there(warm: Path, suite: Path) -> None:
    """Ctrl-C while the engine starts ends the engine, too, even if it reads nothing."""
    script, started = suite.with_name("engine.py"), suite.with_name("started")
    script.write_text(f"open({str(started)!r}, 'w').close()\nimport time\ntime.sleep(600)")
    words = "epd", str(suite), "--engine", f"'{sys.executable}' '{script}'"
    with subprocess.Popen(
        [*PYTHAGORAS, *words], cwd=warm, env=ENVIRONMENT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        while not started.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=3 * PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "stopped"
    assert "Warning" not in err


def test_a_start_imports_nothing_of_it(root: Path) -> None:
    code = (
        "import sys; from uci.cli.parser import argument_parser; argument_parser();"
        "sys.exit(any(name.startswith(('rich', 'numba', 'uci.apps.epd.'))"
        " and name != 'uci.apps.epd.command' for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
