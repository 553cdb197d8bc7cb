"""The openings of matches: our own files, and the file that a match uses."""

from collections import Counter
from pathlib import Path

import chess
import pytest

from scripts.data import openings
from scripts.match import arena, runner
from scripts.match.openings import distinct_pairs, shuffled


def boards(text: str) -> list[chess.Board]:
    return [chess.Board.from_epd(line)[0] for line in text.splitlines()]


OUR_FILES = [
    pytest.param(runner.OPENINGS, 10_000, "-60 to +60", id="balanced"),
    pytest.param(
        runner.OPENINGS.with_name("unbalanced_2000.epd"), 2000, "+90 to +130", id="unbalanced"
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "count", "scores"), OUR_FILES)
def test_our_openings(file: Path, count: int, scores: str) -> None:
    """Our openings are distinct, and none is in check or a finished game."""
    fens = arena.read_openings(file)
    assert len(fens) == len(set(fens)) == count
    found = [chess.Board(fen) for fen in fens]
    assert not any(board.is_check() for board in found)
    turns = Counter(board.turn for board in found)
    assert min(turns.values()) >= count / 20
    first, _, rest = file.read_text(encoding="utf-8").partition("\n")
    comment = str(chess.Board.from_epd(first)[1]["c0"])
    assert comment.startswith("Made by scripts/data/openings.py of version ")
    assert comment.endswith(f": seed 1, White's score {scores} centipawns at 100000 nodes")
    assert " c0 " not in rest


def test_they_are_in_the_order_of_their_numbers() -> None:
    """Openings are in the order of their numbers, without doubles, in a resumed file too."""
    for file, *_ in (each.values for each in OUR_FILES):
        lines = file.read_text(encoding="utf-8").splitlines()
        numbers = [int(chess.Board.from_epd(line)[1]["id"]) for line in lines]
        assert numbers == sorted(set(numbers))
        for line, number in list(zip(lines, numbers, strict=True))[:: len(lines) // 20]:
            board = openings.Choice(1, 0, 0, 0).candidate(number)
            assert board is not None
            assert line.startswith(f"{board.epd()} id ")


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


@pytest.mark.slow
@pytest.mark.parametrize(("lower", "upper", "count"), [(-60, 60, 8), (90, 130, 3)])
def test_white_s_score_is_in_the_range(tmp_path: Path, lower: int, upper: int, count: int) -> None:
    found = boards(made(tmp_path / "a.epd", "--from", str(lower), "--to", str(upper), count=count))
    assert len(found) == count
    assert len({board.turn for board in found}) == 2 or lower > 0
    searcher = openings.new_searcher()
    for board in found:
        assert lower <= openings.score_of(searcher, board, 4000) <= upper


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
    assert "was not created with these settings: Made by " in capsys.readouterr().err
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
    assert capsys.readouterr().out.startswith("playing 6 games: ")
    assert sorted(shuffled(suite, 1, distinct_pairs(4, suite))) == sorted(suite)
