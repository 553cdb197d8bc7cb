"""The sequential test: fastchess's arguments, its parsed output, and the exit status."""

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.fake_managers import install_program, needs, posix, use_fake_managers, with_real_engine
from scripts.match import exit_status, sprt
from scripts.match.builds import Build

REPORT = """\
Elo: 1.00 +/- 2.00, nElo: {nelo}
LOS: 50.00 %, DrawRatio: 30.00 %, PairsRatio: 0.27
Games: 40, Wins: 9, Losses: 24, Draws: 7, Points: 12.5 (31.25 %)
Ptnml(0-2): [8, 3, 6, 2, 1], WL/DD Ratio: 5.00
LLR: {llr} (-12.1%) (-2.94, 2.94) [0.00, 8.00]
"""


def report(llr: float = -0.36, nelo: str = "-151.07 +/- 107.67") -> str:
    return REPORT.format(llr=f"{llr:.2f}", nelo=nelo)


def test_the_last_report_counts() -> None:
    found = sprt.last_report(report(1.0) + "Started game 9\n" + report(-0.36))
    assert found is not None
    assert (found.games, found.wins, found.losses, found.draws) == (40, 9, 24, 7)
    assert (found.score, found.nelo, found.error, found.llr) == (31.25, -151.07, 107.67, -0.36)
    assert (found.pairs, found.elo0, found.elo1) == ("8, 3, 6, 2, 1", 0, 8)
    assert "\n" not in str(found)


def test_there_may_be_no_report() -> None:
    assert sprt.last_report("Started game 1 of 2\n") is None


@pytest.mark.parametrize(
    ("llr", "verdict"),
    [(2.95, "accepted"), (2.94, "accepted"), (2.93, "capped"), (0, "capped"), (-2.94, "rejected")],
)
def test_the_verdict(llr: float, verdict: str) -> None:
    found = sprt.last_report(report(llr))
    assert found is not None
    assert found.verdict == verdict


def test_without_a_spread_there_is_no_normalised_elo() -> None:
    found = sprt.last_report(report(nelo="-nan +/- -nan"))
    assert found is not None
    assert "nElo –" in str(found)


def test_defects_are_counted_for_each_engine() -> None:
    log = (
        "Warning; Illegal PV move - move e2e4 from new-1a\nInfo; depth 3\n"
        "Warning; Illegal PV move - move e7e5 from new-1a\n"
        "Player: new-1a\n  Timeouts: 2\n  Crashed: 0\n"
        "Player: base-2b\n  Timeouts: 0\n  Crashed: 1\n"
    )
    assert sprt.defects(log) == {
        "new-1a: Illegal PV move": 2,
        "new-1a: losses on time": 2,
        "base-2b: crashes": 1,
    }
    assert not sprt.defects(report())


@pytest.mark.parametrize(
    "words",
    ["", "--base a --resume b", "--base a --games 3", "--base a --base-nodes 5",
     "--base a --tc 1+1 --nodes 5"],
)  # fmt: skip
def test_a_command_line_that_makes_no_sense(words: str) -> None:
    with pytest.raises(SystemExit):
        sprt.main(words.split())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_fake_managers(sprt, tmp_path, monkeypatch)


def run_sprt(place: Path, *words: str) -> int:
    return sprt.main(["--base", "HEAD", "--openings", str(place / "book.epd"), *words])


