"""Typed words and their meaning: commands, completion, levels, clocks, sides."""

import os
from pathlib import Path

import pytest

from helpers.timing import Clock
from uci.apps.play.explanations import white_score
from uci.apps.play.opponent import accepts_draw, game_phase
from uci.apps.play.play_commands import COMMANDS, completions, help_lines, parse_play_command
from uci.apps.play.play_settings import Level, PlaySettings, parse_side, parse_start
from uci.apps.play.time_control import ChessClock, TimeControl, clock_text, parse_duration
from uci.chess_io.convert import board_of
from uci.errors import UciError
from uci.protocol.scored_line import ScoredLine


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("undo", ("undo", "")), ("UNDO", ("undo", "")), ("level 1500", ("level", "1500")),
        ("save  my game.pgn ", ("save", "my game.pgn")), ("new", ("new", "")),
        ("exit", ("quit", "")), ("?", ("help", "")), ("Nf3", None), ("e2e4", None), ("", None),
    ],
)  # fmt: skip
def test_commands(text: str, expected: tuple[str, str] | None) -> None:
    assert parse_play_command(text) == expected


def test_each_command_is_helped_with_and_no_move() -> None:
    assert len(help_lines()) == len(COMMANDS) + 1
    assert all(
        parse_play_command(command.name) or command.takes
        for command in COMMANDS
        if not command.takes
    )
    with pytest.raises(UciError, match="level: expected level"):
        parse_play_command("level")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nf", ["Nf3"]), ("nf", ["Nf3"]), ("e2", ["e2e3", "e2e4"]), ("e", ["e3", "e4", "eval"]),
        ("un", ["undo"]), ("new b", ["black"]), ("skill 1", ["1", *map(str, range(10, 20))]),
        ("level f", ["full"]), ("undo x", []), ("xyz", []), ("Qd", []),
    ],
)  # fmt: skip
def test_completion(text: str, expected: list[str]) -> None:
    assert completions(text, board_of(None)) == expected


def test_completion_when_it_is_not_their_move() -> None:
    assert completions("e", None) == ["eval"]
    assert completions("", None) == [command.name for command in COMMANDS]


