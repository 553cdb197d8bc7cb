"""The openings of matches: those of our own, and which file a match takes."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import chess
import pytest

from scripts.data import openings
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


def test_openings_are_made(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for _ in range(2):
        assert openings.main(["--count", "3", "--seed", "5"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    made = boards(texts[0])
    assert len(made) == 3
    assert all(one.epd() != two.epd() for one, two in pairwise(made))
    assert all(len(board.piece_map()) > 24 for board in made)


def test_at_fixed_nodes_each_opening_makes_one_pair(capsys: pytest.CaptureFixture[str]) -> None:
    suite = ["one", "two", "three"]
    assert [distinct_pairs(pairs, suite) for pairs in (2, 3)] == [2, 3]
    assert capsys.readouterr().out == ""
    assert distinct_pairs(4, suite) == 3
    assert capsys.readouterr().out.startswith("6 games at most: ")
    assert sorted(shuffled(suite, 1, distinct_pairs(4, suite))) == sorted(suite)
