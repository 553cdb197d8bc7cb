"""Fixtures: games in a file, and made-up analyses of them."""

from pathlib import Path

import pytest

from helpers.inline_executor import Inline, inline_executor
from helpers.three_games import GAMES


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Inline:
    return inline_executor(monkeypatch)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    return path
