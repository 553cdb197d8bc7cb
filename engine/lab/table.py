"""The plain searches' use of the transposition table, and of the previous iteration's line.

The table is the engine's. Keyed by the path instead of the position, it holds the whole tree:
every node has an entry of its own, with its best move.
"""

import numpy as np

from engine.board.annotations import Count, Depth, Flag, Key, Move, Ply, Position, Score
from engine.board.bitboard import NOTHING, U64
from engine.board.splitmix import GOLDEN
from engine.board.types import MAX_PLY, NO_MOVE
from engine.evaluation.nnue import evaluate
from engine.jit.kernel import kernel
from engine.lab.collectors.refutation import REFUTATIONS_FIRST
from engine.lab.lab_record import CUT, STORE, TREE_FIRST, LabData
from engine.search.draws import DRAW, is_draw
from engine.search.score import INFINITE
from engine.search.thread import play
from engine.search.thread_data import Entry
from engine.search.tt import (
    AGES,
    EXACT,
    LOWER,
    NO_SCORE,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    entry_score,
    probe,
    save,
)

_HALF = U64(32)


@kernel
def table_move(lab: LabData, key: Key) -> Move:
    """Return the move stored under ``key``, of any bound, or none."""
    return entry_move(probe(lab, key))


@kernel
def _key(pos: Position, lab: LabData, ply: Ply) -> Key:
    return lab.path[ply] if lab.seed == TREE_FIRST else pos.key


@kernel
def look_up(pos: Position, lab: LabData, ply: Ply) -> Entry:
    """Return the table's entry for this node; zero if there is none or the table is only filled."""
    return probe(lab, _key(pos, lab, ply)) if lab.use != STORE else NOTHING


@kernel
def settles(
    pos: Position, lab: LabData, data: Entry, ply: Ply, depth: Depth, alpha: Score, beta: Score
) -> Flag:
    """Return whether the table's entry cuts off a node below the root."""
    if data == NOTHING or lab.use != CUT or ply == 0 or entry_depth(data) < depth:
        return False
    bound, score = entry_bound(data), entry_score(data, ply)
    if pos.halfmove >= 90:
        return False
    return (
        bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)
    )


@kernel
def keep(
    pos: Position, lab: LabData, ply: Ply, depth: Depth, score: Score, bound: Count, move: Move
) -> None:
    """Store a result, if there is a table."""
    if lab.clusters == 0:
        return
    key = _key(pos, lab, ply)
    known = probe(lab, key)
    if known != NOTHING and entry_bound(known) == EXACT:
        if lab.protect and bound != EXACT and entry_depth(known) >= depth:
            return
        if entry_move(known) != move:
            lab.overwritten += 1
    if not lab.protect:
        lab.age = (lab.age + 1) % AGES  # makes all entries old, so that they are replaced
    save(lab, key, ply, depth, score, np.int64(NO_SCORE), bound, move, np.int64(0))


@kernel
def leaf_score(pos: Position, lab: LabData, ply: Ply, depth: Depth) -> Score:
    """Return the score of a leaf or a draw, for the side to move; `INFINITE` for other nodes."""
    if ply > 0 and is_draw(pos, ply, True):
        return np.int64(DRAW)
    if depth <= 0 or ply >= MAX_PLY - 1:
        return evaluate(pos, lab, ply)
    return np.int64(INFINITE)


@kernel
def first_move(lab: LabData, ply: Ply, follow: Flag) -> Move:
    """Return the hint's move while the path follows the hint, else none."""
    return np.int64(lab.hint[ply]) if follow and ply < lab.hint_length else np.int64(NO_MOVE)


@kernel
def follows(lab: LabData, ply: Ply, follow: Flag, move: Move, hint: Count) -> Flag:
    """Return whether the path still follows the hint after ``move``.

    With refutations first there is a hint for each root move.
    """
    return np.int64(follow and (move == hint or (ply == 0 and lab.seed == REFUTATIONS_FIRST)))


@kernel
def step(pos: Position, lab: LabData, ply: Ply, move: Move) -> None:
    """Make ``move``, and extend the path's key."""
    mixed = (lab.path[ply] ^ U64(move)) * GOLDEN
    lab.path[ply + 1] = mixed ^ mixed >> _HALF
    play(pos, lab, ply, move)
