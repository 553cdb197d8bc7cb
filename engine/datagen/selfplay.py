"""A whole game of the engine against itself as one kernel call."""

import numpy as np

from engine.board.annotations import Count, Move, Position, Score
from engine.board.bitboard import U64
from engine.board.makemove import make
from engine.board.movegen import generate
from engine.board.position import POSITION, insufficient_material, occupancy, repeated
from engine.board.see import see_at_least
from engine.board.types import ALL_MOVES, WHITE
from engine.datagen.game_record import (
    BLACK_WON,
    DRAWN,
    MAX_GAME_PLIES,
    MAX_GAME_WORDS,
    MAX_LINE,
    MAX_LINE_WORDS,
    NO_SCORE,
    PLAYED,
    PLIES,
    RESULT,
    WHITE_WON,
    read_start,
    write_ply,
    write_start,
)
from engine.datagen.opening import begin_chance, below, random_opening
from engine.datagen.root import ROOT, search
from engine.jit.intrinsics import caller, load, popcount, store
from engine.jit.kernel import entry, kernel
from engine.memory.records import Record
from engine.search.score import MATE_IN_MAX
from engine.search.thread import THREAD
from engine.search.thread_data import ThreadData
from engine.search.tt import CLUSTER_BYTES
from engine.syzygy.decoding import UNKNOWN
from engine.syzygy.probing import LOSS, WIN, probe_wdl

UNFINISHED = -1

_REDRAWS = 4
"""The number of further random draws in place of a move that loses material."""

_THREAD_BYTES = THREAD.itemsize

_probe_at = caller(probe_wdl, POSITION)

GAME = np.dtype(
    [
        # settings
        ("seed", np.int64),
        ("number", np.int64),
        ("chess960", np.int64),
        ("random_plies", np.int64),
        ("random_moves", np.int64),
        ("opening_limit", np.int64),
        ("win_score", np.int64),
        ("win_plies", np.int64),
        ("draw_score", np.int64),
        ("draw_plies", np.int64),
        ("draw_from", np.int64),
        ("table_pieces", np.int64),
        ("keep_pvs", np.int64),
        # state
        ("halt", np.int64),
        ("probe", np.int64),
        ("tables", np.int64),
        ("table_cache", np.int64),
        ("chance", np.uint64),
        ("thread", np.int64),
        ("fresh", np.int64),
        ("nodes", np.int64),
        ("dropped_nodes", np.int64),
        ("winning", np.int64),
        ("drawing", np.int64),
        ("words", np.uint16, MAX_GAME_WORDS),
        ("lines", np.uint16, MAX_LINE_WORDS),
        ("line_words", np.int64),
    ],
    align=True,
)
"""A game. ``chess960`` is the share of random starts in permille; ``random_plies``, or one more,
are played before the first search, which must not score beyond ± ``opening_limit``. From then on
``random_moves`` is the share, in permille, of moves that are drawn at random. A game is
won after ``win_plies`` plies with scores of at least ``win_score`` for the same side, or at a mate
score; drawn after ``draw_plies`` plies within ± ``draw_score``, the last of them ``draw_from``
plies or more after the beginning; and when a capture or pawn move leaves no more than
``table_pieces``, it has the result of the tablebases. ``keep_pvs`` is 1 to store the PV of each
search, else 0. ``halt`` ends it within a move.

``probe`` is the address of the machine code that probes, see `engine.syzygy.probe_entry`;
``tables`` and ``table_cache`` are its arguments. All are 0 without tablebases.

``thread`` and ``fresh`` are the addresses of the search thread's record and of a copy as it was
made, with its table. ``nodes`` were spent on the positions of the game, ``dropped_nodes`` on
openings that were dropped; ``words`` is the game as `engine.datagen.game_record`
describes it, without its lines, which are ``lines[:line_words]``."""


@kernel
def _forget(th: ThreadData, game: Record) -> None:
    """Clear the table and reset the thread's record, so that a game depends on no earlier one."""
    for address in range(th.table, th.table + np.int64(th.clusters) * CLUSTER_BYTES, 8):
        store(np.int64(address), U64(0))
    for offset in range(0, _THREAD_BYTES, 8):
        store(game.thread + offset, load(game.fresh + offset))


@kernel
def _adjudicate(game: Record, score: Score) -> Count:
    """Return the adjudicated result, by the ``score`` for white, or `UNFINISHED`."""
    if abs(score) < game.win_score:
        game.winning = 0
    elif score > 0:
        game.winning = max(game.winning, 0) + 1
    else:
        game.winning = min(game.winning, 0) - 1
    if abs(score) >= MATE_IN_MAX or abs(game.winning) >= game.win_plies:
        return WHITE_WON if score > 0 else BLACK_WON
    game.drawing = game.drawing + 1 if abs(score) <= game.draw_score else 0
    played = np.int64(game.words[PLAYED]) + np.int64(game.words[PLIES])
    if game.drawing >= game.draw_plies and played >= game.draw_from:
        return DRAWN
    return UNFINISHED


