"""The saved games of a match: which count, which are played again, and that none is lost."""

from pathlib import Path

import chess
import pytest

from helpers.pgn import pgn
from scripts.match.builds import MatchError
from scripts.match.kept_games import open_match, resume, split_games
from scripts.match.pgn import OUR_NAME

A, B, C = (f"4k3/8/8/8/8/8/{pawn}/4K3 w - - 0 1" for pawn in ("P7", "1P6", "2P5"))


def pair(fen: str, first: str = "1-0", second: str = "1/2-1/2") -> list[str]:
    """Return both games of an opening, with their results."""
    return [
        pgn(OUR_NAME, "toga2", first, fen=fen, moves="1. Kd2 Kd7"),
        pgn("toga2", OUR_NAME, second, fen=fen, moves="1. Ke2 Ke7"),
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.pgn"


def test_nothing_was_played(path: Path) -> None:
    assert resume(path, [A, B], OUR_NAME) == ([], [A, B])
    assert not path.exists()


def test_pairs_count_whatever_their_order(path: Path) -> None:
    (one, other), later = pair(A), pair(C, "0-1", "0-1")
    path.write_text(other + later[0] + one + later[1])
    assert resume(path, [A, B, C], OUR_NAME) == ([(1.0, 0.5), (0.0, 1.0)], [B])
    assert [text for _, text in split_games(path)] == [one, other, *later]


def test_a_game_without_its_other_half_is_played_again(path: Path) -> None:
    path.write_text("".join(pair(A)) + pair(B)[0])
    assert resume(path, [A, B], OUR_NAME) == ([(1.0, 0.5)], [B])
    assert [text for _, text in split_games(path)] == pair(A)


@pytest.mark.parametrize("cut", range(3, 60, 4))
def test_a_file_that_was_cut_off(path: Path, cut: int) -> None:
    path.write_text("".join(pair(A)) + "".join(pair(B))[:-cut])
    assert resume(path, [A, B], OUR_NAME) == ([(1.0, 0.5)], [B])
    assert resume(path, [A, B], OUR_NAME) == ([(1.0, 0.5)], [B])


def test_a_game_that_was_stopped(path: Path) -> None:
    path.write_text(pair(A)[0] + pgn("toga2", OUR_NAME, "*", "unterminated", fen=A))
    assert resume(path, [A], OUR_NAME) == ([], [A])


def test_an_opening_may_come_twice(path: Path) -> None:
    path.write_text("".join(pair(A)))
    assert resume(path, [A, B, A], OUR_NAME) == ([(1.0, 0.5)], [B, A])


def test_a_shorter_match_loses_no_games(path: Path) -> None:
    path.write_text("".join(pair(A) + pair(B)))
    assert resume(path, [B], OUR_NAME) == ([(1.0, 0.5)] * 2, [])
    assert resume(path, [A, B, C], OUR_NAME) == ([(1.0, 0.5)] * 2, [C])


def test_managers_write_positions_in_their_own_way(path: Path) -> None:
    start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
    path.write_text("".join(pair(start.replace("e3", "-").replace("0 1", "0 12"))))
    assert resume(path, [start], OUR_NAME)[1] == []
    path.write_text("".join(pair("")))
    assert resume(path, [chess.STARTING_FEN], OUR_NAME)[1] == []


def test_other_options_for_the_same_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "match"
    open_match(folder, "facts.json", ["a", 1])
    open_match(folder, "facts.json", ["a", 1])
    with pytest.raises(MatchError, match="has a match with other options"):
        open_match(folder, "facts.json", ["a", 2])


@pytest.mark.parametrize("text", [b"", b'["a"', b"\xff"])
def test_damaged_facts_of_a_match(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_bytes(text)
    with pytest.raises(MatchError, match="is damaged"):
        open_match(tmp_path, "facts.json", ["a", 1])
    assert (tmp_path / "facts.json").read_bytes() == text


def test_the_facts_of_a_match_are_written_once_and_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Path, target: Path) -> None:
        raise OSError("the disk is full")

    open_match(tmp_path / "old", "facts.json", ["a", 1])
    monkeypatch.setattr(Path, "replace", fails)
    open_match(tmp_path / "old", "facts.json", ["a", 1])
    with pytest.raises(OSError, match="the disk is full"):
        open_match(tmp_path / "new", "facts.json", ["a", 1])
    assert not list((tmp_path / "new").iterdir())
