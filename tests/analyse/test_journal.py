"""The journal of analysed games: each is saved completely or not at all, and found by its moves."""

from pathlib import Path

import pytest

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.journal import Journal, key_of, replace_file
from uci.protocol.scored_line import ScoredLine

LOOKS = [
    PositionAnalysis(
        (
            ScoredLine(9, 31, None, "", ("e2e4", "e7e5"), 1, 12, 1000, 7, 3, 0, (200, 700, 100)),
            ScoredLine(9, None, -4, "", ("d2d4",), 2),
        )
    ),
    PositionAnalysis((ScoredLine(0, None, 0, "", ()),)),
]


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    assert journal.read("a") is None
    assert len(journal) == 0
    journal.keep("a", LOOKS)
    journal.keep("b", LOOKS[1:])
    assert journal.read("a") == LOOKS
    assert journal.read("b") == LOOKS[1:]
    assert len(journal) == 2
    assert journal.keys() == {"a", "b"}


@pytest.mark.parametrize(
    "text", ["", "{", "[[1]]", "[[{}]]", '{"a": 1}', "[1]", '[[{"pv": [], "wdl": null, "x": 1}]]']
)
def test_a_damaged_record_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    assert Journal(tmp_path).read("a") is None


def test_the_key_is_of_start_moves_and_settings() -> None:
    keys = {
        key_of("start", ["e2e4"], "nodes 5"),
        key_of("start", ["e2e4", "e7e5"], "nodes 5"),
        key_of("other", ["e2e4"], "nodes 5"),
        key_of("start", ["e2e4"], "nodes 6"),
    }
    assert len(keys) == 4
    assert key_of("start", ["e2e4"], "nodes 5") in keys


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    replace_file(path, b"old")

    def fail(descriptor: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
