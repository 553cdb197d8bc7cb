"""The arena: two builds, many short games, a verdict; and the statistics of pairs."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from helpers.fake_managers import CHECKOUT, posix
from scripts.match import arena
from scripts.match.builds import ROOT, MatchError, tree_of
from scripts.match.elo import PairResults, llr_bounds
from scripts.match.runner import OPENINGS
from uci.chess_io.convert import encode_move, move_to_uci

START = chess.STARTING_FEN


class Scripted:
    """A player that repeats a list of moves, and reports the same score for each."""

    def __init__(self, moves: str, score: int = 0) -> None:
        self._moves, self._score, self._made = moves.split(), score, 0
        self._board = chess.Board()

    def tell(self, order: str) -> None:
        word, _, rest = order.partition(" ")
        if word == "start":
            self._board = chess.Board(rest, chess960=True)
        else:
            self._board.push_uci(move_to_uci(int(rest), chess960=True))

    def go(self) -> tuple[int, int]:
        move = self._board.parse_uci(self._moves[self._made % len(self._moves)])
        word = encode_move(self._board, move)
        self._board.push(move)
        self._made += 1
        return word, self._score


def points(first: Scripted, second: Scripted, fen: str = START) -> float:
    players: Any = (first, second)
    return arena.play(fen, players)[0]


def test_a_mate_is_worth_a_point() -> None:
    assert points(Scripted("f2f3 g2g4"), Scripted("e7e5 d8h4")) == 0
    assert points(Scripted("e2e4 d1h5 f1c4 h5f7"), Scripted("e7e5 b8c6 g8f6")) == 1


def test_draws_by_the_rules() -> None:
    assert points(Scripted("g1f3 f3g1", 500), Scripted("g8f6 f6g8", 500)) == 0.5  # repetition
    assert points(Scripted("e1e2"), Scripted(""), "k7/8/8/8/8/8/4n3/4K3 w - - 0 1") == 0.5
    assert points(Scripted("g4g6"), Scripted(""), "7k/5K2/8/8/6Q1/8/8/8 w - - 0 1") == 0.5
    assert points(Scripted("e1e2"), Scripted(""), "k7/7p/8/8/8/8/8/4K2R w - - 99 90") == 0.5


def test_agreement_decides() -> None:
    start = "k7/8/8/7p/7P/8/8/K7 w - - 0 1"
    there, back = "a1b1 b1c1 c1d1 d1e1 e1f1", "a8b8 b8c8 c8d8 d8e8 e8f8"
    assert points(Scripted(there, 900), Scripted(back, -900), start) == 1
    assert points(Scripted(there, -900), Scripted(back, 900), start) == 0
    late = "k7/8/8/7p/7P/8/8/K7 w - - 0 36"
    there, back = there + " f1g1 g1h1 h1h2 h2h3", back + " f8g8 g8h8 h8h7 h7h6"
    assert points(Scripted(there, 9), Scripted(back, -9), late) == 0.5


WALK = "a1b1 b1c1 c1d1 d1e1 e1f1 f1g1 g1h1 h1h2 h2h3 h3g3"
WALK_WITH_A_PAWN_MOVE = WALK.replace("b1c1", "b1c1 a2a3").removesuffix(" h3g3")


@pytest.mark.parametrize(
    ("walk", "number", "plies"),
    [(WALK, 31, 20), (WALK, 32, 18), (WALK, 33, 16), (WALK, 40, 16),
     (WALK_WITH_A_PAWN_MOVE, 40, 20)],
)  # fmt: skip
def test_draws_are_agreed_when_fastchess_has_them_agreed(
    walk: str, number: int, plies: int
) -> None:
    """A draw is agreed after 40 moves of the game, and 8 since the last pawn move."""
    back = "a8b8 b8c8 c8d8 d8e8 e8f8 f8g8 g8h8 h8h7 h7h6 h6g6"
    players: Any = Scripted(walk, 9), Scripted(back, -9)
    board = arena.play(f"k7/8/8/7p/7P/8/P7/K7 w - - 0 {number}", players)[1]
    assert len(board.move_stack) == plies


def test_statistics_are_those_of_fastchess() -> None:
    standing = PairResults([19, 45, 72, 42, 22], [125, 147, 128])
    assert str(standing) == (
        "+128 =147 -125 (400 games, 50.4 %), pairs [19, 45, 72, 42, 22], Elo +2.6 ± 27.0 (95 %)"
    )
    # fastchess does not approximate.
    assert PairResults([105, 198, 364, 250, 142]).llr(0, 8) == pytest.approx(2.96, abs=0.05)


def test_the_test_asks_which_of_two_strengths_is_nearer() -> None:
    """In 1,000 pairs the sequential test accepts the hypothesis that is nearer to the strength."""
    even = PairResults([100, 200, 400, 200, 100], [700, 600, 700])
    assert even.llr(-4, 4) == pytest.approx(0, abs=1e-9)
    better = PairResults([80, 190, 400, 220, 110], [600, 690, 710])
    deviation = (better.score - 0.5) / better.deviation
    assert better.llr(0, deviation * 2 * 245.7) == pytest.approx(0, abs=0.01)
    assert better.llr(0, 8) > even.llr(0, 8)


def test_pairs_and_games_are_counted() -> None:
    standing = PairResults()
    for pair in ((0, 0), (0.5, 0), (1, 0), (0.5, 0.5), (1, 0.5), (1, 1)):
        standing.add(pair)
    assert standing.pairs == [1, 1, 2, 1, 1]
    assert standing.games == [4, 4, 4]
    assert standing.score == 0.5


def test_the_limits_of_the_test() -> None:
    assert llr_bounds(0.05, 0.05) == pytest.approx((-2.944, 2.944), abs=0.001)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the checkout's engine play; return some openings."""
    monkeypatch.setattr(arena, "build", lambda revision, player: CHECKOUT)
    trap = tmp_path / "elsewhere"
    trap.mkdir()
    (trap / "engine.py").write_text("raise ImportError('not the engine of the build')\n")
    monkeypatch.setenv("PYTHONPATH", str(trap))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    book = tmp_path / "book.epd"
    lines = OPENINGS.read_text(encoding="utf-8").splitlines(keepends=True)
    book.write_text("".join(lines[:40]))
    return book


