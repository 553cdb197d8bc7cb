"""The checks of principal variations find the faults of a line, of any engine."""

import sys
from pathlib import Path

import chess
import pytest

from helpers.fake_managers import posix, write_program
from scripts.measure import pv_check
from uci.apps.engines.pv_checks import COMPLETE, LEGAL, MATES, STABLE, TRUE, Tally, check_lines
from uci.protocol.scored_line import ScoredLine, parse_info

START = chess.STARTING_FEN
FOOLS = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"
STALEMATE = "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"
BARE = "8/8/8/8/8/4k3/8/KB2r3 w - - 0 1"


def failed_checks(fen: str, *said: str, bestmove: str | None = None) -> set[str]:
    """Return the checks that some lines for a position fail."""
    lines = [line for text in said if (line := parse_info(text))]
    assert len(lines) == len(said)
    return {check for check, fault in check_lines(chess.Board(fen), lines, bestmove) if fault}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("info depth 3 score cp 20 pv e2e4 e7e5", ScoredLine(3, 20, None, "", ("e2e4", "e7e5"))),
        ("info  score mate -2  depth 9", ScoredLine(9, None, -2, "", ())),
        (
            "info depth 5 seldepth 8 multipv 2 score cp -7 upperbound nodes 9 time 1 pv a2a3",
            ScoredLine(5, -7, None, "upper", ("a2a3",), 2, 8, 9, 1),
        ),
        ("info depth 1 score cp 1 wdl 1 2 997 pv a2a3", ScoredLine(
            1, 1, None, "", ("a2a3",), wdl=(1, 2, 997)
        )),
        ("info depth 3 currmove e2e4", None),
        ("info string depth 3 score cp 20", None),
        ("info depth 3 score", None),
        ("info depth x score cp 1", None),
        ("bestmove e2e4", None),
        ("", None),
    ],
)  # fmt: skip
def test_what_is_heard(line: str, expected: ScoredLine | None) -> None:
    assert parse_info(line) == expected


@pytest.mark.parametrize(
    ("fen", "line", "checks"),
    [
        (START, "depth 2 score cp 20 pv e2e4 e7e5", set()),
        (START, "depth 2 score cp 20 pv e2e4 e7e5 g1f3 g8f6", set()),
        (START, "depth 3 score cp 20 pv e2e4 e7e5", {COMPLETE}),
        (START, "depth 1 score cp 20", {COMPLETE}),
        (START, "depth 2 score cp 20 lowerbound pv e2e4", set()),
        (START, "depth 2 score cp 20 pv e2e4 e2e4", {LEGAL, COMPLETE}),
        (START, "depth 2 score cp 20 lowerbound pv e2e5", {LEGAL}),
        (START, "depth 2 score cp 20 pv e2e4 0000", {LEGAL, COMPLETE}),
        (START, "depth 9 score cp 0 pv g1f3 g8f6 f3g1 f6g8", set()),  # a position came back
        (START, "depth 8 score cp 0 pv" + 2 * " g1f3 g8f6 f3g1 f6g8", set()),
        (START, "depth 8 score cp 9 pv" + 2 * " g1f3 g8f6 f3g1 f6g8", {TRUE}),
        (START, "depth 9 score cp 0 pv" + 2 * " g1f3 g8f6 f3g1 f6g8" + " e2e4", {LEGAL, COMPLETE}),
        (FOOLS, "depth 6 score mate 1 pv d8h4", set()),
        (FOOLS, "depth 6 score mate 2 pv d8h4", {MATES}),
        (FOOLS, "depth 1 score mate 1 pv d8e7", {MATES}),
        (FOOLS, "depth 1 score cp 900 pv d8h4", {TRUE}),
        (FOOLS, "depth 2 score cp 900 pv d8h4 a2a3", {LEGAL, COMPLETE}),
        (STALEMATE, "depth 9 score cp 0 pv f2f7", set()),
        (STALEMATE, "depth 1 score cp 1500 pv f2f7", {TRUE}),
        (STALEMATE, "depth 3 score mate 2 pv f2f7 h8g8", {LEGAL, COMPLETE}),
        (BARE, "depth 9 score cp -400 pv a1a2 e1b1", {COMPLETE}),
        (STALEMATE.replace("0 1", "99 80"), "depth 9 score cp 0 pv f2a2", set()),
        (STALEMATE.replace("0 1", "99 80"), "depth 2 score cp 0 pv f2a2 h8g8", {LEGAL, COMPLETE}),
    ],
)
def test_what_is_wrong_with_a_line(fen: str, line: str, checks: set[str]) -> None:
    assert failed_checks(fen, f"info {line}") == checks


