"""A table at which a game begins."""

from pathlib import Path

import pytest

from helpers.play_table import PlayTable


@pytest.fixture
def table(tmp_path: Path) -> PlayTable:
    return PlayTable(tmp_path)
