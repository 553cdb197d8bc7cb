"""The file descriptors of this process, where the system lists them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_LISTED = Path("/proc/self/fd")


@contextmanager
def descriptors_stay() -> Iterator[None]:
    """Assert that no file opened inside stays open; skip if the system lists no descriptors."""
    if not _LISTED.exists():
        pytest.skip("the system lists no descriptors")
    before = _opened()
    yield
    gc.collect()
    assert _opened() == before


def _opened() -> dict[int, Path]:
    """Return the files that are open, by their descriptors."""
    found = {}
    for link in _LISTED.iterdir():
        try:
            found[int(link.name)] = link.readlink()
        except FileNotFoundError:  # the descriptor of this listing
            continue
    return found