ITSELF = "--new", "HEAD", "--base", "HEAD"


@pytest.mark.parametrize("words", [[], ["--nodes", "50"], ["--games", "4", "--seed", "2"]])
def test_without_an_opponent_nothing_is_played(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(arena, "Match")
    with pytest.raises(SystemExit) as end:
        arena.main(words)
    assert end.value.code == 2
    assert "--base, --net or --evaluate is required: make arena" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--base", "HEAD"], ["--base", "HEAD", "--nodes", "50", "--base-nodes", "50"]]
)
def test_an_unchanged_tree_is_refused(
    words: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena.main([*words, "--openings", str(here), "--games", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("arena: the working tree is the same engine as HEAD")


MATCH = """
import pathlib, sys
from scripts.match import arena
from scripts.match.builds import PLAYER, ROOT, Build
command = pathlib.Path(sys.executable).with_name("pythagoras")
player = ROOT / "scripts" / "match" / PLAYER
arena.build = lambda *_, **__: Build("key", command, player)
add = arena.Match._add
def added(*arguments):
    add(*arguments)
    print("a pair", flush=True)
arena.Match._add = added
sys.exit(arena.main(sys.argv[1:]))
"""


@posix
@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_it_without_tracebacks(sign: signal.Signals, here: Path) -> None:
    """A signal ends the referee and its players, which share its output, without tracebacks."""
    book = here.with_name("wins.epd")  # adjudicated after a few moves
    squares = (f"{7 - file or ''}k{file or ''}" for file in range(8) if file != 6)
    book.write_text("".join(f"{row}/8/8/8/8/8/8/KQ6 w - - 0 1\n" for row in squares))
    words = [*ITSELF, "--openings", str(book), "--nodes", "20000", "--games", "14"]
    with subprocess.Popen(
        [sys.executable, "-c", MATCH, *words], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as match:  # fmt: skip
        assert match.stdout is not None
        while match.stdout.readline() != "a pair\n":
            assert match.poll() is None
        time.sleep(0.3)  # amid the searches of the next pair
        match.send_signal(sign)
        out, err = match.communicate(timeout=60)  # the last of the players, too, has ended
    assert err == ""
    if sign != signal.SIGKILL:
        assert match.returncode == 130
        assert out.splitlines()[-1].endswith("→ stopped; run the same command again to resume")


@pytest.mark.slow
def test_more_nodes_win(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--openings", str(here), "--nodes", "500", "--base-nodes", "20", "--games", "80"]
    assert arena.main(words) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("→ accepted")

    # A match that has ended is not played again.
    monkeypatch.setattr(arena, "Player", None)
    assert arena.main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == last


CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
CHESS960 = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"


@pytest.mark.parametrize("fen", [START, CASTLING, CHESS960, CASTLING.replace(" w ", " b ")])
def test_games_are_kept_as_they_were_played(fen: str) -> None:
    board = chess.Board(fen, chess960=True)
    for _ in range(4):
        castling = [move for move in board.legal_moves if board.is_castling(move)]
        board.push((castling or list(board.legal_moves))[0])
    game = chess.pgn.read_game(io.StringIO(arena.pgn_of(1.0, board, ["us", "them"])))
    assert game is not None
    assert not game.errors
    assert game.end().board().epd() == board.epd()
    names = ("us", "them", "1-0") if board.root().turn else ("them", "us", "0-1")
    assert tuple(game.headers[tag] for tag in ("White", "Black", "Result")) == names
    assert ("Variant" in game.headers) == (fen == CHESS960)


@pytest.mark.slow
def test_a_match_goes_on_where_it_was_stopped(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [
        *ITSELF,
        "--openings",
        str(here),
        "--nodes",
        "20",
        "--games",
        "4",
        "--concurrency",
        "1",
    ]

    def stop(match: arena.Match, ours: Any, theirs: Any) -> None:
        keep(match, ours, theirs)
        raise KeyboardInterrupt

    keep = arena.Match._add
    monkeypatch.setattr(arena.Match, "_add", stop)
    assert arena.main(words) == 130
    out = capsys.readouterr().out
    assert "(2 games, " in out
    assert out.endswith("→ stopped; run the same command again to resume\n")
    monkeypatch.setattr(arena.Match, "_add", keep)
    assert arena.main(words) == 3
    first, *_, last = capsys.readouterr().out.splitlines()[1:]
    assert "(2 games, " in first
    assert "(4 games, " in last
    (folder,) = (here.parent / "pythagoras" / "matches").iterdir()
    assert (folder / "games.pgn").read_text().count("[Result ") == 4


@pytest.mark.slow
def test_no_game_is_played_twice(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No opening is used twice, since at fixed nodes it would give the same games."""
    book = here.with_name("two.epd")
    book.write_text("".join(here.read_text().splitlines(keepends=True)[:2]))
    assert arena.main([*ITSELF, "--openings", str(book), "--nodes", "20", "--games", "10"]) == 3
    _, said, *_, last = capsys.readouterr().out.splitlines()
    assert said == "playing 4 games: at fixed nodes each opening gives only one pair"
    assert "(4 games, " in last


@pytest.mark.slow
def test_another_network_plays(
    here: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--openings", str(here), "--nodes", "50", "--games", "2", "--net"]
    net = ROOT / "engine" / "evaluation" / "nets" / "default.nnue"
    assert arena.main([*words, str(net)]) == 3
    (tmp_path / "text").write_text("no network")
    assert arena.main([*words, str(tmp_path / "text")]) == 2
    assert "a player has ended" in capfd.readouterr().err


@pytest.mark.slow
def test_an_evaluation_plays(here: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """An error of the function ends the match: so it is this function that plays."""
    words = ["--openings", str(here), "--nodes", "20", "--games", "2", "--evaluate"]
    example = f"{ROOT / 'uci' / 'library' / 'my_eval.py'}:evaluate"
    assert arena.main([*words, example]) == 3
    assert "(2 games, " in capfd.readouterr().out.splitlines()[-1]
    assert arena.main([*words, example, "--base-evaluate", example]) == 2
    assert "is the same engine as" in capfd.readouterr().err
    (tmp_path / "own.py").write_text("def f(board, by_type, by_colour, side):\n    return 1 // 0\n")
    assert arena.main([*words, f"{tmp_path / 'own.py'}:f"]) == 2
    err = capfd.readouterr().err
    assert "return 1 // 0" in err
    assert "a player has ended" in err


OBEDIENT = """
import pathlib, sys
for line in sys.stdin:
    print("1 2 3", flush=True)
pathlib.Path(__file__).with_name("ended").touch()
"""
REFEREE = """
import pathlib, sys, time
from scripts.match.builds import Build
from scripts.match.players import Player
command = pathlib.Path(sys.executable).with_name("pythagoras")
player = Player(Build("key", command, pathlib.Path(sys.argv[1])), 20, None)
try:
    print(player.go(), flush=True)
    for _ in range(6000):  # Ctrl-C just before a sleep is heard after it
        time.sleep(0.01)
except KeyboardInterrupt:
    print(player.go(), flush=True)
    time.sleep(60)
"""


@posix
def test_ctrl_c_is_not_for_the_players(tmp_path: Path) -> None:
    """Players ignore Ctrl-C, silently, and end with their referee."""
    script = tmp_path / "player.py"
    script.write_text(OBEDIENT)
    command = [sys.executable, "-c", REFEREE, str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, text=True, start_new_session=True, stdout=pipe, stderr=pipe
    ) as referee:
        assert referee.stdout is not None
        assert referee.stderr is not None
        assert referee.stdout.readline() == "(1, 2)\n"
        os.killpg(referee.pid, signal.SIGINT)
        assert referee.stdout.readline() == "(1, 2)\n"
        assert not (tmp_path / "ended").exists()
        referee.kill()
        assert referee.stderr.read() == ""  # at its end: all processes that share it have ended
    assert (tmp_path / "ended").exists()


OLD = "8de7e80"
"""A revision from before the engine's files were put into folders."""


@pytest.mark.long
def test_an_old_revision_plays(capsys: pytest.CaptureFixture[str]) -> None:
    """A player of an old revision plays the working tree, each with its own requirements."""
    try:
        tree_of(OLD)
    except MatchError as error:
        pytest.skip(f"a clone with its history is needed: {error}")
    words = ["--base", OLD, "--openings", str(OPENINGS), "--nodes", "200", "--games", "20"]
    assert arena.main([*words, "--bounds", "0", "0.01"]) == 3
    assert "(20 games, " in capsys.readouterr().out.splitlines()[-1]
