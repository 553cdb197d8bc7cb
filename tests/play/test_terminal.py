"""The whole command on a pseudo-terminal, and the screen that a user sees."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.client import ENVIRONMENT, PYTHAGORAS

pytest.importorskip("pty", reason="needs pseudo-terminals")
from helpers.terminal_session import TerminalSession
from helpers.timing import FOREVER, PATIENCE

pytestmark = pytest.mark.slow

START = 60.0
"""Seconds for a start on the busiest machine."""

Seat = Callable[..., TerminalSession]


@pytest.fixture
def sit(warm: Path, tmp_path: Path) -> Iterator[Seat]:
    """Yield a function that begins games with files in ``tmp_path``, each ended with the test."""
    sessions: list[TerminalSession] = []

    def begin(
        *words: str, size: tuple[int, int] = (80, 24), until: str = "You have", **settings: str
    ) -> TerminalSession:
        plain = {key: value for key, value in ENVIRONMENT.items() if key not in COLOURS}
        home = {"XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm-256color"}
        session = TerminalSession(
            [*PYTHAGORAS, "play", *words], *size, plain | home | settings, warm
        )
        sessions.append(session)
        session.until(lambda text: until in text, START)
        return session

    yield begin
    for session in sessions:
        session.close()


COLOURS = {"NO_COLOR", "COLORTERM", "COLORFGBG", "FORCE_COLOR"}
QUICK = ("--think", "30ms")
ENDLESS = ("--think", str(int(FOREVER)))


def see(session: TerminalSession, *words: str) -> str:
    """Return the screen once all words are on it."""
    return session.until(lambda text: all(word in text for word in words), PATIENCE)


def board(text: str) -> list[str]:
    """Return the eight ranks on the screen, without spaces between the squares."""
    return [line[:26] for line in text.splitlines() if re.match(r"[1-8]( |$)", line)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 20)])
def test_a_game_in_three_sizes(sit: Seat, size: tuple[int, int]) -> None:
    session = sit(*QUICK, size=size)
    assert len(board(session.text)) == 8
    session.type("e4\r")
    text = see(session, "1. e4 ", "▸ You")
    assert "♟" in text
    session.type("e6\r")
    see(session, "no pawn can go to e6", "help   Ctrl-C leaves")
    assert max(map(len, session.lines)) <= size[0]
    session.type("flip\r")
    session.until(lambda now: [line[0] for line in board(now)] == list("12345678"), PATIENCE)
    session.type("resign\r")
    see(session, "white resigned", "[y/N]")
    session.type("n\rquit\r")
    assert session.wait(PATIENCE) == 0
    assert '[Result "0-1"]' in session.text, "PGN stays on the screen as it was before"


def test_completion_and_ambiguity(sit: Seat) -> None:
    session = sit(*QUICK, "--fen", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    session.type("Nd2\r")
    see(session, "Nd2 is ambiguous: Nbd2 or Nfd2")
    session.type("Nb\t")
    see(session, "> Nbd2")
    session.type("\r")
    see(session, "1. Nbd2", "▸ You")
    session.type("le\t fu\t")
    see(session, "> level full")


def test_enter_has_the_engine_move(sit: Seat) -> None:
    session = sit(*ENDLESS)
    session.type("a3\r")
    see(session, "thinking …", "depth")
    session.type("h3\r")
    see(session, "I am thinking; press Enter to make me move now.")
    session.type("\r")
    see(session, "▸ You")
    session.type("h3\r")
    see(session, "thinking …", "▸ Pythagoras")
    session.type("\x03")
    see(session, "▸ You", "2. h3")
    session.type("g3\r")
    see(session, "thinking …")
    os.kill(session.pid, signal.SIGINT)
    see(session, "▸ You", "3. g3")


def test_a_long_message_is_scrolled(sit: Seat) -> None:
    session = sit(*QUICK)
    session.type("help\r")
    assert "print this list" not in see(session, "Type moves as", "PgDn: more")
    session.type("\x1b[6~" * 9)
    assert "Type moves as" not in see(session, "print this list", "PgUp: before")
    session.type("\x1b[5~" * 9)
    text = see(session, "Type moves as", "You have white", "PgDn: more")
    assert text.index("You have white") < text.index("Type moves as") < text.index("\n>")
    session.type("hint\r")
    see(session, "is good: 1.", "this list")


def test_messages_are_read_downwards_and_the_prompt_is_below_them(sit: Seat) -> None:
    session = sit(*QUICK)
    session.type("e4\r")
    see(session, "1. e4 ", "▸ You")
    session.type("why\r")
    see(session, ": I saw")
    session.type("undo\r")
    text = see(session, "Taken back: 1. e4 ")
    places = [text.index(words) for words in ("You have white", "I saw", "Taken back", "\n>")]
    assert places == sorted(places)
    assert session.screen.cursor.y == session.screen.lines - 2
    assert session.lines[-3].startswith("Taken back: 1. e4 ")
    session.type("d4\r")
    see(session, "1. d4 ", "▸ You")
    session.type("resign\r")
    text = see(session, "Analyse the game?")
    assert text.index("I won: 0-1") < text.index("Analyse the game?") < text.index("\n>")


def test_ctrl_c_leaves_and_the_game_goes_on(sit: Seat, tmp_path: Path) -> None:
    session = sit(*QUICK, "--level", "1500")
    session.type("e4\r")
    see(session, "1. e4 ", "▸ You")
    session.type("Nf")
    see(session, "> Nf")
    session.type("\x03")
    session.until(lambda text: "> Nf" not in text, PATIENCE)
    session.type("\x03")
    assert session.wait(PATIENCE) == 130
    assert "The game is saved" in session.text
    again = sit(*QUICK, until="is not finished")
    see(again, "A game of 1 move with white against level 1500 is not finished.", "1. e4 ")
    again.type("y\r")
    see(again, "Game resumed.", "▸ You")
    again.type("d4\r")
    see(again, "2. d4 ", "▸ You")
    again.type("quit\r")
    assert again.wait(PATIENCE) == 0
    assert list((tmp_path / "state" / "pythagoras" / "play").glob("unfinished-1.json"))


@pytest.mark.parametrize("how", ["hang up", "SIGTERM", "SIGKILL"])
def test_a_game_outlives_its_terminal(sit: Seat, how: str) -> None:
    session = sit(*ENDLESS)
    session.type("e4\r")
    see(session, "thinking …")
    if how == "hang up":
        session.hang_up()
    else:
        os.kill(session.pid, signal.Signals[how])
    session.wait(PATIENCE)
    again = sit(*QUICK, until="is not finished")
    again.type("\r")
    see(again, "▸ You", "1. e4 ")


def test_another_size_while_it_runs(sit: Seat) -> None:
    session = sit(*QUICK)
    session.resize(44, 22)
    os.kill(session.pid, signal.SIGWINCH)
    session.until(lambda text: "white" in text and not text.startswith("8"), PATIENCE)
    session.resize(10, 4)
    os.kill(session.pid, signal.SIGWINCH)
    session.type("e4\r")
    session.resize(100, 40)
    os.kill(session.pid, signal.SIGWINCH)
    see(session, "1. e4 ", "▸ You")


def test_without_colours_the_glyphs_tell_the_sides_apart(sit: Seat) -> None:
    session = sit(*QUICK, NO_COLOR="1")
    assert "♙" in session.text
    assert "♟" in session.text
    cells = [cell for row in session.screen.buffer.values() for cell in row.values()]
    assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}


def test_colours_and_letters(sit: Seat) -> None:
    session = sit(*QUICK, "--ascii", "--theme", "light", "--side", "black")
    see(session, "▸ You")
    assert board(session.text)[-1] == "8  r  n  b  k  q  b  n  r "
    row = session.screen.buffer[7]
    assert len({row[x].bg for x in range(2, 26)}) == 2


def test_the_game_is_analysed_at_its_end(sit: Seat, tmp_path: Path) -> None:
    session = sit(*QUICK, "--fen", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", size=(100, 30))
    session.type("Qg7\r")
    see(session, "1-0, checkmate", "Analyse the game?")
    session.type("y\r")
    assert session.wait(START) == 0
    games = tmp_path / "state" / "pythagoras" / "play" / "games"
    assert {"".join(path.suffixes) for path in games.iterdir()} == {
        ".pgn", ".analysed.pgn", ".analysis.json", ".html",
    }  # fmt: skip
    assert ".html" in session.text


def test_a_flag_falls_on_the_screen(sit: Seat) -> None:
    session = sit(*QUICK, "--tc", "0.02+0")
    session.type("e4\r")
    see(session, "1. e4 ", "white's time is up", "0:00.0")
