"""Syzygy tables."""

from collections.abc import Iterator

import pytest

from helpers.syzygy import FOLDER
from uci.chess_io.syzygy import Tables, open_tables


@pytest.fixture(scope="module")
def tables() -> Iterator[Tables]:
    found = open_tables(FOLDER)
    yield found
    found.close()
