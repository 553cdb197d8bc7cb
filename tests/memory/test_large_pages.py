"""Memory: zeroed, on large pages, and an error if there is too little."""

import mmap
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.memory.large_pages import LARGE_PAGE, allocate
from engine.memory.records import address_of, new_record
from helpers.client import Process

PAGEMAP = Path("/proc/self/pagemap")


@pytest.mark.parametrize("size", [1, 4096, LARGE_PAGE, LARGE_PAGE + 64])
def test_memory_is_zeroed_and_begins_where_a_page_does(size: int) -> None:
    memory = allocate(size)
    assert memory.shape == (size,)
    assert memory.dtype == np.uint8
    assert memory.ctypes.data % LARGE_PAGE == 0
    assert not memory.any()
    memory[:] = 255
    assert not allocate(size).any()


@pytest.mark.skipif(not PAGEMAP.exists(), reason="asks /proc")
def test_the_rest_takes_no_large_page() -> None:
    memory = allocate(2 * LARGE_PAGE - mmap.PAGESIZE)
    memory[LARGE_PAGE] = 1
    rest = memory.ctypes.data + LARGE_PAGE
    assert _in_memory(rest, rest + LARGE_PAGE - mmap.PAGESIZE) == mmap.PAGESIZE


def _in_memory(start: int, end: int) -> int:
    """Return how many bytes of the pages from ``start`` to ``end`` are resident in memory."""
    first, last = start // mmap.PAGESIZE, end // mmap.PAGESIZE
    with PAGEMAP.open("rb") as pages:
        pages.seek(8 * first)
        words = np.frombuffer(pages.read(8 * (last - first)), dtype=np.uint64)
    return mmap.PAGESIZE * int((words >> 63).sum())


@pytest.mark.parametrize("size", [1 << 60, 1 << 70])
def test_too_much_is_a_memory_error(size: int) -> None:
    with pytest.raises(MemoryError, match="not enough memory"):
        allocate(size)


@pytest.mark.parametrize("size", [8, 1000, LARGE_PAGE // 2, LARGE_PAGE // 2 + 64, 2 * LARGE_PAGE])
def test_records_of_any_size_begin_on_a_cache_line(size: int) -> None:
    record = new_record(np.dtype([("words", np.int64, (size // 8,))]))
    assert address_of(record) % 64 == 0
    assert not record.words.any()
    record.words[:] = -1
    assert (record.words == -1).all()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prlimit and /proc")
def test_an_engine_that_may_not_have_more(living: Process) -> None:
    import resource

    held = Path(f"/proc/{living.popen.pid}/statm").read_text().split()[0]
    limit = int(held) * mmap.PAGESIZE + (300 << 20)
    resource.prlimit(living.popen.pid, resource.RLIMIT_AS, (limit, limit))
    for name, value, said in (
        ("Threads", 512, r"could not start 512 threads; using \d+"),
        ("Hash", 4096, "not enough memory for Hash=4096 MiB; using 16 MiB"),
    ):
        wanted = f"setoption name {name} value {value}"
        for command, told in ((wanted, ["info string " + said]), ("ucinewgame", []), ("d", [])):
            lines = living.say(command, "go depth 5").until("bestmove")
            heard = [line for line in lines if line.startswith("info string")]
            assert len(heard) == len(told)
            assert all(map(re.fullmatch, told, heard)), heard
            assert lines[-1] != "bestmove (none)"
    for freed in ("setoption name Threads value 1", "setoption name Hash value 32"):
        lines = living.say(freed, "go depth 5").until("bestmove")
        assert not [line for line in lines if line.startswith("info string")]
