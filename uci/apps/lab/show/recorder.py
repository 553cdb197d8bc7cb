"""Runs a search of the lab as plain Python, and records every event.

Nothing is invented here: hooks, table and memory are those of `engine.lab`. Its sources are
executed with recording versions of the functions that they call.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from uci.chess_io.convert import fill, move_to_uci


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
                keep: self._on_keep,
                leaf_score: self._on_leaf_score,
                is_draw: self._on_is_draw,
                settles: self._on_settles,
                load: self._on_load,
                store: self._on_store,
            }
        )
        inner = {
            name: interpreter.copy(collector.hooks.get(name, hook))
            for name, hook in NOTHING.items()
        }
        hooks = {
            **inner,
            "child_handle": self._on_child_handle(inner["child_handle"]),
            "allocate": self._on_allocate(inner["allocate"]),
            "before_child": self._on_before_child(inner["before_child"]),
            "improve": self._on_raise(IMPROVE, inner["improve"]),
            "refute": self._on_raise(REFUTE, inner["refute"]),
            "finish": self._on_finish(inner["finish"]),
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

    # The hooks, and the search itself

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
            board.push_uci(move_to_uci(move, chess960=True))
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

    def _on_before_child(self, inner: Kernel) -> Kernel:
        def before_child(lab: Any, ply: Any, move: Any, child: Any) -> None:
            self._moves[int(ply) + 1] = int(move)
            self._nodes[self._path[-1]].tried += 1
            self._step(ENTER)
            self._begun = int(ply) + 1
            inner(lab, ply, move, child)

        return before_child

    def _on_raise(self, kind: int, inner: Kernel) -> Kernel:
        def hook(lab: Any, ply: Any, move: Any, mine: Any, child: Any) -> None:
            node = self._nodes[self._path[-1]]
            if kind == REFUTE:
                node.end = "cut"
            node.improved = True
            self._step(kind, self._steps[-1].child)
            inner(lab, ply, move, mine, child)

        return hook

    def _on_finish(self, inner: Kernel) -> Kernel:
        def finish(lab: Any, pos: Any, depth: Any, mine: Any) -> None:
            self._step(FINISH)
            inner(lab, pos, depth, mine)

        return finish

    # Buffers on the stack

    def _on_child_handle(self, inner: Kernel) -> Kernel:
        def child_handle(lab: Any, ply: Any, mine: Any) -> Any:
            self._slot = int(ply) + 1
            return inner(lab, ply, mine)

        return child_handle

    def _on_allocate(self, inner: Kernel) -> Kernel:
        def allocate(handle: Any) -> Any:
            made = inner(handle)
            if not isinstance(made, np.ndarray):
                return made
            slot = self._slot
            self._note(Access(True, ALLOCATED, slot, len(made)))

            def note(access: Access) -> None:
                self._note(replace(access, index=slot * BUFFER_WORDS + access.index))

            return WatchedArray(made, BUFFERS, note)

        return allocate

    # Actions of the search other than its hooks

    def _on_keep(self, inner: Kernel) -> Kernel:
        def kept(*arguments: Any) -> None:
            node = self._nodes[self._path[-1]]
            node.end = node.end or ("exact" if node.improved else "low")
            self._step(RETURN)
            inner(*arguments)

        return kept

    def _on_leaf_score(self, inner: Kernel) -> Kernel:
        def leaf(pos: Any, lab: Any, ply: Any, depth: Any) -> Any:
            self._drawn = False
            score = inner(pos, lab, ply, depth)
            if score != INFINITE:
                node = self._nodes[self._path[-1]]
                node.end, node.worth = "draw" if self._drawn else "leaf", int(score)
                self._step(RETURN)
            return score

        return leaf

    def _on_is_draw(self, inner: Kernel) -> Kernel:
        def drawn(*arguments: Any) -> Any:
            self._drawn = bool(inner(*arguments))
            return self._drawn

        return drawn

    def _on_settles(self, inner: Kernel) -> Kernel:
        def settled(*arguments: Any) -> Any:
            settles_it = inner(*arguments)
            if settles_it:
                self._nodes[self._path[-1]].end = "table"
                self._step(RETURN)
            return settles_it

        return settled

    # The transposition table

    def _on_load(self, twin: Kernel) -> Kernel:
        def loaded(address: Any) -> Any:
            word = twin(address)
            entry, part = self._entry(address)
            if self._is_table(entry) and part == 8 and word:  # the other word is the key
                for name, value in self._contents(address, twin):
                    self._note(Access(False, name, entry, value))
            return word

        return loaded

    def _on_store(self, twin: Kernel) -> Kernel:
        words = TWINS[load]

        def stored(address: Any, value: Any) -> None:
            twin(address, value)
            entry, part = self._entry(address)
            if self._is_table(entry) and part == 8:
                for name, content in self._contents(address, words):
                    self._note(Access(True, name, entry, content))

        return stored

    def _is_table(self, entry: int) -> bool:
        return 0 <= entry < 4 * int(self._lab.record.clusters)

    def _entry(self, address: Any) -> tuple[int, int]:
        offset = int(address) - int(self._lab.record.table)
        return offset // 16, offset % 16

    @staticmethod
    def _contents(address: Any, words: Callable[[int], Any]) -> list[tuple[str, int]]:
        data = words(int(address))
        key = int(words(int(address) - 8) ^ data)
        read = (*(_python(part)(data) for part in (entry_move, entry_depth, entry_bound)),)
        return list(zip(TABLE, (key, *map(int, read), _raw_score(data)), strict=True))


_python = Interpreter().copy


def _raw_score(data: Any) -> int:
    return (int(data) >> 16 & 0xFFFF) - 32768