@kernel
def _by_tables(pos: Position, game: Record) -> Count:
    """Return the result by the tablebases, which ignore earlier moves, or `UNFINISHED`."""
    if game.probe == 0 or pos.halfmove > 0 or pos.castling != 0:
        return UNFINISHED
    if popcount(occupancy(pos)) > game.table_pieces:
        return UNFINISHED
    value = _probe_at(game.probe, pos, game.tables, game.table_cache, np.int64(0))
    if value == UNKNOWN:
        return UNFINISHED
    if value == WIN:
        return WHITE_WON if pos.side == WHITE else BLACK_WON
    if value == LOSS:
        return BLACK_WON if pos.side == WHITE else WHITE_WON
    return DRAWN


@kernel
def _rules(pos: Position) -> Count:
    """Return the result by the rules of chess, or `UNFINISHED`."""
    if generate(pos, np.int64(0), np.int64(ALL_MOVES)) == 0:
        if pos.checkers == 0:
            return DRAWN
        return BLACK_WON if pos.side == WHITE else WHITE_WON
    if pos.halfmove >= 100 or repeated(pos, np.int64(0), True) or insufficient_material(pos):
        return DRAWN
    return UNFINISHED


@kernel
def _next_opening(pos: Position, game: Record) -> Count:
    """Set ``pos`` to a random opening that has legal moves; return its plies."""
    while True:
        plies = random_opening(pos, game)
        if plies > 0 and _rules(pos) == UNFINISHED:
            return plies


@kernel
def _random_move(pos: Position, game: Record) -> Move:
    """Return a random legal move, redrawn a few times if it loses material by SEE."""
    count = generate(pos, np.int64(0), np.int64(ALL_MOVES))
    move = np.int64(pos.moves[below(game, count)])
    for _ in range(_REDRAWS):
        if see_at_least(pos, move, np.int64(0)):
            break
        move = np.int64(pos.moves[below(game, count)])
    return move


@entry(ROOT, GAME)
def keep_line(root: Record, game: Record) -> None:
    """Add the PV of the last search to those of the game, if it keeps them."""
    if game.keep_pvs == 0:
        return
    length = min(np.int64(root.main_plies), np.int64(MAX_LINE))
    game.lines[game.line_words] = length
    for index in range(length):
        game.lines[game.line_words + 1 + index] = root.line[index]
    game.line_words += 1 + length


@entry(POSITION, THREAD, ROOT, GAME)
def play_game(pos: Position, th: ThreadData, root: Record, game: Record) -> Count:
    """Play the game of this seed and number; return whether it was finished, and not halted.

    ``th`` must have a table; both are cleared.
    """
    game.nodes, game.dropped_nodes = 0, 0
    game.winning, game.drawing, game.line_words = 0, 0, 0
    begin_chance(game)
    opening: Count = np.int64(0)
    begun = False
    while game.halt == 0:
        if not begun:
            opening = _next_opening(pos, game)
            _forget(th, game)
        result: Count = np.int64(UNFINISHED)
        if begun and below(game, 1000) < game.random_moves:
            move = _random_move(pos, game)
            write_ply(game.words, move, np.int64(NO_SCORE))
            root.main_plies = 0
        else:
            search(pos, th, root)
            if not begun:
                if abs(root.score) > game.opening_limit:
                    game.dropped_nodes += th.nodes
                    continue
                write_start(pos, game.words, opening)
                begun = True
            game.nodes += th.nodes
            move = np.int64(root.move)
            write_ply(game.words, move, root.score)
            result = _adjudicate(game, root.score if pos.side == WHITE else -root.score)
        keep_line(root, game)
        make(pos, move)
        if result == UNFINISHED:
            result = _rules(pos)
        if result == UNFINISHED:
            result = _by_tables(pos, game)
        if result == UNFINISHED and game.words[PLIES] == MAX_GAME_PLIES:
            result = np.int64(DRAWN)
        if result != UNFINISHED:
            game.words[RESULT] = result
            return True
    return False


@entry(POSITION, THREAD, GAME)
def go_to_start(pos: Position, th: ThreadData, game: Record) -> None:
    """Set ``pos`` to the start position of a game, and clear table and histories."""
    read_start(pos, game.words, np.int64(0))
    _forget(th, game)
