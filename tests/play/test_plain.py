"""The command on pipes, with a real book, real tables and Chess960."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

import chess
import chess.pgn
import pytest

from helpers import books, command
from helpers.client import ENVIRONMENT, PYTHAGORAS, run
from helpers.play_table import PlayTable
from helpers.syzygy import FOLDER
from helpers.timing import FOREVER, PATIENCE
from uci.apps.play.plain_view import PlainView

pytestmark = pytest.mark.slow

QUICK = ("play", "--think", "30ms")
ENDLESS = ("play", "--think", str(int(FOREVER)))


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """Return the environment for a state folder of the test's own."""
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def talk(warm: Path, home: dict[str, str]) -> Iterator[Callable[..., "Talk"]]:
    """Yield a function that begins games on pipes; all are ended with the test."""
    talks: list[Talk] = []

    def begin(*words: str) -> Talk:
        talks.append(Talk(warm, words, home))
        return talks[-1]

    yield begin
    for each in talks:
        each.popen.kill()
        each.popen.communicate()


class Talk:
    """A game that continues while the test reads and writes."""

    def __init__(self, root: Path, words: tuple[str, ...], settings: dict[str, str]) -> None:
        self.popen = Popen(
            [*PYTHAGORAS, *words], cwd=root, env=ENVIRONMENT | settings, text=True, bufsize=1,
            stdin=PIPE, stdout=PIPE, stderr=STDOUT,
        )  # fmt: skip

    def say(self, line: str) -> None:
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{line}\n")
        self.popen.stdin.flush()

    def until(self, words: str) -> str:
        """Read up to a line with these words; the engine of `ENDLESS` works far longer."""
        assert self.popen.stdout is not None
        for line in self.popen.stdout:
            if words in line:
                return line
        raise AssertionError(f"no {words}")


def games(text: str) -> list[str]:
    """Return the moves made in a game's output, in SAN."""
    return re.findall(r"^(?:You|Pythagoras): \d+\.+ (\S+)$", text, re.MULTILINE)


def test_a_file_of_moves(warm: Path, home: dict[str, str], tmp_path: Path) -> None:
    """Lines that arrive at once are used in turn, even a last one without a line feed."""
    file = tmp_path / "game.pgn"
    given = f"a3\nNd3\nh3\nhint\nwhy\neval\nsave {file}\nc3"
    done = run(warm, *QUICK, given=given, **home)
    assert done.returncode == 0
    assert len(games(done.stdout)) == 6
    assert "Nd3: no knight can go to d3" in done.stdout
    assert re.search(r"is good: 3\. .*\((0\.00|[+-]\d)", done.stdout)
    assert re.search(r": I saw 2\.\.\..* at depth \d+\.", done.stdout)
    assert re.search(r"; white wins \d+ %, draw \d+ %, black wins \d+ %\.", done.stdout)
    assert done.stdout.rstrip().endswith("The game is saved; run pythagoras play to resume it.")
    with file.open() as stream:
        saved = chess.pgn.read_game(stream)
    assert saved is not None
    assert len(list(saved.mainline_moves())) == 4
    assert "\x1b" not in done.stdout
    assert not done.stderr


def test_no_lines_at_all(warm: Path, home: dict[str, str]) -> None:
    done = run(warm, *QUICK, **home)
    assert done.returncode == 0
    assert "a  b  c  d" in done.stdout
    assert "is kept" not in done.stdout


