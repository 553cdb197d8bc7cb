"""Kernels as Python compared with machine code: they leave the same record."""

from typing import Any

import numpy as np
import pytest

from engine.evaluation.network import default_network, install
from engine.evaluation.nnue import EVALUATION, evaluate_from_scratch
from engine.jit.intrinsics import lsb
from engine.lab.collectors.collector import NOTHING
from engine.lab.interpreted import Interpreter, wrapping
from engine.lab.lab_record import CUT
from engine.lab.laboratory import Lab, assembled
from engine.lab.table import keep, table_move
from engine.memory.records import new_record
from engine.search.tt import EXACT, probe
from helpers.all_collectors import ALL_PVS
from uci.chess_io.convert import board_of, fill

CASTLING = "r3k2r/p6p/8/3pP3/8/8/P6P/R3K2R w KQkq d6 0 1"
"""Moves of every kind, so that every loop over neurons runs."""


@pytest.mark.interpreted
def test_the_same_record() -> None:
    """All fields are equal (keys, histories, accumulators), except the address of the table."""
    interpreter = Interpreter()
    hooks = {**NOTHING, **ALL_PVS.hooks}

    def recursive(below: Any) -> Any:
        return lambda *arguments: interpreter.copy(below)(*arguments)

    root = interpreter.copy(assembled("PVS", "interpreted", hooks, recursive))
    labs = Lab("PVS", ALL_PVS), Lab("PVS", ALL_PVS, root)
    found = []
    for lab in labs:
        fill(lab.pos, board_of(CASTLING))
        lab.prepare(use=CUT)
        with wrapping():
            found.append(lab.search(2))
    assert found[0] == found[1]
    one, other = (lab.record for lab in labs)
    differing = [n for n in one.dtype.names if not np.array_equal(one[n], other[n])]
    assert differing == ["table"]
    assert one.path[2] > 1 << 40


@pytest.mark.interpreted
def test_what_is_replaced() -> None:
    """A replaced kernel or intrinsic is watched wherever it is called, and results stay equal."""
    seen: list[str] = []

    def watch(copy: Any) -> Any:
        def watched(*arguments: Any) -> Any:
            seen.append(copy.__name__)
            return copy(*arguments)

        return watched

    interpreter = Interpreter({probe: watch, lsb: watch})
    lab = Lab("PVS", ALL_PVS)
    fill(lab.pos, board_of(CASTLING))
    lab.prepare(use=CUT)
    move = np.int64(12 | 28 << 6)
    with wrapping():
        arguments = np.int64(0), np.int64(3), np.int64(7), np.int64(EXACT), move
        interpreter.copy(keep)(lab.pos, lab.record, *arguments)
        assert seen == ["probe"]
        assert interpreter.copy(table_move)(lab.record, lab.pos.key) == move
        assert seen == ["probe", "probe"]
        score = interpreter.copy(evaluate_from_scratch)(lab.pos, lab.record)
    assert seen[2:] == ["_lsb"] * seen.count("_lsb")
    assert seen.count("_lsb") >= 2 * len(board_of(CASTLING).piece_map())
    record = new_record(EVALUATION)
    install(record, default_network())
    assert score == evaluate_from_scratch(lab.pos, record)
    assert interpreter.copy(keep) is interpreter.copy(keep)
