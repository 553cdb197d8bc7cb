"""Indices out of bounds in kernels raise an error in the test pass that checks them.

Negative indices count as well, although Python and numba count these from the end.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.jit.kernel import COMPILED, kernel, linked
from engine.memory.records import new_record
from helpers.entries import entry

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]
CHECKED = bool(os.environ.get("NUMBA_BOUNDSCHECK"))
ROW, COLUMNS = 5, 3
RECORD = np.dtype(
    [("before", np.int64, 8), ("row", np.int64, ROW), ("grid", np.int64, (ROW, COLUMNS)),
     ("words", np.uint16, (ROW,)), ("parts", [("inner", np.int64, ROW)], (ROW,))]
)  # fmt: skip
TABLE = np.arange(ROW)


@entry(RECORD, np.int64)
def read_row(record: Any, index: Any) -> Any:
    return record.row[index]


@entry(RECORD, np.int64)
def write_row(record: Any, index: Any) -> Any:
    record.row[index] = 1
    return 1


@entry(RECORD, np.int64)
def read_grid(record: Any, index: Any) -> Any:
    return record.grid[index, 0]


@entry(RECORD, np.int64)
def write_grid(record: Any, index: Any) -> Any:
    record.grid[index, 1] += 1
    return 1


@entry(RECORD, np.int64)
def read_word(record: Any, index: Any) -> Any:
    return record.words[index]


@entry(RECORD, np.int64)
def read_inner(record: Any, index: Any) -> Any:
    return record.parts[0].inner[index]


@entry(RECORD, np.int64)
def read_part(record: Any, index: Any) -> Any:
    return record.parts[index].inner[0]


@entry(RECORD, np.int64)
def read_table(record: Any, index: Any) -> Any:
    return TABLE[index] + record.row[0]


@kernel
def read_before(record: Any, index: Any) -> Any:
    return record.row[index]


@linked
def read_as_users_do(row: Any, index: Any) -> Any:
    return row[index]


@entry(RECORD, np.int64)
def read_both(record: Any, index: Any) -> Any:
    return 10 * read_before(record, index) + read_as_users_do(record.row, index)


KERNELS = (
    read_row, write_row, read_grid, write_grid, read_word, read_inner, read_part, read_table,
)  # fmt: skip
each_kernel = pytest.mark.parametrize("access", KERNELS, ids=lambda access: access.__name__)


@pytest.mark.slow
@each_kernel
@pytest.mark.parametrize("index", [0, ROW - 1])
def test_an_index_within_bounds_is_none(access: Callable[..., Any], index: int) -> None:
    assert access(new_record(RECORD), index) in range(ROW)


@pytest.mark.skipif(COMPILED and not CHECKED, reason="compiled code does not look")
@each_kernel
@pytest.mark.parametrize("index", [ROW, ROW + 1, -ROW - 1])
def test_an_index_out_of_bounds_is_found(access: Callable[..., Any], index: int) -> None:
    with pytest.raises(IndexError):
        access(new_record(RECORD), index)


@pytest.mark.skipif(CHECKED or not COMPILED, reason="checked, or Python")
def test_only_a_users_function_counts_from_the_end() -> None:
    record = new_record(RECORD)
    record.before[-1], record.row[-1] = 3, 5
    assert read_both(record, -1) == 35


@pytest.mark.skipif(not (COMPILED and CHECKED), reason="Python counts from the end")
@each_kernel
@pytest.mark.parametrize("index", [-1, -ROW])
def test_a_negative_index_is_found(access: Callable[..., Any], index: int) -> None:
    with pytest.raises(IndexError):
        access(new_record(RECORD), index)
