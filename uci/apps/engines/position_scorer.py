"""Scores positions one by one, each as the first of a new game, by the compiled root.

`engine.datagen.root` visits the nodes that ``ucinewgame``, ``position fen …`` and ``go`` visit. Its
loop over depths and root moves is machine code, so a search of a thousand nodes takes a third of
the time that it takes in the UCI engine.
"""

from dataclasses import dataclass

import chess

from engine.board.position import new_position
from engine.datagen.root import new_root, search
from engine.memory.records import copy_record
from engine.search.score import MATE, moves_to_mate
from engine.search.thread import new_thread
from engine.search.tt import Table
from uci.chess_io.convert import decode_move, fill, is_drawn, move_to_uci
from uci.strength.wdl import DRAW, wdl

NO_LIMIT = 1 << 62


class NoResult(ValueError):
    """Raised if the limit ended a search before its first result."""


@dataclass(frozen=True, slots=True)
class PositionScore:
    """The result of a search, for the side to move.

    ``cp`` is in centipawns, ``mate`` in moves; one of them is None. ``wdl`` are the chances of win,
    draw and loss in permille. ``move`` is the move to play, None if the game is over. ``pv`` is
    the PV of the score; it begins with another move if the limit stopped the search while a better
    ``move`` was searched again. ``depth`` is that of the last completed iteration, in plies.
    """

    cp: int | None
    mate: int | None
    wdl: tuple[int, int, int]
    move: str | None
    pv: tuple[str, ...]
    depth: int
    nodes: int


class PositionScorer:
    """A search thread with its table, both cleared before each position."""

    def __init__(self, limit: tuple[str, int], hash_mb: int) -> None:
        """Take a limit, of ``nodes`` or ``depth``, and the MiB of the table.

        Raises `MemoryError` if the table cannot have this size.
        """
        name, number = limit
        limits = {"nodes": NO_LIMIT, "depth": new_root(0, 0).last_depth} | {name: number}
        self._root = new_root(NO_LIMIT, limits["nodes"], limits["depth"])
        self._pos = new_position()
        self._table = Table(hash_mb)
        self._thread, self._fresh = new_thread(), new_thread()
        self._table.attach(self._fresh)

    def score(self, board: chess.Board) -> PositionScore:
        """Return the score of a position. Raises `NoResult` if the limit allows too few nodes."""
        if not any(board.generate_legal_moves()):
            return _game_over(board)
        root = self._root
        self._table.clear()
        copy_record(self._thread, self._fresh)
        self._table.attach(self._thread)
        fill(self._pos, board)
        search(self._pos, self._thread, root)
        if not root.length:
            raise NoResult(f"no result within {root.hard_nodes} nodes")
        score, move = int(root.score), int(root.move)
        chess960 = board.has_chess960_castling_rights()
        line = [int(each) for each in root.line[: root.length]]
        mate = moves_to_mate(score)
        return PositionScore(
            cp=score if mate is None else None,
            mate=mate,
            wdl=DRAW if score == 0 and _draws(board, line[0]) else wdl(score),
            move=move_to_uci(move, chess960),
            pv=tuple(move_to_uci(each, chess960) for each in line),
            depth=int(root.depth),
            nodes=int(self._thread.nodes),
        )


def _game_over(board: chess.Board) -> PositionScore:
    """Return the score of checkmate or stalemate."""
    if board.is_check():
        return PositionScore(None, 0, wdl(-MATE), None, (), 0, 0)
    return PositionScore(0, None, DRAW, None, (), 0, 0)


def _draws(board: chess.Board, move: int) -> bool:
    """Return whether a move ends the game in a draw."""
    after = board.copy(stack=False)
    after.push(decode_move(move))
    return is_drawn(after)
