"""Records are aligned to cache lines."""

import numpy as np
import pytest

from engine.board.position import POSITION
from engine.memory.records import address_of, array_of, new_record, word_of
from engine.search.thread import THREAD, new_thread


@pytest.mark.interpreted
@pytest.mark.parametrize("dtype", [POSITION, THREAD, np.dtype([("word", np.int64)])])
def test_a_record_begins_on_a_cache_line(dtype: np.dtype) -> None:
    assert all(address_of(new_record(dtype)) % 64 == 0 for _ in range(20))


def test_so_do_the_rows_of_the_network() -> None:
    th = new_thread()
    assert th.accumulator.ctypes.data % 64 == th.weights.ctypes.data % 64 == 0


def test_arrays_are_the_record_itself() -> None:
    record = new_record(np.dtype([("first", np.int32), ("word", np.int64)], align=True))
    array, word = array_of(record), word_of(record, "word")
    record.word = 5
    assert word[0] == array[0].word == 5
    array[0].word = 6
    assert record.word == word[0] == 6
    word[0] = 7
    assert record.word == 7
