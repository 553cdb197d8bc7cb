"""`pythagoras report`: a page of a document, or a line on what is wrong with it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers.documents import document_of, random_games
from uci.cli import parser
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.session import Session

pytest.importorskip("jinja2")


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return document_of(random_games(1, 10), tmp_path, monkeypatch, "--no-html")


def call(*words: object) -> int:
    session = Session(Writer(io.BytesIO()), Loader())
    return parser._run_task(["report", *map(str, words)], session)


def test_a_page(document: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.analysis.json"
    assert call(path) == 0
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "games.html")]
    assert call(path) == 2
    assert call(path, "--force") == 0


@pytest.mark.usefixtures("document")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["."], ".: Is a directory"),
        (["/"], "/: Is a directory"),
        (["games.analysis.json", "-o", "-"], "-: a file is needed, not the standard output"),
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


@pytest.mark.parametrize(
    "damage",
    [
        lambda document: document.update(games=None),
        lambda document: document.update(limit={}),
        lambda document: document.update(engine="x"),
        lambda document: document["scale"].update(thresholds={}),
        lambda document: document["games"][0].update(positions=[]),
        lambda document: document["games"][0]["moves"][3].pop("uci"),
        lambda document: document["games"][0]["moves"][3].update(win=float("inf")),
        lambda document: document["games"][0]["positions"][0].update(fen="9/8 w"),
    ],
)
def test_a_damaged_document(
    damage: Callable[[Any], object], document: Any, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    damage(document)
    Path("a.json").write_text(json.dumps(document))
    assert call("a.json") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pythagoras: a.json is damaged: ")
    assert not Path("a.html").exists()
