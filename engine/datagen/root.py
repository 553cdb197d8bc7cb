"""The root of the search as a kernel: a compiled twin of `engine.search.iterate`.

For games against itself a search needs no output and no clock, so the loop over depths, windows
and root moves can be compiled, and whole games with it. It visits the same nodes as
`engine.search.searcher.Searcher` with one line and the same limits.
"""

import numpy as np

from engine.board.annotations import Count, Depth, Position, Score
from engine.board.position import POSITION
from engine.board.types import MAX_MOVES, MAX_PLY, NO_MOVE
from engine.jit.kernel import entry, kernel
from engine.memory.records import Record
from engine.search.history import decay_history
from engine.search.iterate import ASPIRATION, ASPIRATION_DEPTH
from engine.search.root_move import search_root_move
from engine.search.root_order import order_root_moves
from engine.search.score import INFINITE, MATE_IN_MAX
from engine.search.thread import THREAD
from engine.search.thread_data import ThreadData
from engine.search.tt import AGES

ROOT = np.dtype(
    [
        ("soft_nodes", np.int64),
        ("hard_nodes", np.int64),
        ("last_depth", np.int64),
        ("move", np.int64),
        ("score", np.int64),
        ("depth", np.int64),
        ("count", np.int64),
        ("length", np.int64),
        ("main_plies", np.int64),
        ("line", np.uint16, MAX_PLY),
        ("moves", np.uint16, MAX_MOVES),
        ("raised", np.int64),
        ("interrupted", np.int64),
        ("compared", np.int64),
        ("completed_move", np.int64),
        ("completed_score", np.int64),
        ("completed_length", np.int64),
        ("completed_main_plies", np.int64),
        ("completed_line", np.uint16, MAX_PLY),
    ],
    align=True,
)
"""A search without output. No iteration begins at ``soft_nodes`` or beyond ``last_depth``,
and the search ends at ``hard_nodes``. ``move`` is the one to play; ``score`` (centipawns for the
side to move) and ``line[:length]`` are the last exact result, which may be that of another move,
and the main search made ``main_plies`` moves of the line. ``depth`` is the last completed
iteration, ``moves[:count]`` the root moves in their present order. ``raised`` is a move that failed
high and was not searched again, ``interrupted`` the one whose search was stopped; the fields
``completed_…`` are the result of ``depth``, and ``compared`` says whether its move was searched
since the last fail-low."""


def new_root(soft_nodes: int, hard_nodes: int, last_depth: int = MAX_PLY - 1) -> Record:
    """Return a record with these limits."""
    root = np.rec.array(np.zeros(1, ROOT))[0]
    root.soft_nodes, root.hard_nodes, root.last_depth = soft_nodes, hard_nodes, last_depth
    return root


@kernel
def _complete(root: Record, depth: Depth) -> None:
    """Keep the result of a completed depth."""
    root.depth = depth
    root.raised = NO_MOVE
    root.compared = depth == 0
    root.completed_move = root.move
    root.completed_score = root.score
    root.completed_length = root.length
    root.completed_main_plies = root.main_plies
    for ply in range(root.length):
        root.completed_line[ply] = root.line[ply]


@kernel
def _begin(pos: Position, th: ThreadData, root: Record) -> None:
    th.stop = 0
    th.nodes = 0
    th.node_limit = root.hard_nodes
    for ply in range(th.killers.shape[0]):
        th.killers[ply, 0] = NO_MOVE
        th.killers[ply, 1] = NO_MOVE
    decay_history(th)
    th.age = (th.age + 1) % AGES
    root.count = order_root_moves(pos, th, root.moves)
    root.move = np.int64(root.moves[0]) if root.count > 0 else np.int64(NO_MOVE)
    root.score = 0
    root.length = 0
    root.main_plies = 0
    _complete(root, np.int64(0))


@kernel
def _restore(root: Record) -> None:
    """Restore the score and the line of the last completed depth."""
    root.score = root.completed_score
    root.length = root.completed_length
    root.main_plies = root.completed_main_plies
    for ply in range(root.length):
        root.line[ply] = root.completed_line[ply]


@kernel
def _salvage(root: Record) -> None:
    """Choose the move of a depth that was stopped: see `engine.search.iterate.Search.salvage`.

    A mate against the side to move is not a result: moves that were not searched may avoid it.
    """
    if root.compared == 0:
        root.move, root.raised = root.completed_move, np.int64(NO_MOVE)
        _restore(root)
    elif root.score <= -MATE_IN_MAX:
        if root.completed_length == 0 or root.completed_score > -MATE_IN_MAX:
            root.move = root.interrupted
        _restore(root)
    if root.raised != NO_MOVE:
        root.move = root.raised


@kernel
def _pass(
    pos: Position, th: ThreadData, root: Record, depth: Depth, alpha: Score, beta: Score
) -> Count:
    """Search all root moves in a window and return the best score.

    A move that raises alpha comes to the front; inside the window its score is exact.
    """
    best = np.int64(-INFINITE)
    for index in range(root.count):
        move = np.int64(root.moves[index])
        score = search_root_move(pos, th, move, np.int64(index + 1), depth, alpha, beta)
        if th.stop != 0:
            root.interrupted = move
            if th.failed_high > alpha:
                root.raised = move
            break
        root.raised = NO_MOVE
        if move == root.completed_move:
            root.compared = 1
        best = max(best, score)
        if score > alpha:
            alpha = score
            for back in range(index, 0, -1):
                root.moves[back] = root.moves[back - 1]
            root.moves[0] = move
            if score >= beta:
                root.raised = move
                break
            root.move, root.score, root.length = move, score, th.pv_length[0]
            root.main_plies = th.pv_main[0]
            for ply in range(root.length):
                root.line[ply] = th.pv[ply]
    return best


@kernel
def _aspirate(pos: Position, th: ThreadData, root: Record, depth: Depth) -> None:
    """Search one depth with a window around the expected score, until it holds."""
    th.previous_length = root.length
    for ply in range(root.length):
        th.previous_pv[ply] = root.line[ply]
    alpha, beta = np.int64(-INFINITE), np.int64(INFINITE)
    delta = np.int64(ASPIRATION)
    if depth >= ASPIRATION_DEPTH and root.length > 0:
        alpha = max(root.score - delta, alpha)
        beta = min(root.score + delta, beta)
    while True:
        best = _pass(pos, th, root, depth, alpha, beta)
        if th.stop != 0 or (alpha < best and best < beta):
            return
        if best <= alpha:
            root.compared = root.depth == 0
            beta = (alpha + beta) // 2
            alpha = max(best - delta, np.int64(-INFINITE))
        else:
            beta = min(best + delta, np.int64(INFINITE))
        delta *= 2


@entry(POSITION, THREAD, ROOT)
def search(pos: Position, th: ThreadData, root: Record) -> None:
    """Search ``pos`` depth by depth; the result is in ``root``.

    Without a legal move, or when the hard limit ends the search before its first result, the
    line is empty.
    """
    _begin(pos, th, root)
    if root.count == 0:
        return
    for depth in range(1, min(root.last_depth, MAX_PLY - 1) + 1):
        th.seldepth = 0
        _aspirate(pos, th, root, np.int64(depth))
        if th.stop != 0:
            _salvage(root)
            return
        _complete(root, np.int64(depth))
        if th.nodes >= root.soft_nodes:
            return
