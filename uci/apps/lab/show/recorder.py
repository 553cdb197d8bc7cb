"""Runs a search of the lab as plain Python, and records every event.

Nothing is invented here: hooks, table and memory are those of `engine.lab`. Its sources are
executed with recording versions of the functions that they call.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import chess
import numpy as np

from engine.board.types import MAX_PLY
from engine.jit.intrinsics import TWINS, load, store
from engine.lab.collectors.collector import NOTHING, Collector
from engine.lab.interpreted import Interpreter, Kernel, wrapping
from engine.lab.lab_record import STORE
from engine.lab.laboratory import Lab, assembled
from engine.lab.table import keep, leaf_score, settles
from engine.search.draws import is_draw
from engine.search.score import INFINITE
from engine.search.tt import entry_bound, entry_depth, entry_move
from uci.apps.lab.show.recording import (
    ALLOCATED,
    BUFFER_WORDS,
    BUFFERS,
    ENTER,
    FINISH,
    IMPROVE,
    REFUTE,
    RETURN,
    TABLE,
    Access,
    Node,
    Recording,
    Step,
    WatchedArray,
    WatchedRecord,
)
from uci.chess_io.convert import decode_move, fill


@dataclass(frozen=True, slots=True)
class LabTask:
    """The search to record: a name of `engine.lab.laboratory.SEARCHES`, its depth, and its use of
    the table. ``clusters`` limits the table to this number of 64-byte clusters."""

    board: chess.Board
    search: str
    depth: int
    use: int = STORE
    clusters: int | None = None

    def prepare(self, lab: Lab, most: int | None = None) -> None:
        """Set up a lab for this search, which stops after ``most`` nodes."""
        fill(lab.pos, self.board)
        lab.prepare(use=self.use, clusters=self.clusters)
        if most is not None:
            lab.record.node_limit = most


def record(task: LabTask, collector: Collector) -> Recording:
    """Run the search as Python, and return its recording."""
    recorder = _Recorder(task, collector)
    return recorder.run()


class _Recorder:
    def __init__(self, task: LabTask, collector: Collector) -> None:
        self._task = task
        self._collector = collector
        self._nodes: list[Node] = []
        self._steps: list[Step] = []
        self._path: list[int] = []
        self._begun: int | None = None
        self._moves = [0] * (MAX_PLY + 1)
        self._slot = 0
        self._drawn = False
        interpreter = Interpreter(
            {
                keep: _around(self._keep),
                leaf_score: _around(self._leaf_score),
                is_draw: _around(self._is_draw),
                settles: _around(self._settles),
                load: _around(self._load),
                store: _around(self._store),
            }
        )
        inner = {
            name: interpreter.copy(collector.hooks.get(name, hook))
            for name, hook in NOTHING.items()
        }
        hooks: dict[str, Kernel] = {
            **inner,
            "child_handle": partial(self._child_handle, inner["child_handle"]),
            "allocate": partial(self._allocate, inner["allocate"]),
            "before_child": partial(self._before_child, inner["before_child"]),
            "improve": partial(self._raise, inner["improve"], IMPROVE),
            "refute": partial(self._raise, inner["refute"], REFUTE),
            "finish": partial(self._finish, inner["finish"]),
        }
        root = interpreter.copy(
            assembled(
                task.search,
                collector.name,
                hooks,
                lambda below: self._on_node(lambda: interpreter.copy(below)),
            )
        )
        fields = [name for name, *_ in collector.fields]
        self._lab = Lab(
            task.search,
            collector,
            lambda pos, lab, *rest: root(pos, WatchedRecord(lab, fields, self._note), *rest),
        )

    def run(self) -> Recording:
        task, lab = self._task, self._lab
        task.prepare(lab)
        before = lab.record.copy()
        with wrapping():
            found = lab.search(task.depth)
        self._close()
        with_table = lab.record.clusters != 0
        return Recording(
            self._collector, found, self._nodes, self._steps, before, lab, bool(with_table)
        )

    # Steps

    def _step(self, kind: int, child: int = -1) -> Step:
        self._close()
        self._steps.append(Step(kind, self._path[-1] if self._path else -1, child))
        return self._steps[-1]

    def _close(self) -> None:
        """Record the PV after the last step."""
        if self._steps:
            self._steps[-1].line = self._collector.line(self._lab.record)

    def _note(self, access: Access) -> None:
        if not self._steps:  # the root's buffer is allocated before the first step
            self._steps.append(Step(ENTER, 0))
        self._steps[-1].accesses.append(access)

    # The search itself; ``inner`` is what each of the following methods watches

    def _on_node(self, search: Callable[[], Kernel]) -> Kernel:
        """Wrap a node. ``search`` returns the wrapped function late, because it calls this one."""

        def watched(pos: Any, lab: Any, ply: Any, depth: Any, *rest: Any) -> Any:
            alpha, beta = (int(rest[0]), int(rest[1])) if len(rest) > 1 else (-INFINITE, INFINITE)
            self._enter(pos, int(ply), int(depth), alpha, beta)
            score = search()(pos, lab, ply, depth, *rest)
            self._leave(int(score))
            return score

        return watched

    def _enter(self, pos: Any, ply: int, depth: int, alpha: int, beta: int) -> None:
        parent = self._path[-1] if self._path else -1
        move = self._moves[ply] if ply else 0
        board = self._task.board
        if ply:
            board = self._nodes[parent].board.copy(stack=False)
            board.push(decode_move(move))
        number = len(self._nodes)
        if self._begun != ply and not (number == 0 and self._steps):
            self._step(ENTER)
        self._begun = None
        self._steps[-1].node = number
        self._nodes.append(Node(parent, move, ply, depth, alpha, beta, int(pos.key), board))
        self._path.append(number)

    def _leave(self, score: int) -> None:
        node = self._nodes[self._path[-1]]
        if not node.end:
            mated = node.board.is_check() and node.tried == 0
            node.end = "mate" if mated else "stalemate" if node.tried == 0 else "low"
        if self._steps[-1].kind != RETURN or self._steps[-1].node != self._path[-1]:
            self._step(RETURN)
        node.score = score
        self._steps[-1].child = self._path.pop()

    # Its hooks

    def _before_child(self, inner: Kernel, lab: Any, ply: Any, move: Any, child: Any) -> None:
        self._moves[int(ply) + 1] = int(move)
        self._nodes[self._path[-1]].tried += 1
        self._step(ENTER)
        self._begun = int(ply) + 1
        inner(lab, ply, move, child)

    def _raise(self, inner: Kernel, kind: int, *arguments: Any) -> None:
        node = self._nodes[self._path[-1]]
        if kind == REFUTE:
            node.end = "cut"
        node.improved = True
        self._step(kind, self._steps[-1].child)
        inner(*arguments)

    def _finish(self, inner: Kernel, *arguments: Any) -> None:
        self._step(FINISH)
        inner(*arguments)

    # Buffers on the stack

    def _child_handle(self, inner: Kernel, lab: Any, ply: Any, mine: Any) -> Any:
        self._slot = int(ply) + 1
        return inner(lab, ply, mine)

    def _allocate(self, inner: Kernel, handle: Any) -> Any:
        made = inner(handle)
        if not isinstance(made, np.ndarray):
            return made
        slot = self._slot
        self._note(Access(True, ALLOCATED, slot, len(made)))

        def note(access: Access) -> None:
            self._note(replace(access, index=slot * BUFFER_WORDS + access.index))

        return WatchedArray(made, BUFFERS, note)

    # Actions of the search other than its hooks

    def _keep(self, inner: Kernel, *arguments: Any) -> None:
        node = self._nodes[self._path[-1]]
        node.end = node.end or ("exact" if node.improved else "low")
        self._step(RETURN)
        inner(*arguments)

    def _leaf_score(self, inner: Kernel, *arguments: Any) -> Any:
        self._drawn = False
        score = inner(*arguments)
        if score != INFINITE:
            node = self._nodes[self._path[-1]]
            node.end, node.worth = "draw" if self._drawn else "leaf", int(score)
            self._step(RETURN)
        return score

    def _is_draw(self, inner: Kernel, *arguments: Any) -> bool:
        self._drawn = bool(inner(*arguments))
        return self._drawn

    def _settles(self, inner: Kernel, *arguments: Any) -> Any:
        settles_it = inner(*arguments)
        if settles_it:
            self._nodes[self._path[-1]].end = "table"
            self._step(RETURN)
        return settles_it

    # The transposition table

    def _load(self, inner: Kernel, address: Any) -> Any:
        word = inner(address)
        if word:
            self._note_entry(False, address)
        return word

    def _store(self, inner: Kernel, address: Any, value: Any) -> None:
        inner(address, value)
        self._note_entry(True, address)

    def _note_entry(self, writes: bool, address: Any) -> None:
        """Note the access of an entry at its second word; the first is the key."""
        entry, part = divmod(int(address) - int(self._lab.record.table), 16)
        if not 0 <= entry < 4 * int(self._lab.record.clusters) or part != 8:
            return
        words = TWINS[load]
        data = words(int(address))
        key = int(words(int(address) - 8) ^ data)
        read = (int(_python(part)(data)) for part in (entry_move, entry_depth, entry_bound))
        for name, value in zip(TABLE, (key, *read, _raw_score(data)), strict=True):
            self._note(Access(writes, name, entry, value))


def _around(watch: Callable[..., Any]) -> Callable[[Kernel], Kernel]:
    """Return a function that wraps a kernel: ``watch`` is called with the kernel first."""
    return lambda inner: partial(watch, inner)


_python = Interpreter().copy


def _raw_score(data: Any) -> int:
    return (int(data) >> 16 & 0xFFFF) - 32768
