"""Fixture: a new game against a stand-in for the engine."""

from pathlib import Path

import pytest

from helpers.play_table import PlayTable


@pytest.fixture
def table(tmp_path: Path) -> PlayTable:
    return PlayTable(tmp_path)
