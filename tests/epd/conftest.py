"""Fixture: a file of positions."""

from pathlib import Path

import pytest

from helpers.epd_suite import SUITE


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "own.epd"
    path.write_text(SUITE)
    return path