def test_the_whole_help_is_short(warm: Path) -> None:
    done = run(warm, "play", "--help", COLUMNS="80")
    lines = done.stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--level", "300"), "500 to 2900"),
        (("--skill", "-8"), "-7 to 20"),
        (("--tc", "x"), "time control x: expected MINUTES+SECONDS"),
        (("--tc", "0+0"), "not both 0"),
        (("--tc", "1+4000"), "3600 seconds per move"),
        (("--fen", "8/8/8/8/8/8/8/8 w - - 0 1"), "no white king"),
        (
            ("--fen", "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"),
            "the game is over in this position: 1-0, checkmate",
        ),
        (("--chess960", "960"), "0 to 959"),
        (("--book", "/nowhere/book.bin"), "could not open book /nowhere/book.bin"),
        (("--tables", "/nowhere"), "/nowhere"),
        (("--side", "green"), "side green: expected"),
        (("--threads", "0"), "Threads: 0 is out of range 1 to"),
        (("--think", "0"), "--think 0: expected 1ms to 2,147,483 s, such as 2, 0.3 or 300ms"),
        (("--think", "soon"), "--think soon: expected 1ms to"),
    ],
)
def test_what_cannot_be_done_gets_a_line(
    home: dict[str, str],
    words: tuple[str, ...],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, folder in home.items():
        monkeypatch.setenv(name, folder)
    assert command.call("play", *words) == 2
    out, err = capsys.readouterr()
    *usage, line = err.splitlines()
    assert told in line
    assert len(usage) == ("error: argument --" in line)
    assert out == ""


def test_it_thinks_in_the_time_of_the_person(warm: Path, home: dict[str, str]) -> None:
    given = "a3\nh3\nb3\nhint\ng3\nundo\nc3\neval\nresign\n"
    done = run(warm, *QUICK, "--ponder", given=given, **home)
    made = games(done.stdout)
    assert made[::2] == ["a3", "h3", "b3", "g3", "c3"]
    assert len(made) == 10
    assert "I won: 0-1, white resigned." in done.stdout


def test_a_book(warm: Path, home: dict[str, str], tmp_path: Path) -> None:
    board = chess.Board()
    board.push_san("a4")
    path = tmp_path / "book.bin"
    books.write(path, books.entry(board, books.raw("h7h5"), 1))
    done = run(warm, *QUICK, "--book", str(path), given="a4\nwhy\n", **home)
    assert games(done.stdout) == ["a4", "h5"]
    assert "h5: book move." in done.stdout


def test_tables(warm: Path, home: dict[str, str]) -> None:
    fen = "8/8/8/8/8/4k3/8/4K2Q b - - 0 1"
    words = ("--tables", FOLDER, "--fen", fen, "--side", "black")
    done = run(warm, "play", "--think", "1", *words, given="Kd3\nwhy\n", **home)
    assert "The score is from the tablebases." in done.stdout
    assert len(games(done.stdout)) == 2


def test_chess960(warm: Path, home: dict[str, str], tmp_path: Path) -> None:
    """Start 0 is BBQNNRKR: the king castles at once, over its own rook's square."""
    file = tmp_path / "game.pgn"
    given = f"g3\nNf3\nO-O-O\nsave {file}\n"
    fen = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/1B1R2KR w KQkq - 0 1"
    done = run(warm, *QUICK, "--chess960", "0", given=given, **home)
    assert "bbqnnrkr" not in done.stdout
    assert games(done.stdout)[0] == "g3"
    text = file.read_text()
    assert '[Variant "Chess960"]' in text
    assert '[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"]' in text
    done = run(warm, *QUICK, "--new", "--fen", fen, given="O-O\nO-O-O\nfoo\n", **home)
    assert games(done.stdout)[0] in ("O-O", "O-O-O")


def test_a_flag_falls_although_no_line_comes(talk: Callable[..., Talk]) -> None:
    game = talk(*QUICK, "--tc", "0.02+0")
    game.say("e4")
    game.until("Pythagoras: 1...")
    assert "white's time is up" in game.until("I won")
    game.until('[Result "0-1"]')
    game.until("Analyse the game?")
    assert game.popen.poll() is None


def test_an_empty_line_has_the_engine_move(talk: Callable[..., Talk]) -> None:
    game = talk(*ENDLESS)
    game.say("e4")
    game.until("You: 1. e4")
    game.say("")
    game.until("Pythagoras: 1...")


@pytest.mark.skipif(os.name != "posix", reason="signals are sent")
def test_ctrl_c_has_the_engine_move_and_then_leaves(
    talk: Callable[..., Talk], tmp_path: Path
) -> None:
    game = talk(*ENDLESS)
    game.say("e4")
    game.until("You: 1. e4")
    game.popen.send_signal(signal.SIGINT)
    game.until("Pythagoras: 1...")
    game.until("a  b  c  d")
    game.popen.send_signal(signal.SIGINT)
    game.until("The game is saved")
    assert game.popen.wait(PATIENCE) == 130
    again = talk(*QUICK)
    again.until("A game of 1 move with white against full strength is not finished.")
    again.say("y")
    again.until("Game resumed.")
    again.say("d4")
    again.until("Pythagoras: 2...")
    assert list((tmp_path / "state" / "pythagoras" / "play").glob("unfinished-1.json"))


def test_a_game_to_its_end(warm: Path, home: dict[str, str], tmp_path: Path) -> None:
    fen = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
    done = run(warm, *QUICK, "--fen", fen, "--name", 'Ann "A"', given="Qg7\n\nquit\n", **home)
    assert done.returncode == 0
    assert "You won: 1-0, checkmate." in done.stdout
    assert '[White "Ann \\"A\\""]' in done.stdout
    assert "1. Qg7# 1-0" in done.stdout
    assert "is kept" not in done.stdout
    assert len(list((tmp_path / "state").rglob("*.pgn"))) == 1
    question = done.stdout.index("Analyse the game?")
    assert done.stdout.rindex("a  b  c  d") < question, "the answer is typed below the question"


def test_a_new_game_shows_its_board(warm: Path, home: dict[str, str]) -> None:
    words = "play", "--plain", "--ascii", "--think", "20ms", "--side", "white"
    done = run(warm, *words, given="new white\nquit\n", **home)
    assert done.stdout.count("a  b  c  d") == 2


def test_letters_where_the_terminal_has_no_glyphs(warm: Path, home: dict[str, str]) -> None:
    done = run(warm, *QUICK, PYTHONIOENCODING="ascii", PYTHONUTF8="0", **home)
    assert "1  R  N  B  Q  K  B  N  R" in done.stdout
    assert "8  r  n  b  q  k  b  n  r" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_names_of_which_the_terminal_lacks_letters(
    encoding: str, warm: Path, home: dict[str, str]
) -> None:
    words = "--name", "Żofia", "--think", "30ms"
    given = "e4\nhint\neval\nresign\n"
    done = run(warm, "play", *words, given=given, PYTHONIOENCODING=encoding, **home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?ofia: 1. e4" in done.stdout
    assert '[White "?ofia"]' in done.stdout


def test_what_is_said_while_a_prompt_waits_gets_its_own_line(
    table: PlayTable, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    view = PlainView(ascii_only=True)
    view._repl = table.repl
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    view._show()
    view.say("The engine is being compiled.")
    view._show()
    assert capsys.readouterr().out.endswith("h\n> \nThe engine is being compiled.\n> ")
    view._enter("hint")
    view.say("Nf3 is good.")
    assert capsys.readouterr().out == "Nf3 is good.\n"
