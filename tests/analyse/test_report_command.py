"""`pythagoras report`: an HTML report of a document, or one line about the document's fault."""

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from helpers import command
from helpers.documents import document_of, random_games
from uci.apps.games.analysis_document import (
    AnalysisHead,
    document_end,
    document_start,
    game_text,
    read_document,
)

pytest.importorskip("jinja2")


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    document_of(random_games(1, 10), tmp_path, monkeypatch, "--no-html")
    return tmp_path / "games.analysis.json"


def call(*words: object) -> int:
    return command.call("report", *words)


def test_a_page(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(document) == 0
    assert capsys.readouterr().out.splitlines() == [str(document.with_name("games.html"))]
    assert call(document) == 2
    assert call(document, "--force") == 0


@pytest.mark.usefixtures("document")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["."], ".: Is a directory"),
        (["/"], "/: Is a directory"),
        (
            ["games.analysis.json", "-o", "-"],
            "-: expected a file name; standard output is not supported here",
        ),
        (["games.analysis.json", "-o", ".", "--force"], ".: not a regular file"),
    ],
)
def test_what_is_no_file(
    words: list[str], told: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert call(*words) == 2
    assert capsys.readouterr() == ("", f"pythagoras: {told}\n")


DAMAGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda one: one.update(games=None), "games must be a list, not null"),
    (lambda one: one.update(games=[3]), "games[0] must be an object, not 3"),
    (lambda one: one.update(limit={}), "limit has no number"),
    (lambda one: one.update(engine="x"), 'engine must be an object, not "x"'),
    (lambda one: one["scale"].update(thresholds={}), "scale.thresholds.inaccuracy is missing"),
    (lambda one: one["games"][0].update(positions=[]), "games[0] has 0 positions for 10 moves"),
    (lambda one: one["games"][0].pop("positions"), "games[0].positions is missing"),
    (lambda one: one["games"][0].update(pgn=None), "games[0].pgn must be text, not null"),
    (
        lambda one: one["games"][0].update(offset=1.5),
        "games[0].offset must be a whole number, not 1.5",
    ),
    (
        lambda one: one["games"][0].update(chess960=0),
        "games[0].chess960 must be true or false, not 0",
    ),
    (
        lambda one: one["games"][0]["headers"].update(Site=3),
        "games[0].headers.Site must be text, not 3",
    ),
    (
        lambda one: one["games"][0]["phases"].update(endgame=99),
        "games[0].phases.endgame must be 0 to 10, not 99",
    ),
    (lambda one: one["games"][0]["moves"][3].pop("uci"), "games[0].moves[3].uci is missing"),
    (
        lambda one: one["games"][0]["moves"][3].update(ply=5),
        "games[0].moves[3].ply must be 4, not 5",
    ),
    (
        lambda one: one["games"][0]["moves"][3].update(win=float("inf")),
        "games[0].moves[3].win must be a number, not Infinity",
    ),
    (
        lambda one: one["games"][0]["moves"][3].update(verdict="poor"),
        'games[0].moves[3].verdict must be "inaccuracy" or "mistake" or "blunder", not "poor"',
    ),
    (
        lambda one: one["games"][0]["positions"][0].update(fen="9/8 w"),
        "games[0].positions[0].fen is not a valid FEN: 9/8 w",
    ),
    (
        lambda one: one["games"][0]["positions"][2]["lines"][0].pop("cp"),
        "games[0].positions[2]: a line has neither cp nor mate",
    ),
    (lambda one: one["games"][0]["moves"][0].update(uci="e2e5"), "game 1: illegal uci: 'e2e5' in "),
]


@pytest.mark.slow
@pytest.mark.parametrize(("damage", "told"), DAMAGES)
def test_a_damaged_document(
    damage: Callable[[Any], object], told: str, document: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(document.parent)
    found = json.loads(document.read_text(encoding="utf-8"))
    damage(found)
    Path("a.json").write_text(json.dumps(found))
    assert call("a.json") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"pythagoras: a.json is damaged: {told}")
    assert not Path("a.html").exists()


def test_a_document_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every JSON key is read, and unknown ones are ignored."""
    written = document_of(random_games(3), tmp_path, monkeypatch, "--no-html")
    path = tmp_path / "games.analysis.json"
    assert written.hash
    assert written.threads
    head = AnalysisHead(**{each.name: getattr(written, each.name) for each in fields(AnalysisHead)})
    text = document_start(head)
    text += "".join(game_text(game, first=not at) for at, game in enumerate(written.games))
    resources = {"hash": written.hash, "threads": written.threads}
    assert text + document_end(resources, written.unread) == path.read_text(encoding="utf-8")
    found = json.loads(path.read_text(encoding="utf-8"))
    found["new"] = found["games"][0]["new"] = found["games"][0]["moves"][0]["new"] = 1
    path.write_text(json.dumps(found))
    assert read_document(path) == written


def test_a_document_of_the_first_version_is_read(
    document: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has no keys that were added later; its result is that of the PGN tag."""
    found = json.loads(document.read_text(encoding="utf-8"))
    for each in (found, found["scale"]):
        for name in ("hash", "threads", "numbers", "centipawns"):
            each.pop(name, None)
    (game,) = found["games"]
    for name in ("result", "contradictions", "errors"):
        del game[name]
    for move in game["moves"]:
        del move["clock"], move["source_signs"]
    document.write_text(json.dumps(found))
    (read,) = read_document(document).games
    assert read.result == game["headers"]["Result"] != "*"
    assert call(document, "--force") == 0
    assert capsys.readouterr().out
