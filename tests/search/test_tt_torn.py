"""Torn writes: threads that store and probe a tiny table at once never read a mixed entry."""

import inspect
import threading
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.board.bitboard import U64
from engine.jit.kernel import COMPILED, EntryPoints, instance
from engine.memory.records import new_record
from engine.search import tt
from engine.search.tt import (
    EXACT,
    TABLE_FIELDS,
    Table,
    entry_depth,
    entry_move,
    entry_score,
    entry_static,
)

THREADS = 8
ROUNDS, TRIES = 300_000, 100
"""Stores and probes of each thread in a run, and the most runs without a mixed entry."""

TORN = np.dtype(
    [*TABLE_FIELDS, ("chance", np.uint64), ("hits", np.int64), ("mixed", np.int64)], align=True
)
"""A record that uses the table: the state of its random numbers, its hits, its mixed entries."""


def _without_xor() -> ModuleType:
    """Return the table's module without the XOR: keys are stored unchanged."""
    source, module = inspect.getsource(tt), ModuleType("table_without_xor")
    for theirs, ours in (
        ("load(address) ^ data == key", "load(address) == key"),
        ("store(chosen, key ^ data)", "store(chosen, key)"),
    ):
        assert theirs in source
        source = source.replace(theirs, ours)
    exec(compile(source, module.__name__, "exec"), module.__dict__)  # noqa: S102
    return module


PLAIN = _without_xor()
probe, save = tt.probe, tt.save


def _hammer(record: Any, rounds: Any) -> None:
    """Store and probe at random; count hits and mixed entries in the record.

    Eight keys share a cluster of four, and each stores data that identify it. Random numbers come
    from xorshift (George Marsaglia).
    """
    for _ in range(rounds):
        chance = record.chance
        chance ^= chance << U64(13)
        chance ^= chance >> U64(7)
        chance ^= chance << U64(17)
        record.chance = chance
        number, value = np.int64(chance & U64(7)) + 1, np.int64(chance >> U64(20) & U64(63)) + 1
        key = U64(number) * U64(0x01010101)
        told = number << 8 | value
        if chance & U64(1 << 40) == U64(0):
            save(record, key, np.int64(0), value, told, -told, np.int64(EXACT), told, np.int64(0))
        else:
            data = probe(record, key)
            if data != U64(0):
                record.hits += 1
                told = number << 8 | entry_depth(data)
                if (
                    entry_move(data) != told
                    or entry_score(data, np.int64(0)) != told
                    or entry_static(data) != -told
                ):
                    record.mixed += 1


UNKEPT = EntryPoints()
UNKEPT.folder = None
"""Compiled each time: code whose source is in no file cannot be loaded from the cache."""

hammer = UNKEPT.entry(TORN, np.int64)(instance(_hammer, "hammer_the_table"))
hammer_plain = UNKEPT.entry(TORN, np.int64)(
    instance(_hammer, "hammer_without_xor", probe=PLAIN.probe, save=PLAIN.save)
)


def mixed(work: Any, times: int) -> tuple[int, int]:
    """Return the numbers of hits and of mixed entries after at most ``times`` runs.

    Stop after the first run with a mixed entry.
    """
    table, records = Table(1), [new_record(TORN) for _ in range(THREADS)]
    for number, record in enumerate(records, 1):
        table.attach(record)
        record.clusters = 1
        record.chance = number * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    work(records[0], 0)  # compiles it
    for _ in range(times):
        begin = threading.Barrier(THREADS)

        def run(record: Any, begin: threading.Barrier = begin) -> None:
            begin.wait()
            work(record, ROUNDS)

        threads = [threading.Thread(target=run, args=(record,)) for record in records]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if any(record.mixed for record in records):
            break
    return sum(int(record.hits) for record in records), sum(int(one.mixed) for one in records)


@pytest.mark.skipif(not COMPILED, reason="the interpreter lets one thread run at a time")
@pytest.mark.slow
def test_only_the_xor_keeps_torn_writes_from_being_read() -> None:
    _, torn = mixed(hammer_plain, TRIES)
    assert torn > 0, "nothing was torn, so this proves nothing"
    hits, torn = mixed(hammer, 10)
    assert hits > 1_000_000
    assert torn == 0
