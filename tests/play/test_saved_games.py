"""Games in files: saved, loaded, saved again after each move, resumed, and never lost."""

import errno
import io
import json
import os
from pathlib import Path

import chess
import chess.pgn
import pytest

from helpers.play_table import BLITZ, FOOLS_MATE, PlayTable
from uci.apps.play import saved_games
from uci.apps.play.play_settings import Level, PlaySettings


def test_save_and_load(table: PlayTable, tmp_path: Path) -> None:
    file = tmp_path / "mine.pgn"
    table.play("e4", "e7e5", "Nf3", "b8c6")
    assert table.enter(f"save {file}") == f"Appended to {file}."
    table.enter("new")
    assert "Pythagoras 0" in table.enter(f"load {file}")
    assert table.controller.game.sans == ["e4", "e5", "Nf3", "Nc6"]
    assert table.controller.turn_of_person
    assert "could not read" in table.enter(f"load {tmp_path / 'none.pgn'}")
    assert "could not write" in table.enter(f"save {tmp_path}")
    assert "save: expected save" in table.enter("save")
    assert table.controller.game.sans == ["e4", "e5", "Nf3", "Nc6"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\r\n\r\n"])
def test_a_game_is_added_behind_an_empty_line(table: PlayTable, tmp_path: Path, end: str) -> None:
    file = tmp_path / "mine.pgn"
    before = f'[Event "A"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0{end}'.encode()
    file.write_bytes(before)
    table.play("d4", "d7d5")
    table.enter(f"save {file}")
    added = file.read_bytes().removeprefix(before)
    assert added.lstrip(b"\n").startswith(b'[Event "Game in a terminal"]')
    assert (end.replace("\r", "").encode() + added).startswith(b"\n\n[")
    with file.open(encoding="utf-8") as stream:
        games = [chess.pgn.read_game(stream) for _ in range(3)]
    assert [len(list(game.mainline())) for game in games if game] == [3, 2]


def test_a_loaded_game_that_is_over_is_nobody_s(table: PlayTable, tmp_path: Path) -> None:
    file = tmp_path / "mate.pgn"
    file.write_text('[White "A\x1b[2J"]\n[Black "B"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    said = table.enter(f"load {file}")
    assert "The game is over: 0-1, checkmate" in said
    assert "A [2J – B" in said
    assert "won" not in said
    assert not list(tmp_path.glob("games/*"))
    table.enter("undo")
    assert table.controller.game.sans == ["f3", "e5"]


def test_a_game_is_kept_after_each_move(table: PlayTable, tmp_path: Path) -> None:
    path = tmp_path / "unfinished-1.json"
    assert not path.exists()
    table.play("e4")
    assert json.loads(path.read_text())["moves"] == ["e2e4"]
    table.play("e7e5")
    assert json.loads(path.read_text())["moves"] == ["e2e4", "e7e5"]
    table.enter("undo")
    assert not path.exists()


def test_the_next_command_goes_on(tmp_path: Path) -> None:
    first = PlayTable(tmp_path, PlaySettings(side="black", level=Level.parse("level", "1500")))
    first.play("e2e4", "e5", "g1f3", "Nc6", "f1b5")
    assert first.leave()
    second = PlayTable(tmp_path)
    assert second.heard == [
        "A game of 3 moves with black against level 1500 is not finished. Resume it? [Y/n]"
    ]
    assert "yes or no" in second.enter("e4")
    assert not second.engine.asked
    second.enter("")
    assert second.controller.turn_of_person
    assert second.controller.flipped
    second.enter("a6")
    assert second.engine.asked[-1][0] == "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"
    assert "UCI_Elo = 1500" in second.engine.said


def test_whoever_declines_loses_nothing(tmp_path: Path) -> None:
    first = PlayTable(tmp_path)
    first.play("e4", "e7e5")
    first.leave()
    second = PlayTable(tmp_path)
    second.enter("n")
    (file,) = (tmp_path / "games").iterdir()
    assert "1. e4 e5 *" in file.read_text()
    assert second.controller.game.moves == []
    assert second.controller.turn_of_person


def test_leaving_at_the_question_keeps_the_game(tmp_path: Path) -> None:
    first = PlayTable(tmp_path)
    first.play("e4", "e7e5")
    first.leave()
    second = PlayTable(tmp_path)
    second.enter("quit")
    assert second.repl.wants_to_quit
    assert second.leave()
    assert "A game of 1 move with white" in PlayTable(tmp_path).heard[0]


def test_two_tables_keep_two_games(tmp_path: Path) -> None:
    one, two = PlayTable(tmp_path), PlayTable(tmp_path)
    one.play("e4")
    two.play("d4")
    kept = [json.loads(path.read_text())["moves"] for path in tmp_path.glob("*.json")]
    assert sorted(kept) == [["d2d4"], ["e2e4"]]
    two.leave()
    one.play("e7e5")
    one.controller.resign()
    one.leave()
    assert "A game of 1 move with white" in PlayTable(tmp_path).heard[0], "whatever its place"


def test_a_game_keeps_the_day_it_began(tmp_path: Path) -> None:
    first = PlayTable(tmp_path)
    first.play("e4", "e7e5")
    first.leave()
    (path,) = tmp_path.glob("*.json")
    kept = json.loads(path.read_text())
    assert kept["began"]
    path.write_text(json.dumps(kept | {"began": "2026-11-01T23:30:00"}))
    second = PlayTable(tmp_path)
    second.enter("y")
    second.play("d4")
    assert '[Date "2026.11.01"]' in second.controller.pgn()
    assert json.loads(path.read_text())["began"] == "2026-11-01T23:30:00"


def test_a_damaged_file_gets_a_line_and_a_new_game(tmp_path: Path) -> None:
    path = tmp_path / "unfinished-1.json"
    for text in ("", "{", "[]", "null", '{"version": 1}', '{"version": 2}', "[" * 100_000, "\0"):
        path.write_text(text)
        table = PlayTable(tmp_path)
        assert table.heard[0].startswith("the saved game is damaged (")
        assert "\n" not in table.heard[0]
        assert path.with_suffix(".damaged").read_text() == text
        assert table.controller.turn_of_person
        table.leave()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", "nonsense"), ("start", 5), ("moves", ["e2e5"]), ("moves", [5]), ("moves", None),
        ("side", "green"), ("level", ["level", "9"]), ("level", []), ("level", ["x", "full"]),
        ("began", "today"), ("began", 5),
        ("control", "x"), ("control", "5+3"), ("times", [1]), ("times", [1, -1]),
        ("times", ["1", "1"]), ("chess960", None), ("more", 1),
    ],
)  # fmt: skip
def test_a_changed_file_is_damaged_or_harmless(tmp_path: Path, name: str, value: object) -> None:
    first = PlayTable(tmp_path, BLITZ)
    first.play("e4", "e7e5")
    first.leave()
    path = tmp_path / "unfinished-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    table = PlayTable(tmp_path)
    if table.repl.is_asking:
        table.enter("y")
    assert table.controller.turn_of_person