def test_only_the_last_exact_line_must_be_complete() -> None:
    said = ["info depth 3 score cp 1 pv e2e4", "info depth 1 score cp 1 pv d2d4"]
    assert failed_checks(START, *said, bestmove="d2d4") == set()
    assert failed_checks(START, *said[::-1], bestmove="e2e4") == {COMPLETE}
    assert failed_checks(START, *said, bestmove="e2e4") == {STABLE}
    bound = "info depth 2 score cp 9 lowerbound pv e2e4"
    assert failed_checks(START, *said, bound, bestmove="e2e4") == set()
    assert failed_checks(START, *said, bound, bestmove="d2d4") == {STABLE}
    revoked = "info depth 2 score cp -9 upperbound"
    assert failed_checks(START, *said, bound, revoked, bestmove="d2d4") == set()
    assert failed_checks(START, *said, bound, revoked, bestmove="e2e4") == {STABLE}


def test_a_share_is_not_rounded_to_perfection() -> None:
    tally = Tally()
    assert tally.share(LEGAL) == "-"
    tally.add(chess.Board(), [(LEGAL, "")] * 99_999 + [(LEGAL, "illegal e2e5")])
    assert tally.share(LEGAL) == "99.99"
    assert tally.failed(LEGAL) == 1
    assert tally.faults == [f"legal: illegal e2e5 in {START}"]


LIAR = """
for line in sys.stdin:
    if line.startswith("uci"):
        print("id name Liar\\noption name Hash type spin default 4 min 4 max 9\\nuciok", flush=True)
    if line.startswith("setoption"):
        assert line == "setoption name Hash value 4\\n"
    if line.startswith("isready"):
        print("readyok", flush=True)
    if line.startswith("position"):
        black = " b " in line
    if line.startswith("go"):
        if CRASH:
            sys.exit(1)
        print("info depth 12 score cp 1 pv", "e7e5" if black else "e2e5")
        print("bestmove", "e7e5" if black else "e2e4", flush=True)
    if line.startswith("quit"):
        break
"""


@posix
@pytest.mark.parametrize("crash", [True, False])
def test_any_engine_can_be_judged(
    crash: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = write_program(tmp_path / "liar", f"import sys\nCRASH = {crash}\n{LIAR}")
    positions = tmp_path / "some.epd"
    after = chess.Board()
    after.push_uci("e2e4")
    positions.write_text(f"# two\n{chess.Board().epd(id='a 1')}\n{after.epd()}\n")
    assert pv_check.main(["--engine", str(engine), "--epd", str(positions)]) == 0
    *_, head, row, _ = capsys.readouterr().out.splitlines()
    assert head.split() == [LEGAL, COMPLETE, MATES, TRUE, STABLE, "length/depth", "crashes"]
    expected = ["-"] * 6 + ["2"] if crash else ["50.00", "0.00", "-", "-", "50.00", "0.08", "0"]
    assert row.split() == ["Liar", *expected]


@posix
def test_an_engine_that_does_not_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = write_program(tmp_path / "mute", "")
    assert pv_check.main(["--engine", str(engine), "--sample", "1"]) == 2
    assert "no answer" in capsys.readouterr().err


@pytest.mark.slow
def test_our_own_lines_through_the_protocol(
    warm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our lines pass every check: with limits, stopped at any time, MultiPV and several threads."""
    monkeypatch.chdir(warm)
    engine = f"{sys.executable} -m uci"
    for words in (["--depth", "8", "--multipv", "4"], ["--stop"], ["--stop", "--threads", "8"]):
        assert pv_check.main(["--engine", engine, "--sample", "8", *words]) == 0
        assert "Pythagoras" in capsys.readouterr().out