@posix
@pytest.mark.parametrize(("llr", "status"), [(2.95, 0), (-3.0, 1), (0.1, 3)])
def test_the_status_tells_the_verdict(
    llr: float, status: int, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    install_program(place, "fastchess", f"print('Started game 1')\nprint({report(llr)!r})")
    assert run_sprt(place) == status
    shown = capfd.readouterr().out
    assert "Started game" not in shown
    assert shown.splitlines()[-1].startswith("+9 =7 -24 (40 games, 31.2 %)")
    (folder,) = (place / "pythagoras" / "matches").iterdir()
    assert "Started game 1" in (folder / "log.txt").read_text()

    # A match that has ended is not played again.
    install_program(place, "fastchess", "sys.exit('no')")
    assert run_sprt(place) == status
    assert sprt.main(["--resume", str(folder)]) == status


@posix
@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ([], True),
        (["--nodes", "50", "--base-nodes", "50"], True),
        (["--nodes", "50", "--base-nodes", "60"], False),
        (["--new", "HEAD"], False),
    ],
)
def test_an_unchanged_tree_is_refused(
    words: list[str], refused: bool, place: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    install_program(place, "fastchess", f"print({report()!r})")
    monkeypatch.setattr(sprt, "build", lambda revision: Build("the same", place))
    assert run_sprt(place, *words) == (2 if refused else 3)
    told = "sprt: the working tree is the same engine as HEAD"
    assert capsys.readouterr().err.startswith(told) == refused


@posix
def test_what_fastchess_is_told(place: Path) -> None:
    install_program(place, "fastchess", f"print({report()!r})")
    words = "--nodes 50 --base-nodes 100 --games 2 --bounds -5 0 --seed 7"
    run_sprt(place, *words.split())
    (folder,) = (place / "pythagoras" / "matches").iterdir()
    command = shlex.join(json.loads((folder / "command.json").read_text()))
    for words in (
        f"-engine name=new-tree cmd={place} nodes=50",
        f"-engine name=base-HEAD cmd={place} nodes=100",
        "-each option.Hash=16 option.Threads=1",
        "-sprt elo0=-5 elo1=0 alpha=0.05 beta=0.05 model=normalized",
        "-rounds 1 -games 2 -repeat",
        "format=epd order=random -srand 7",
        "-draw movenumber=40 movecount=8 score=10",
        "-resign movecount=4 score=600 twosided=true",
    ):
        assert words in command
    assert "-recover" not in command


@posix
@pytest.mark.parametrize(("limit", "rounds"), [("--nodes=50", "1"), ("--tc=1+0.01", "3000")])
def test_at_fixed_nodes_an_opening_is_played_once(limit: str, rounds: str, place: Path) -> None:
    install_program(place, "fastchess", f"print({report()!r})")
    run_sprt(place, limit)
    (folder,) = (place / "pythagoras" / "matches").iterdir()
    command = json.loads((folder / "command.json").read_text())
    assert command[command.index("-rounds") + 1] == rounds


@posix
@pytest.mark.parametrize("other", ["--games=10", "--concurrency=1", "--alpha=0.1"])
def test_other_options_are_refused_for_the_same_match(
    other: str, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    install_program(place, "fastchess", f"print({report()!r})")
    assert run_sprt(place) == 3
    assert run_sprt(place, other) == exit_status.ERROR
    assert "has a match with other options: use the same" in capfd.readouterr().err


@posix
def test_a_crash_is_no_verdict(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ending = report(3) + "Player: new-tree\n  Timeouts: 0\n  Crashed: 1\n"
    install_program(place, "fastchess", f"print({ending!r})\nsys.exit(1)")
    assert run_sprt(place) == exit_status.ERROR
    assert "new-tree: crashes" in capfd.readouterr().err


@posix
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_a_stopped_match_goes_on(sign: signal.Signals, place: Path, root: Path) -> None:
    plays = f"""
state = pathlib.Path("config.json")
if state.exists():
    assert sys.argv[1:] == ["-config", "file=config.json"]
    print({report(3)!r})
else:
    assert "outname=config.json" in sys.argv
    try:
        print("playing", flush=True)
        for _ in range(6000):  # Ctrl-C just before a sleep is heard after it
            time.sleep(0.01)
    except KeyboardInterrupt:
        time.sleep(0.2)
        state.touch()
        sys.exit(1)
"""
    install_program(place, "fastchess", plays)
    folder = place / "one"
    folder.mkdir(parents=True)
    command = [str(place / "bin" / "fastchess"), "-config", "outname=config.json"]
    (folder / "command.json").write_text(json.dumps(command))
    words = [sys.executable, "-m", "scripts.match.sprt", "--resume", str(folder)]
    process = subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while process.stdout.readline() != "playing\n":
        assert process.poll() is None
    process.send_signal(sign)
    process.stdout.read()
    assert process.wait(10) == exit_status.INTERRUPTED
    assert (folder / "config.json").exists()
    assert not (folder / "result.txt").exists()
    assert subprocess.run(words, cwd=root, stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert (folder / "result.txt").read_text().endswith("accepted\n")


@posix
@pytest.mark.slow
@needs("fastchess")
def test_fastchess_understands_us(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    book = with_real_engine(sprt, tmp_path, root, monkeypatch)
    words = ["--base", "HEAD", "--openings", str(book), "--nodes", "50"]
    assert sprt.main([*words, "--games", "4", "--concurrency", "1"]) == exit_status.CAPPED
    *_, last = capfd.readouterr().out.splitlines()
    assert "(4 games, " in last
    assert last.endswith("for [0, 8] → capped")
    (folder,) = (tmp_path / "pythagoras" / "matches").iterdir()
    assert (folder / "games.pgn").read_text().count("[Event ") == 4
    assert (folder / "config.json").exists()
