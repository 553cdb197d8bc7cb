"""Recordings are true: the same search as machine code leaves the same memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.jit.kernel import COMPILED
from engine.lab.collectors.collector import Collector
from engine.lab.collectors.uncleared import uncleared
from engine.lab.lab_record import CUT, STORE
from engine.lab.laboratory import SEARCHES, Lab
from engine.lab.registry import COLLECTORS
from helpers.all_collectors import ALL, ALL_PVS
from helpers.naive_search import replay
from uci.apps.lab.show.recorder import LabTask, record
from uci.apps.lab.show.recording import BUFFERS, RETURN, TABLE, Recording
from uci.chess_io.convert import board_of

ROOK = "8/8/8/8/8/2k5/7p/K6R w - - 0 1"
"""A handful of moves, captures and a stalemate's neighbourhood."""

MATE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
KNIGHT = "8/4p3/8/8/8/8/3k4/K7 w - - 0 1"
PROMOTION = "3K4/5k2/8/8/8/8/p7/8 w - - 0 1"
CLEARING = [
    name
    for name, each in COLLECTORS.items()
    if "enter" in each.hooks and "allocate" not in each.hooks
]
SHARE_ROWS = ("triangular", "triangular, all nodes", "hash_store")
"""Collectors that share an array but clear its rows in different nodes: each needs its own."""

SAME_MEMORY = {"running": "formula", "running_length": "formula_length"}
"""Fields that only a collector with its own handles has, and equal fields of other collectors."""


def machine_code(task: LabTask, collector: Collector) -> Lab:
    lab = Lab(task.search, collector)
    task.prepare(lab)
    return lab


def compare_memory(recording: Recording, lab: Lab, collector: Collector) -> None:
    for name, *_ in collector.fields:
        there = lab.record[SAME_MEMORY.get(name, name) if lab.collector in (ALL, ALL_PVS) else name]
        assert np.array_equal(recording.lab.record[name], there), (collector.name, name)


def compare_tables(recording: Recording, lab: Lab) -> None:
    ours, theirs = recording.lab.table, lab.table
    assert ours is not None
    assert theirs is not None
    assert np.array_equal(ours._words, theirs._words)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="there is no machine code")
@pytest.mark.parametrize("search", SEARCHES)
def test_every_collector_in_every_search(search: str) -> None:
    """All collectors watch one compiled search, which is faster than compiling one for each."""
    depth = 1 if search == "minimax" else 2
    task = LabTask(board_of(ROOK), search, depth, CUT if search == "MTD(f)" else STORE)
    for protect in (1, 0):
        lab = machine_code(task, ALL_PVS if search == "PVS" else ALL)
        lab.record.protect = protect
        found = lab.search(depth)
        for name, collector in COLLECTORS.items():
            if (name == "hash_walk, unprotected") == protect:
                continue
            recording = record(task, collector)
            if search == "PVS" and name in SHARE_ROWS:
                alone = machine_code(task, collector)
                assert alone.search(depth) == recording.found
                compare_memory(recording, alone, collector)
            else:
                compare_memory(recording, lab, collector)
            assert recording.found.nodes == found.nodes
            assert recording.found.score == found.score
            if collector.reads_table:
                compare_tables(recording, lab)


@pytest.mark.long
@pytest.mark.parametrize("use", [STORE, CUT])
@pytest.mark.parametrize("name", COLLECTORS)
@pytest.mark.parametrize("search", SEARCHES)
def test_every_pair_by_itself(search: str, name: str, use: int) -> None:
    """Each pair is compiled alone and searches deeper, with table cut-offs and a tiny table."""
    for fen, depth in ((ROOK, 3), (MATE, 2), (PROMOTION, 3)):
        for clusters in (None, 1):
            task = LabTask(board_of(fen), search, depth - (search == "minimax"), use, clusters)
            lab = machine_code(task, COLLECTORS[name])
            found = lab.search(task.depth)
            recording = record(task, COLLECTORS[name])
            assert recording.found == found
            compare_memory(recording, lab, COLLECTORS[name])
            if recording.with_table:
                compare_tables(recording, lab)


@pytest.mark.long
@pytest.mark.parametrize("name", CLEARING)
def test_uncleared_rows(name: str) -> None:
    collector = uncleared(COLLECTORS[name])
    task = LabTask(board_of(MATE), "PVS", 2)
    lab = machine_code(task, collector)
    found = lab.search(2)
    recording = record(task, collector)
    assert recording.found == found
    compare_memory(recording, lab, collector)


def held(recording: Recording) -> Iterator[str]:
    """Yield the differences found by replaying all accesses on the memory as it was before."""
    memory: dict[tuple[str, int], int] = {}
    fields = [name for name, *_ in recording.collector.fields]
    before = {name: np.ravel(recording.before[name]) for name in fields}
    for step in recording.steps:
        for access in step.accesses:
            place = access.field, access.index
            if access.writes:
                memory[place] = access.value
                continue
            known = memory.get(place)
            if known is None and access.field in before:
                known = int(before[access.field][access.index])
            if known != access.value:
                yield f"{place} reads {access.value}, but holds {known}"
    for name in fields:
        after = before[name].copy()
        for (field, index), value in memory.items():
            if field == name:
                after[index] = value
        if not np.array_equal(after, np.ravel(recording.lab.record[name])):
            yield f"{name} was written unseen"


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.parametrize("name", COLLECTORS)
def test_nothing_is_read_or_written_unseen(name: str) -> None:
    for search, use in (("PVS", STORE), ("fail-hard", CUT), ("MTD(f)", CUT)):
        recording = record(LabTask(board_of(KNIGHT), search, 2, use), COLLECTORS[name])
        assert [*held(recording)] == []
        seen = {access.field for step in recording.steps for access in step.accesses}
        if recording.with_table:
            assert set(TABLE) <= seen
        assert (BUFFERS in seen) == name.startswith("line")


@pytest.mark.interpreted
def test_steps_are_those_of_the_tree() -> None:
    """Each visit of a node begins and ends once, within its parent's visit, by a legal move."""
    recording = record(LabTask(board_of(ROOK), "PVS", 2), COLLECTORS["triangular"])
    path: list[int] = []
    begun: list[int] = []
    for step in recording.steps[:-1]:
        node = recording.nodes[step.node]
        if step.node not in begun:
            assert node.parent == (path[-1] if path else -1)
            path.append(step.node)
            begun.append(step.node)
        if step.kind == RETURN:
            assert path.pop() == step.node
    assert path == []
    assert begun == [*range(len(recording.nodes))]
    moved = sum(node.parent >= 0 for node in recording.nodes)
    again = len({(node.parent, node.move) for node in recording.nodes if node.parent >= 0})
    assert again <= recording.found.nodes + 1 <= moved + 1
    for node in recording.nodes:
        assert (node.score is not None, bool(node.end)) == (True, True)
    replay(board_of(ROOK), recording.found.line)


def end_of(*arguments: Any, **more: Any) -> Recording:
    return record(LabTask(board_of(arguments[0]), *arguments[1:3], **more), arguments[3])


def test_ends_of_nodes() -> None:
    ends = {node.end for node in end_of(MATE, "PVS", 2, COLLECTORS["none"]).nodes}
    assert {"mate", "leaf", "cut"} <= ends
    more = end_of(PROMOTION, "PVS", 4, COLLECTORS["none"], use=CUT)
    assert "table" in {node.end for node in more.nodes}


@pytest.mark.parametrize("name", ["none", "hash_walk", "line", "line, np.empty"])
def test_what_cannot_be_left_uncleared(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        uncleared(COLLECTORS[name])
