"""`pythagoras analyse`: its options, its files, and its messages."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.jit.kernel import COMPILED
from helpers.bad_paths import bad_paths
from helpers.client import PYTHAGORAS
from helpers.inline_executor import Inline, analyse_inline, stop_after
from helpers.three_games import GAMES, Output, call, document, names, read
from helpers.timing import PATIENCE
from uci.apps.analyse.analyst import Chunk, PositionAnalysis
from uci.apps.engines.executor import TaskLost
from uci.apps.games.stockfish_scale import on_stockfish_scale
from uci.session.settings import Shortfall


def test_both_files(inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(games, "--jobs", 3, "--hash", 5) == 1
    assert names(games.parent) == [
        "games.analysed.pgn",
        "games.analysis.json",
        "games.html",
        "games.pgn",
    ]
    assert inline.jobs == 3
    assert inline.options == {"MultiPV": "2", "Hash": "5", "Threads": "1"}
    assert {chunk.go for chunk in inline.chunks} == {"nodes 2000000"}
    one, three = read(games.parent / "games.analysed.pgn")
    assert one.headers["White"] == "Smith"
    assert one.headers["Opening"] == "Ruy Lopez"
    assert "2,000,000 nodes a position, lichess's rules" in one.headers["Annotator"]
    assert one.comment.startswith("White: accuracy ")
    assert one.comment.endswith(" mine")
    assert all(node.eval() for node in one.mainline())
    assert 14 in one.mainline().__iter__().__next__().variations[0].variations[0].nags
    assert three.headers["FEN"].startswith("4k3/")
    errors = capsys.readouterr().err.splitlines()
    offset = GAMES.index('[Event "two"]')
    assert ": game 1: Smith: accuracy " in errors[0]
    assert errors[1].startswith("pythagoras: ")
    assert errors[1].endswith(f"game 2 at byte {offset}: 'Sf3' does not use English piece letters")
    assert ": 2 analysed, 1 unreadable; 10 positions, " in errors[-2]
    assert errors[-1] == f"HTML report: {games.with_suffix('.html')}"
    assert len(errors) == 5


def test_the_document(inline: Inline, games: Path) -> None:
    assert call(games) == 1
    found = document(games.parent)
    assert (found["schema"], found["source"], found["limit"]) == (
        1,
        "games.pgn",
        {"nodes": 2000000},
    )
    (bad,) = found["unread"]
    assert bad["number"] == 2
    assert GAMES[bad["offset"] :].startswith('[Event "two"]')
    one, three = found["games"]
    for game in (one, three):
        assert len(game["positions"]) == len(game["moves"]) + 1
    assert one["opening"] == {"eco": "C60", "name": "Ruy Lopez", "ply": 5}
    assert [move["san"] for move in one["moves"]] == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    # White's view: the mover's score rises by 10 with each ply, so signs alternate.
    scores = [on_stockfish_scale(score) for score in (-10, 20, -30, 40, -50)]
    assert [move["cp"] for move in one["moves"]] == scores
    assert one["positions"][2]["lines"][1]["cp"] == on_stockfish_scale(-30)
    assert [move["clock"] for move in one["moves"]] == [None, None, 598.5, None, None]
    assert chess.pgn.read_game(io.StringIO(one["pgn"])).headers["Annotator"]  # type: ignore[union-attr]
    assert "Annotator" not in one["headers"]
    assert [move["color"] for move in three["moves"]] == ["black", "white", "black"]
    board = chess.Board(three["positions"][0]["fen"])
    assert board == chess.Board("4k3/8/8/8/8/8/4P3/4K3 b - - 0 20")


def test_less_memory_than_wanted_is_told_once_and_recorded(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = iter([32, 16])  # hash sizes for the two games, in MiB

    def analyse_chunk(chunk: Chunk) -> list[PositionAnalysis]:
        short = Shortfall("Hash", 64, next(sizes)), Shortfall("Threads", 8, 7)
        return [replace(each, short=short) for each in analyse_inline(chunk)]

    inline.analyse_chunk = analyse_chunk
    assert call(games, "--hash", 64, "--threads", 8, "--quiet", "--games", "1,3") == 0
    assert sorted(capsys.readouterr().err.splitlines()) == [
        "pythagoras: could not start 8 threads; using 7",
        "pythagoras: not enough memory for Hash=64 MiB; using 32 MiB",
    ]
    found = document(games.parent)
    assert (found["hash"], found["threads"]) == (16, 7)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_more_memory_than_there_is(
    warm: Path, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--games", 1, "--depth", 1, "--hash", 1 << 25, "--jobs", 1, "--quiet"
    assert call(games, *words) == 0
    assert capsys.readouterr().err.splitlines() == [
        "pythagoras: not enough memory for Hash=33554432 MiB; using 16 MiB"
    ]
    assert document(games.parent)["hash"] == 16


def test_only_some_games_and_sides(inline: Inline, games: Path) -> None:
    assert call(games, "--games", "1", "--side", "black") == 0
    (game,) = document(games.parent)["games"]
    assert game["white"] is None
    assert game["black"]["accuracy"] > 0
    assert call(games, "--games", "3-", "--side", "smith", "--force") == 0
    found = document(games.parent)
    assert [(game["number"], game["white"]) for game in found["games"]] == [(3, None)]
    assert found["side"] == "smith"
    assert call(games, "--side", "miller", "--force", "--games", "1") == 1  # no game by Miller


def test_another_folder_and_thresholds(inline: Inline, games: Path, tmp_path: Path) -> None:
    to = tmp_path / "a" / "b"
    assert call(games, "-o", to, "--thresholds", "1,2,3", "--depth", 7, "--games", 1) == 0
    found = document(to)
    assert found["scale"]["thresholds"] == {"inaccuracy": 1, "mistake": 2, "blunder": 3}
    assert found["limit"] == {"depth": 7}
    assert any(move["verdict"] for move in found["games"][0]["moves"])
    assert names(tmp_path) == ["a", "games.pgn"]


def test_standard_streams(
    inline: Inline,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    def through(*words: str) -> str:
        output = Output()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Output(GAMES.encode()))
            patch.setattr(sys, "stdout", output)
            call("-", "--quiet", *words)
        return output.buffer.getvalue().decode()

    assert through().count("[Event ") == 2
    assert len(json.loads(through("--json", "-"))["games"]) == 2
    assert names(tmp_path) == []
    assert json.loads(through("--json", "-", "-o", "."))["source"] == "input"
    assert names(tmp_path) == ["input.analysed.pgn", "input.html"]
    through("--json", "input.json")
    assert json.loads(Path("input.json").read_text())["source"] == "input"
    for name in "a.pgn", "b.pgn":
        Path(name).write_text(GAMES)
    assert call("a.pgn", "b.pgn", "--json", "-") == 2
    assert "requires exactly one file of games" in capsys.readouterr().err


def test_the_document_in_another_file(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = games.parent / "results" / "all.json"
    document.parent.mkdir()
    assert call(games, "--json", document, "--no-html", "--games", 1) == 0
    assert json.loads(document.read_text())["source"] == "games.pgn"
    assert names(games.parent) == ["games.analysed.pgn", "games.pgn", "results"]
    (games.parent / "games.analysed.pgn").unlink()
    assert call(games, "--json", document, "--no-html") == 2
    assert "all.json already exists; use --force" in capsys.readouterr().err
    assert call(games, "--json", document, "--no-html", "--games", 1, "--force") == 0


@pytest.mark.parametrize("tags", ["", '[White "?"]\n[Black ""]\n'])
def test_players_without_names(
    tags: str, inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games.write_text(f"{tags}\n1. e4 e5 *\n")
    assert call(games) == 0
    said = capsys.readouterr().err
    assert ": game 1: White: accuracy " in said
    assert "; Black: accuracy " in said


def test_quiet(inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(games, "--quiet", "--games", "1,3") == 0
    assert capsys.readouterr() == ("", "")
    assert call(games, "--quiet", "--side", "nobody", "-o", games.parent / "other") == 1
    assert ": nothing analysed: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--nodes", "0"], "nodes"),
        (["--nodes", "x"], "nodes"),
        (["--depth", "-3"], "depth"),
        (["--multipv", "0"], "MultiPV"),
        (["--hash", "much"], "Hash"),
        (["--threads", "0"], "Threads"),
        (["--jobs", "0"], "--jobs"),
        (["--jobs", "10000"], "--jobs"),
        (["--games", "4-2"], "--games"),
        (["--thresholds", "9"], "--thresholds"),
        (["--tables", "nowhere"], "nowhere"),
        (["--json", "games.pgn"], "are in this file"),
        (["--json", "./games.html", "--force"], "are in this file"),
        (["--json", "nowhere/x.json"], "folder does not exist"),
        (["games.pgn"], "written twice"),
        (["nowhere.pgn"], "nowhere.pgn"),
        (["-", "-"], "standard input"),
    ],
)
def test_bad_arguments(
    words: Sequence[str], says: str, inline: Inline, games: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(games.parent)
    assert call("games.pgn", *words) == 2
    *usage, line = capsys.readouterr().err.splitlines()
    assert len(usage) == line.startswith("pythagoras analyse: error: argument --")
    assert line.startswith("pythagoras")
    assert says in line
    assert names(games.parent) == ["games.pgn"]


def test_what_is_no_file(
    inline: Inline, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with bad_paths(tmp_path) as paths:
        for path in paths.values():
            assert call(path) == 2
            assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe", b"hello\n"])
def test_files_without_games(
    data: bytes, inline: Inline, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.pgn"
    path.write_bytes(data)
    assert call(path) == 1
    assert capsys.readouterr().err
    assert names(tmp_path) == ["games.pgn"]


def test_a_game_that_kills_all_who_look_is_named(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The third game is the second one that was read.
    inline.analyse_chunk = stop_after(1, TaskLost("it has ended 4 processes"))
    assert call(games) == 1
    said = capsys.readouterr().err
    assert "game 3 at byte " in said
    assert "given up: it has ended 4 processes" in said
    assert [game.headers["White"] for game in read(games.parent / "games.analysed.pgn")] == [
        "Smith"
    ]
    assert [each["number"] for each in document(games.parent)["unread"]] == [2, 3]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("rich", [True, False])
def test_on_a_terminal(rich: bool, warm: Path, games: Path) -> None:
    """Progress is a bar with rich and lines without; the engine itself analyses these games."""
    import pty

    ours, theirs = pty.openpty()
    hidden = "import sys, importlib.util as u; f = u.find_spec\n"
    hidden += "u.find_spec = lambda n, *a: None if n == 'rich' else f(n, *a)\n"
    code = f"{'' if rich else hidden}from uci.cli.main import main\n"
    code += (
        f"if __name__ == '__main__': sys.exit(main(['analyse', {str(games)!r}, '--nodes', '500']))"
    )
    script = games.parent / "start.py"
    script.write_text(f"import sys\n{code}")
    env = os.environ | {"PYTHONPATH": str(warm), "TERM": "xterm-256color"}
    process = subprocess.Popen([sys.executable, str(script)], env=env, stderr=theirs)
    os.close(theirs)
    parts = []
    with contextlib.suppress(OSError):  # Linux: EIO at the end of a terminal
        while part := os.read(ours, 1 << 16):
            parts.append(part)
    os.close(ours)
    told = b"".join(parts).decode()
    assert process.wait(PATIENCE) == 1
    assert ("━" in told) == rich
    assert "game 2 at byte" in told
    assert "2 analysed" in told
    assert len(read(games.parent / "games.analysed.pgn")) == 2


def test_the_help_names_all(root: Path) -> None:
    text = subprocess.run(
        [*PYTHAGORAS, "analyse", "--help"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    for word in ("--nodes", "--side", "--thresholds", "--json", "--force", "-o"):
        assert word in text


def test_an_encoding_that_is_not_utf_8_is_reported(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "Каспаров Карпов Петросян Ботвинник"
    games.write_bytes(GAMES.replace("Smith", names).encode("cp1251"))
    assert call(games) == 1
    assert "games.pgn: not UTF-8; charset-normalizer detects cp1251" in capsys.readouterr().err
    assert document(games.parent)["games"][0]["headers"]["White"] == names
    games.write_bytes(GAMES.replace("Smith", "Müller").encode("cp1252"))
    assert call(games, "--force", "--quiet") == 1
    assert "cp1252" not in capsys.readouterr().err
