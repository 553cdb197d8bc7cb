"""Memory: zeroed, on large pages, and an error where there is none."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.memory import LARGE_PAGE, allocate
from engine.records import address_of, new_record


@pytest.mark.parametrize("size", [1, 4096, LARGE_PAGE, LARGE_PAGE + 64])
def test_memory_is_zeroed_and_begins_where_a_page_does(size: int) -> None:
    memory = allocate(size)
    assert memory.shape == (size,)
    assert memory.dtype == np.uint8
    assert memory.ctypes.data % LARGE_PAGE == 0
    assert not memory.any()
    memory[:] = 255
    assert not allocate(size).any()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_the_rest_takes_no_large_page() -> None:
    size = LARGE_PAGE + 4096
    memory = allocate(size)
    memory[:] = 1
    assert size <= _resident(memory.ctypes.data, size) < size + LARGE_PAGE // 2


def _resident(address: int, size: int) -> int:
    """Return the bytes in memory of the mappings that ``size`` bytes lie in."""
    total = 0
    mappings = Path("/proc/self/smaps").read_text(encoding="utf-8")
    for mapping in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", mappings)[1:]:
        start, end = (int(word, 16) for word in mapping.split(" ", 1)[0].split("-"))
        if start < address + size and address < end:
            (kilobytes,) = re.findall(r"(?m)^Rss: +(\d+) kB$", mapping)
            total += 1024 * int(kilobytes)
    return total


@pytest.mark.parametrize("size", [1 << 60, 1 << 70])
def test_too_much_is_a_memory_error(size: int) -> None:
    with pytest.raises(MemoryError, match="no memory"):
        allocate(size)


@pytest.mark.parametrize("size", [8, 1000, LARGE_PAGE // 2, LARGE_PAGE // 2 + 64, 2 * LARGE_PAGE])
def test_records_of_any_size_begin_on_a_cache_line(size: int) -> None:
    record = new_record(np.dtype([("words", np.int64, size // 8)]))
    assert address_of(record) % 64 == 0
    assert not record.words.any()
    record.words[:] = -1
    assert (record.words == -1).all()