def test_completion_of_files_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sub", "home"):
        (tmp_path / name).mkdir()
    for name in (".hidden.pgn", "sub/.deep.pgn", "home/game.pgn"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert completions("load .", None) == [".hidden.pgn"]
    assert completions("load ./s", None) == ["./sub/"]
    assert completions("load sub/.", None) == ["sub/.deep.pgn"]
    assert completions("load ~", None) == ["~/"]
    if os.name == "posix":
        assert completions("load ~/", None) == ["~/game.pgn"]


def test_completion_of_files(tmp_path: Path) -> None:
    for name in ("game.pgn", "other.PGN", "notes.txt", ".hidden.pgn"):
        (tmp_path / name).touch()
    (tmp_path / "games").mkdir()
    assert completions(f"save {tmp_path}/", None) == [
        f"{tmp_path}/{name}" for name in ("game.pgn", "games/", "other.PGN")
    ]
    assert completions(f"load {tmp_path}/ga", None) == [
        f"{tmp_path}/game.pgn", f"{tmp_path}/games/"
    ]  # fmt: skip
    assert completions(f"load {tmp_path}/nowhere/x", None) == []
    assert completions("load ~nobody-of-that-name", None) == []


@pytest.mark.parametrize(
    ("text", "base", "increment"),
    [("5+3", 300, 3), ("5", 300, 0), ("0.5+0", 30, 0), ("0+2", 0, 2), (" 90+30 ", 5400, 30)],
)
def test_time_controls(text: str, base: float, increment: float) -> None:
    control = TimeControl.parse(text)
    assert (control.base, control.increment) == (base, increment)
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    "text", ["", "x", "5+", "+3", "-5+3", "0+0", "2000", "5+9999", "5+3+1", "٥"]
)
def test_what_is_no_time_control(text: str) -> None:
    with pytest.raises(UciError):
        TimeControl.parse(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (300, "5:00"),
        (299.9, "5:00"),
        (61, "1:01"),
        (3723, "1:02:03"),
        (9.87, "0:09.8"),
        (0, "0:00.0"),
    ],
)
def test_clock_text(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


def test_a_clock() -> None:
    now = Clock()
    clock = ChessClock(TimeControl(60, 2), now)
    clock.run(True)
    now.advance(10)
    assert clock.times() == {True: 50, False: 60}
    clock.press(True)
    assert clock.times() == {True: 52, False: 60}
    clock.run(False)
    now.advance(61)
    assert clock.fallen() is False
    clock.stop()
    assert clock.fallen() is None
    clock.take_back(1)
    assert clock.times() == {True: 50, False: 60}


def test_a_clock_of_increments_begins_with_one() -> None:
    assert ChessClock(TimeControl.parse("0+5"), Clock()).left(True) == 5


@pytest.mark.parametrize(
    ("kind", "text", "level"),
    [
        ("level", "500", "level 500"),
        ("skill", "-7", "skill -7"),
        ("skill", "FULL", "full strength"),
    ],
)
def test_levels(kind: str, text: str, level: str) -> None:
    made = Level.parse(kind, text)
    assert str(made) == level
    assert Level.parse(*made.words()) == made
    assert made.is_limited == (level != "full strength")


@pytest.mark.parametrize(
    ("kind", "text"), [("level", "499"), ("level", "x"), ("skill", "-8"), ("skill", "")]
)
def test_what_is_no_level(kind: str, text: str) -> None:
    with pytest.raises(UciError, match=kind):
        Level.parse(kind, text)


def test_sides_and_starts() -> None:
    assert [parse_side(text) for text in ("w", "Black", "rand")] == ["white", "black", "random"]
    assert parse_start("random") == -1
    assert parse_start("518") == 518
    for text in ("", "x", "960", "-1"):
        with pytest.raises(UciError):
            parse_start(text)


def test_chess960_by_lot() -> None:
    import random

    starts = {PlaySettings(chess960=-1).game(random.Random(seed)).start for seed in range(20)}
    assert len(starts) > 10


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        (None, "opening"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 15", "middlegame"),
        ("4k3/4p3/8/8/8/8/4P3/4KR2 w - - 0 40", "endgame"),
    ],
)
def test_phases(fen: str | None, expected: str) -> None:
    assert game_phase(board_of(fen)) == expected


def test_a_draw_is_taken_more_readily_later() -> None:
    start = board_of(None)
    middle = board_of("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R w KQkq - 0 15")
    end = board_of("4k3/4p3/8/8/8/8/4P3/4KR2 w - - 0 40")
    for score, answers in ((-200, (1, 1, 1)), (-100, (0, 1, 1)), (0, (0, 0, 1)), (100, (0, 0, 0))):
        assert tuple(accepts_draw(board, score) for board in (start, middle, end)) == answers


def test_an_even_score_has_no_sign() -> None:
    even, better = ScoredLine(1, 0, None, "", ()), ScoredLine(1, 40, None, "", ())
    assert [white_score(even, turn) for turn in (True, False)] == ["0.00", "0.00"]
    assert [white_score(better, turn)[0] for turn in (True, False)] == ["+", "-"]


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1", 1000), ("0.3", 300), (".3", 300), ("300ms", 300), ("2s", 2000), ("2 S", 2000),
        ("1min", 60_000), ("1.5m", 90_000), ("300", 300_000), ("0.001", 1),
    ],
)  # fmt: skip
def test_durations(text: str, milliseconds: int) -> None:
    assert parse_duration("--think", text) == milliseconds


@pytest.mark.parametrize("text", ["", "0", "0ms", "-1", "0.0001", "x", "3h", "1,5", "9" * 9, "٣"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UciError, match=f"--think {text}.*: expected 1ms to 2,147,483 s"):
        parse_duration("--think", text)
