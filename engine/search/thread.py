"""The record of one search thread: its state without the position and the table."""

import numpy as np

from engine.board.annotations import Move, Ply, Position
from engine.board.makemove import make, make_null, prefetch_key
from engine.board.types import MAX_MOVES, MAX_PLY
from engine.evaluation.network import default_network, install
from engine.evaluation.nnue import EVALUATION_FIELDS, push_move, push_null
from engine.evaluation.shape import Network
from engine.jit.kernel import kernel
from engine.memory.records import Field, new_record
from engine.memory.stop_signal import NEVER, SIGNAL_FIELDS, is_set
from engine.search.correction import CORRECTION_FIELDS
from engine.search.history import HISTORY_FIELDS, conthist_index_of, set_conthist_index
from engine.search.parameters import PARAMETER_FIELDS, TUNING, set_parameters
from engine.search.table_probe import TABLEBASE_FIELDS
from engine.search.thread_data import ThreadData
from engine.search.triangular import PV_FIELDS
from engine.search.tt import TABLE_FIELDS, prefetch_entry

PLIES = MAX_PLY + 2

PICKER = np.dtype(
    [
        ("pv_move", np.int64),
        ("tt_move", np.int64),
        ("stage", np.int32),
        ("next", np.int32),
        ("end", np.int32),
        ("bad_end", np.int32),
    ],
    align=True,
)
"""The state of a node's move picker: see `engine.search.picker`."""

THREAD_FIELDS: list[Field] = [
    *EVALUATION_FIELDS,  # first, on a cache line of their own
    # per search
    ("stop", np.int64),
    ("nodes", np.int64),
    ("node_limit", np.int64),
    ("seldepth", np.int64),
    ("root_depth", np.int64),
    ("root_ready", np.int64),
    ("root_eval", np.int64),
    ("failed_high", np.int64),
    ("selective", np.int64),
    ("proving", np.int64),
    ("use_correction", np.int64),
    ("draw_score", np.int64, 2),
    *SIGNAL_FIELDS,
    *TABLE_FIELDS,
    *TABLEBASE_FIELDS,
    *PV_FIELDS,
    ("previous_pv", np.uint16, MAX_PLY),
    ("previous_length", np.int64),
    ("static_eval", np.int64, PLIES),
    ("excluded", np.int64, PLIES),
    ("double_extensions", np.int64, PLIES),
    ("reduction", np.int64, PLIES),
    ("tt_pv", np.int64, PLIES),
    ("cutoffs", np.int64, PLIES),
    ("picker", PICKER, (PLIES,)),
    ("scores", np.int32, PLIES * MAX_MOVES),
    *HISTORY_FIELDS,
    *CORRECTION_FIELDS,
    *PARAMETER_FIELDS,
]

THREAD = np.dtype(THREAD_FIELDS, align=True)
"""A search thread. ``stop`` is set when the search has ended, ``signal`` is the address of the stop
signal; ``selective`` enables pruning and reductions, ``use_correction`` the correction history;
``draw_score`` is that of a drawn game for white and for black, 0 and 0 without contempt;
``root_ready`` is 1 once what all root moves share was computed, ``root_eval`` the evaluation of the
root before correction; ``failed_high`` is what a zero window has proved of the present root move;
``proving`` ignores repetitions inside the tree, so that no result depends on the path to it;
``clusters`` is 0 without a table, ``tb_probe`` without tablebases. ``excluded`` is the move that a
singular search leaves out, ``double_extensions`` counts those of the line, ``reduction`` is that of
the move to here, in plies, ``tt_pv`` says that the node is or was a PV node, ``cutoffs`` counts the
nodes of a ply that failed high. Most arrays are indexed by ply."""


_POLL_MASK = 127
"""The stop signal is polled in the first node, then in one of 128."""


def new_thread(net: Network | None = None) -> ThreadData:
    """Return a record for a selective search, with ``net``, by default the engine's own."""
    th = new_record(THREAD)
    set_up(th, default_network() if net is None else net)
    return th


def set_up(th: ThreadData, net: Network) -> None:
    """Initialise a zeroed record for a selective search, with ``net``."""
    install(th, net)
    th.selective = th.use_correction = 1
    th.signal = NEVER.address
    if TUNING:
        set_parameters(th, {})


@kernel
def _count(th: ThreadData) -> None:
    """Count a node, and poll the limits."""
    th.nodes += 1
    if th.nodes >= th.node_limit or (th.nodes & _POLL_MASK == 1 and is_set(th)):
        th.stop = 1


@kernel
def prefetch_child(pos: Position, th: ThreadData, move: Move) -> None:
    """Prefetch the table's entry of the position after ``move``, well before it is made."""
    if th.clusters != 0:
        prefetch_entry(th, prefetch_key(pos, move))


@kernel
def play(pos: Position, th: ThreadData, ply: Ply, move: Move) -> None:
    """Make ``move`` at ``ply``."""
    push_move(pos, th, ply, move)
    set_conthist_index(th, ply + 1, conthist_index_of(pos, move))
    make(pos, move)
    _count(th)


@kernel
def play_null(pos: Position, th: ThreadData, ply: Ply) -> None:
    """Make a null move at ``ply``, which counts as a node too."""
    push_null(pos, th, ply)
    set_conthist_index(th, ply + 1, 0)
    make_null(pos)
    if th.clusters != 0:
        prefetch_entry(th, pos.key)
    _count(th)
