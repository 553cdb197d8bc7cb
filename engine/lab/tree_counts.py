"""Counts of the real search's tree: the playing search's own source, with counters in its record.

The hooks stand where `engine.search.pvs` and its neighbours begin, return and play moves, so they
hold for any change in between. A reduction or an extension is the difference between the depth that
is left at a node and the depth of the first search of its move.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from engine.board.annotations import Depth, Move, Ply, Score
from engine.board.position import POSITION
from engine.board.types import MAX_PLY, NO_MOVE
from engine.jit.kernel import kernel
from engine.lab.laboratory import LAB
from engine.lab.watching import recursive, watched
from engine.memory.records import Record
from engine.search import pvs, quiescence, root_move
from engine.search.iterate import SearchThread
from engine.search.searcher import Searcher
from engine.search.thread import PLIES, THREAD_FIELDS

DEEP = 3
"""The least depth at which moves and reductions are counted."""

TT_MOVE_DEPTH = 4
"""The least depth at which cut-offs with a table move are counted apart."""

COUNTERS = (
    *("root_moves", "main_moves", "null_moves", "quiescence_moves"),
    *("quiescence_nodes", "nulls_succeeded", "nodes_in_nulls"),
    *("deep_moves", "late_moves", "reduced_moves", "reduced_plies", "researched_moves"),
    *("singular_tests", "extended", "extended_twice", "multi_cuts", "negative_extensions"),
    *("fail_highs", "first_fail_highs", "tt_fail_highs", "first_tt_fail_highs"),
    *("fail_lows", "fail_low_moves"),
)
"""Moves made at the root, in the main search (ProbCut's too), as null moves and in quiescence: all
nodes. Calls of quiescence; null moves that failed high; the nodes of null moves and below them.

Outside PV nodes at depth `DEEP` or more: moves that were searched, those that were not a node's
first, those that were reduced, the plies of that, those that were then searched again.

Singular searches, and how many led to an extension by one ply, to one by more, to a cut-off and to
a negative extension.

Nodes with moves that failed high, and those whose first move did; the same of nodes at depth
`TT_MOVE_DEPTH` or more for which the table had a move. Nodes that failed low, and their moves."""

_FRAME = np.dtype(
    [
        (name, np.int64)
        for name in (
            *("ply", "alpha", "is_pv", "nodes", "passed", "excludes", "tested"),
            *("in_loop", "depth", "tt_move", "moves", "move", "searches", "reduced"),
        )
    ]
)
"""What a node has done so far. ``passed`` is 1 after a null move, 2 after one outside all others;
``depth`` is that of its move loop, and ``searches`` counts those of its last ``move``."""

_SEARCHES_OF_A_PLY = 4
"""Room for the nested searches of a position: the node, without null move, without its move."""

COUNTED_THREAD = np.dtype(
    [
        *((name, np.int64) for name in COUNTERS),
        ("main_nodes", np.int64, MAX_PLY + 1),
        ("passing", np.int64),
        ("open_nulls", np.int64),
        ("level", np.int64),
        ("frames", _FRAME, (_SEARCHES_OF_A_PLY * PLIES,)),
        *THREAD_FIELDS,
    ],
    align=True,
)
"""A search thread's record after the counters. ``main_nodes`` counts nodes by depth. Of the
``frames`` the first is the root's and the one at ``level`` that of the present node."""


@kernel
def _enter(th: Record, ply: Ply, depth: Depth, alpha: Score, beta: Score) -> None:
    """Begin a node; if it searches a move of its parent, count that."""
    parent = th.frames[th.level]
    th.level += 1
    frame = th.frames[th.level]
    frame.ply, frame.alpha, frame.is_pv, frame.nodes = ply, alpha, beta - alpha > 1, th.nodes
    frame.in_loop = frame.moves = frame.tested = 0
    frame.excludes = th.excluded[ply] != NO_MOVE
    frame.passed = th.passing
    if th.passing != 0:
        frame.passed += th.open_nulls == 0
        th.open_nulls += 1
        th.passing = 0
    if depth > 0:
        th.main_nodes[min(depth, MAX_PLY)] += 1
    if ply != parent.ply:
        if parent.in_loop != 0:
            _search_move(th, parent, depth)
    elif frame.excludes > parent.excludes:
        th.singular_tests += 1
        parent.tested = 1


@kernel
def _search_move(th: Record, frame: Record, depth: Depth) -> None:
    """Count a search of the last move of ``frame``, ``depth`` plies deep."""
    frame.searches += 1
    if frame.searches > 1:
        th.researched_moves += frame.reduced
        frame.reduced = 0
        return
    deeper = depth - (frame.depth - 1)
    if frame.tested != 0 and frame.move == frame.tt_move:
        th.extended += deeper == 1
        th.extended_twice += deeper > 1
        th.negative_extensions += deeper < 0
    if frame.is_pv == 0 and frame.depth >= DEEP:
        th.deep_moves += 1
        if frame.moves > 1:
            th.late_moves += 1
            frame.reduced = deeper < 0
            th.reduced_moves += frame.reduced
            th.reduced_plies += max(-deeper, 0)


@kernel
def _leave(score: Score, th: Record, beta: Score) -> Score:
    """End a node, and return its ``score``."""
    frame = th.frames[th.level]
    th.level -= 1
    if frame.passed != 0:
        th.open_nulls -= 1
        th.nulls_succeeded += score <= frame.alpha
        if frame.passed == 2:
            th.nodes_in_nulls += 1 + th.nodes - frame.nodes
    if th.stop != 0:
        return score
    if frame.in_loop == 0:
        th.multi_cuts += frame.tested
    elif frame.moves > 0 and score >= beta:
        th.fail_highs += 1
        th.first_fail_highs += frame.moves == 1
        if frame.depth >= TT_MOVE_DEPTH and frame.tt_move != NO_MOVE:
            th.tt_fail_highs += 1
            th.first_tt_fail_highs += frame.moves == 1
    elif frame.moves > 0 and score <= frame.alpha:
        th.fail_lows += 1
        th.fail_low_moves += frame.moves
    return score


@kernel
def _before_loop(th: Record, depth: Depth, tt_move: Move) -> None:
    """Note that the node begins its move loop."""
    frame = th.frames[th.level]
    frame.in_loop, frame.depth, frame.tt_move = 1, depth, tt_move


@kernel
def _before_move(th: Record, move: Move) -> None:
    """Count a move of the main search, in its loop or in ProbCut."""
    frame = th.frames[th.level]
    frame.move, frame.searches, frame.reduced = move, 0, 0
    frame.moves += frame.in_loop
    th.main_moves += 1


@kernel
def _before_null(th: Record) -> None:
    """Count a null move."""
    th.null_moves += 1
    th.passing = 1


@kernel
def _enter_quiescence(th: Record) -> None:
    th.quiescence_nodes += 1


@kernel
def _before_quiescence_move(th: Record) -> None:
    th.quiescence_moves += 1


@kernel
def _before_root_move(th: Record) -> None:
    th.root_moves += 1


@functools.cache
def _root() -> Callable[..., np.int64]:
    """Return the counting search's entry point, as `engine.search.root_move.search_root_move`."""
    settle = watched(
        quiescence.quiescence,
        "quiescence_counted",
        enter=_enter_quiescence,
        before={"play": _before_quiescence_move},
    )
    below = watched(
        pvs.pvs,
        "pvs_counted",
        enter=_enter,
        leave=_leave,
        before={"start_picker": _before_loop, "play": _before_move, "play_null": _before_null},
        quiescence=recursive(settle, "quiescence"),
    )
    root = watched(
        root_move.search_root_move,
        "search_root_move_counted",
        before={"play": _before_root_move},
        pvs=recursive(below, "pvs"),
    )
    return LAB.entry(POSITION, COUNTED_THREAD, *[np.int64] * 5)(root)


class _CountingThread(SearchThread):
    """A thread that counts what it searches."""

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """See `SearchThread`."""
        return int(_root()(self.pos, self.th, move, number, depth, alpha, beta))


class CountingSearcher(Searcher):
    """The engine's searcher; it counts from one `clear` to the next."""

    _dtype = COUNTED_THREAD

    def __init__(self, hash_mb: int = 16) -> None:
        """Allocate a table of ``hash_mb`` MiB. Only completed depths are yielded."""
        super().__init__(hash_mb)
        self.report_after = self.progress_after = math.inf

    def _new_thread(self) -> SearchThread:
        return _CountingThread(self._new_record())

    @property
    def record(self) -> Record:
        """The record with the counts of its searches since `clear`."""
        return self._thread
