"""``pythagoras verify`` finds and names changed values, and reports what it cannot compare."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.command import call
from helpers.inline_executor import Inline
from helpers.pgn_games import random_game

NOT_COMPUTED = {
    *("headers", "pgn", "offset", "number", "clock", "source_signs", "contradictions"),
    *("result", "errors", "chess960", "unread"),
}
"""Keys whose values come from the source of the games."""

Leaf = tuple[dict[str, Any] | list[Any], str | int, list[str]]
"""An object or a list, the place of a value in it, and the names on the way there."""


def leaves(value: Any, path: list[str]) -> Iterator[Leaf]:
    """Yield the place of each computed number, text and truth value within ``value``."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for place, inner in items:
        names = [*path, place] if isinstance(place, str) else path
        if place in NOT_COMPUTED:
            continue
        if isinstance(inner, dict | list):
            yield from leaves(inner, names)
        elif inner is not None:
            yield value, place, names


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return {"white": "black", "black": "white"}.get(value, value[:-1] + "9")
    return value + 1


@pytest.fixture
def analysis(inline: Inline, tmp_path: Path) -> Path:
    """Return the analysis of two games."""
    dice, path = random.Random(7), tmp_path / "games.pgn"
    path.write_text("\n".join(f"{random_game(dice, plies)}\n" for plies in (12, 11)))
    assert call("analyse", path, "--nodes", 100, "--no-html", "--quiet") == 0
    return tmp_path / "games.analysis.json"


def verify(path: Path, *words: object) -> int:
    return call("verify", path, "--sample", 1000, "--quiet", *words)


def test_what_is_as_it_was(
    inline: Inline, analysis: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    inline.chunks.clear()
    assert call("verify", analysis, "--sample", 2, "--seed", 5) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[0].endswith("2 games; searching 2 of 4 chunks again, seed 5")
    assert err.splitlines()[-1].endswith(" positions): all equal")
    first = inline.chunks.copy()
    assert len(first) == 2
    assert inline.options == {"MultiPV": "2", "Hash": "16", "Threads": "1"}
    assert call("verify", analysis, "--sample", 2, "--seed", 5, "--quiet") == 0
    assert inline.chunks[2:] == first
    assert verify(analysis) == 0
    assert len(inline.chunks) == 8


@pytest.mark.slow
def test_every_change_is_found_and_named(
    analysis: Path, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    text = analysis.read_text()
    count = len([*leaves(json.loads(text)["games"], [])])
    for number in random.Random(seed).sample(range(count), 16):
        document = json.loads(text)
        holder, place, names = [*leaves(document["games"], [])][number]
        before = holder[place]  # type: ignore[index]
        holder[place] = changed(before)  # type: ignore[index]
        analysis.write_text(json.dumps(document))
        status = verify(analysis)
        out, err = capfd.readouterr()
        if status == 2:
            assert "is damaged: " in err, (names, before)
        else:
            assert status == 1, (names, before)
            assert any(f": {name}: recorded " in out for name in names), (names, before, out)
            assert out.startswith("game "), out


def test_a_change_of_what_the_search_found(
    analysis: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = analysis.read_text()
    analysis.write_text(text.replace('"depth": 9', '"depth": 8', 1))
    assert verify(analysis) == 1
    assert ", line 1: depth: recorded 8, computed 9\n" in capfd.readouterr().out
    analysis.write_text(text.replace('"depth": 9', '"depth": 8'))
    assert verify(analysis) == 1
    assert capfd.readouterr().out.splitlines()[-1].endswith(" more differences")


def test_a_long_line_is_shown_from_before_the_difference(
    analysis: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is derived from the moves and searched again: two comparisons, one difference."""
    document = json.loads(analysis.read_text())
    line = document["games"][0]["positions"][5]["lines"][0]
    assert len(line["san"]) > 40
    line["san"] += f" {'x' * 20}"
    analysis.write_text(json.dumps(document))
    assert verify(analysis) == 1
    [said] = capfd.readouterr().out.splitlines()
    recorded, computed = said.split(": recorded ")[1].split(", computed ")
    assert recorded.startswith("...")
    assert recorded == f'{computed[:-1]} {"x" * 20}"'


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"engine": {"name": "Pythagoras", "version": "0.1.0"}}, "does not record its network"),
        ({"limit": {"movetime": 100}}, "searched for 100 ms each"),
        ({"limit": {"depth 1\nquit": 1}}, "its limit 'depth 1"),
        ({"threads": 2}, "2 threads searched each position"),
        ({"threads": None}, "does not record its threads"),
        ({"tables": True}, "tablebases"),
    ],
)
def test_what_cannot_be_compared(
    change: dict[str, Any], why: str, analysis: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    analysis.write_text(json.dumps(json.loads(analysis.read_text()) | change))
    assert verify(analysis) == 3
    out, err = capfd.readouterr()
    assert out == ""
    assert ": cannot compare: " in err
    assert why in err


def test_another_engine(analysis: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(analysis.read_text())
    document["engine"]["network"] = "0123456789ab"
    analysis.write_text(json.dumps(document))
    assert verify(analysis) == 3
    assert "another engine made it: network 0123456789ab, here " in capfd.readouterr().err


def test_files_that_cannot_be_read(
    inline: Inline, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.json"
    for text in "", "{}", '{"schema": 1, "games": []}', '{"schema": "pythagoras scores 9"}':
        path.write_text(text)
        assert verify(path) == 2
        assert f"pythagoras: {str(path)[:40]}" in capfd.readouterr().err
    assert verify(tmp_path / "none") == 2