def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    table = PlayTable(tmp_path / "file" / "folder")
    assert len([line for line in table.heard if "Could not save" in line]) == 1
    table.play("e4", "e7e5")
    assert not table.leave()
    nowhere = PlayTable(None)
    assert "no home folder" in nowhere.heard[0]
    nowhere.play(*FOOLS_MATE)
    assert nowhere.heard[-1] == "I won: 0-1, checkmate."


def test_a_disk_that_is_full_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    table = PlayTable(tmp_path)
    table.play("e4", "e7e5")
    kept = tmp_path / "unfinished-1.json"
    with monkeypatch.context() as patch:
        patch.setattr(saved_games, "replace_file", replace)
        table.play("Nf3", "b8c6")
    assert len([line for line in table.heard if "Could not save" in line]) == 1
    table.play("Bc4")
    assert len(json.loads(kept.read_text())["moves"]) == 5
    table.enter("resign", "y")
    assert not kept.exists()


def test_two_games_that_end_in_the_same_second(tmp_path: Path) -> None:
    files = PlayTable(tmp_path).files
    assert len({files.add_finished("1-0\n") for _ in range(5)} - {""}) == 5


def test_the_clocks_stand_in_the_game(tmp_path: Path) -> None:
    """The game's clocks are saved, also after a pause, without those not measured."""
    first = PlayTable(tmp_path, BLITZ)
    first.play("e4", "e7e5")
    first.clock.advance(10)
    first.play("Nf3")
    first.clock.advance(5)
    first.play("b8c6")
    assert first.leave()
    second = PlayTable(tmp_path)
    second.enter("")
    second.clock.advance(60)
    second.repl.tick()
    game = chess.pgn.read_game(io.StringIO(second.pgn))
    assert game is not None
    assert [node.clock() for node in game.mainline()] == [60, 60, 52, 57]
    assert game.headers["Termination"] == "time forfeit"
    assert game.end().comment.startswith("white's time is up")


@pytest.mark.parametrize("left", [[1], [-1.0, 2.0], ["x", 1], [1e400, 1]])
def test_times_that_cannot_be(tmp_path: Path, left: list[object]) -> None:
    table = PlayTable(tmp_path, BLITZ)
    table.play("e4", "e7e5")
    table.leave()
    path = tmp_path / "unfinished-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"left": left}))
    said = PlayTable(tmp_path).heard[0]
    assert ("Resume it?" if left == [1] else "the saved game is damaged") in said
