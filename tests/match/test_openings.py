"""The openings of matches: those of our own, and which file a match takes."""

from collections import Counter
from pathlib import Path

import chess
import pytest

from scripts.data import openings
from scripts.data.engine import Engine
from scripts.match import arena, runner
from scripts.match.openings import distinct_pairs, shuffled


def boards(text: str) -> list[chess.Board]:
    return [chess.Board.from_epd(line)[0] for line in text.splitlines()]


def test_our_openings() -> None:
    found = boards(runner.OUR_OPENINGS.read_text(encoding="utf-8"))
    assert len(found) == len({board.epd() for board in found}) == 1000
    for board in found:
        assert board.is_valid()
        assert not board.is_check()
        assert any(board.legal_moves)
    assert 400 <= Counter(board.turn for board in found)[chess.WHITE] <= 600


def test_they_say_how_they_were_made() -> None:
    first, _, rest = runner.OUR_OPENINGS.read_text(encoding="utf-8").partition("\n")
    _, operations = chess.Board.from_epd(first)
    assert str(operations["c0"]).startswith("Made by scripts/data/openings.py, seed 1")
    assert " c0 " not in rest


def test_the_arena_reads_them() -> None:
    fens = arena.read_openings(runner.OUR_OPENINGS)
    assert len(fens) == 1000
    assert all(chess.Board(fen).is_valid() for fen in fens)


def test_the_shared_openings_are_the_default_where_they_exist(tmp_path: Path) -> None:
    shared = tmp_path / "openings.epd"
    assert runner.default_openings(shared) == runner.OUR_OPENINGS
    shared.touch()
    assert runner.default_openings(shared) == shared
    assert runner.default_openings() == runner.OPENINGS
    assert runner.OPENINGS.is_file()


def made(file: Path, *words: str, count: int = 5) -> str:
    options = ["--seed", "5", "--nodes", "4000", "--count", str(count)]
    assert openings.main([str(file), *options, *words]) == 0
    return file.read_text(encoding="utf-8")


def test_openings_are_made(tmp_path: Path) -> None:
    text = made(tmp_path / "one.epd")
    assert text == made(tmp_path / "two.epd", "--threads", "3")
    found = boards(text)
    assert len(found) == len({board.epd() for board in found}) == 5
    assert all(len(board.piece_map()) > 24 for board in found)


@pytest.mark.parametrize(("lower", "upper"), [(-60, 60), (90, 130)])
def test_white_s_score_is_in_the_range(tmp_path: Path, lower: int, upper: int) -> None:
    found = boards(made(tmp_path / "a.epd", "--from", str(lower), "--to", str(upper), count=8))
    assert len({board.turn for board in found}) == 2
    engine = Engine()
    for board in found:
        engine.clear()
        score = engine.search(board, nodes=4000)[1]
        assert lower <= (score if board.turn else -score) <= upper


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.epd", count=4)
    part = tmp_path / "part.epd"
    lines = whole.splitlines(keepends=True)
    for rest in (whole, lines[0] + lines[1][:-1], lines[0], whole + lines[0][:20]):
        part.write_text(rest, encoding="utf-8")
        assert made(part, count=4) == whole
    assert made(part, count=2) == whole
    assert made(part, count=6).startswith(whole)


def test_candidates_that_come_twice_are_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = openings.Choice.candidate
    monkeypatch.setattr(
        openings.Choice, "candidate", lambda self, number: candidate(self, number // 3)
    )
    lines = made(tmp_path / "a.epd", count=3).splitlines()
    assert len({line.partition(" id ")[0] for line in lines}) == 3
    assert made(tmp_path / "a.epd", count=4).splitlines()[:3] == lines
    assert len({board.epd() for board in boards(made(tmp_path / "a.epd", count=4))}) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a line without an end", ()),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n", ()),
        ("", ("--from", "-50")),
        ("", ("--nodes", "5000")),
        ("", ("--seed", "6")),
    ],
)
def test_a_file_of_other_openings_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: tuple[str, ...]
) -> None:
    file = tmp_path / "a.epd"
    file.write_text(text, encoding="utf-8")
    text = text or made(file, count=1)
    options = ["--seed", "5", "--nodes", "4000", "--count", "2"]
    assert openings.main([str(file), *options, *words]) == 2
    assert "is not a file of these openings: Made by " in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("ends", [("61", "60"), ("0", "32000"), ("-32000", "0")])
def test_a_range_is_in_order_and_without_mates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ends: tuple[str, str]
) -> None:
    with pytest.raises(SystemExit):
        openings.main([str(tmp_path / "a.epd"), "--from", ends[0], "--to", ends[1]])
    assert "--from must not exceed --to" in capsys.readouterr().err


def test_at_fixed_nodes_each_opening_makes_one_pair(capsys: pytest.CaptureFixture[str]) -> None:
    suite = ["one", "two", "three"]
    assert [distinct_pairs(pairs, suite) for pairs in (2, 3)] == [2, 3]
    assert capsys.readouterr().out == ""
    assert distinct_pairs(4, suite) == 3
    assert capsys.readouterr().out.startswith("6 games at most: ")
    assert sorted(shuffled(suite, 1, distinct_pairs(4, suite))) == sorted(suite)
