"""A small search on python-chess alone, for moves that are due before the kernels are loaded.

Alpha-beta with material, piece-square values and a quiescence search of captures. It is slow and
shallow, but finds a mate in one and leaves no piece hanging.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

import chess

from engine.search.score import INFINITE, MATE

MAX_DEPTH = 3
"""Maximum depth in plies, excluding quiescence search: about a second in Python."""

MAX_SELDEPTH = 12
"""Plies from the root at which quiescence search ends."""

VALUES = (0, 100, 320, 330, 500, 950, 0)
"""Piece values in centipawns, indexed by python-chess's piece types (pawn 1 to king 6)."""

CENTRE = (0, 2, 8, 5, 1, 1, -8)
"""Centipawns for each step from the edge to the centre, by piece type."""

CASTLING = 40
"""Bonus for castling, in centipawns."""

DELTA = 150
"""The margin of delta pruning in centipawns."""


class FallbackLine(NamedTuple):
    """A completed depth: score in centipawns or a mate score, from the side to move."""

    depth: int
    seldepth: int
    score: int
    nodes: int
    moves: list[chess.Move]


class _SearchHalted(Exception):
    """Raised to end the search; its board is left in the middle of a line."""


def _square_value(piece_type: int, square: int) -> int:
    """Return the value of a white piece on a square, in centipawns."""
    file, rank = square & 7, square >> 3
    steps = min(file, 7 - file) + min(rank, 7 - rank)
    value = VALUES[piece_type] + CENTRE[piece_type] * steps
    return value + 6 * (rank - 1) if piece_type == chess.PAWN else value


_WHITE = [[_square_value(piece, square) for square in range(64)] for piece in range(7)]
_BLACK = [[row[square ^ 56] for square in range(64)] for row in _WHITE]


def search(
    board: chess.Board,
    halted: Callable[[], bool],
    max_depth: int = MAX_DEPTH,
    root_moves: Collection[chess.Move] = (),
    max_nodes: int | None = None,
) -> Iterator[FallbackLine]:
    """Yield a line for every completed depth, and at least one even if ``halted`` is true at once.

    ``board`` must have legal moves and is restored at the end. ``root_moves``, if not empty, are
    the only moves searched. ``halted`` is polled every few nodes, so that the search ends within
    milliseconds of it; no more than ``max_nodes`` moves are made.
    """
    searcher = _FallbackSearcher(board.copy(stack=False), halted, max_nodes)
    moves = [move for move in searcher.ordered() if not root_moves or move in root_moves]
    for depth in range(1, max_depth + 1):
        line = searcher.root(moves, depth)
        if line is None:
            return
        yield line
        if halted() or searcher.nodes == max_nodes or abs(line.score) > MATE - MAX_SELDEPTH:
            return
        moves.remove(line.moves[0])
        moves.insert(0, line.moves[0])


class _FallbackSearcher:
    def __init__(
        self, board: chess.Board, halted: Callable[[], bool], max_nodes: int | None
    ) -> None:
        self.board = board
        self.halted = halted
        self.max_nodes = max_nodes
        self.nodes = 0
        self.seldepth = 0

    def root(self, moves: list[chess.Move], depth: int) -> FallbackLine | None:
        """Search all moves; at depth 1 an interrupted search returns the best move so far."""
        best, line = -INFINITE, [moves[0]]
        value = self.static()
        try:
            for move in moves:
                score, rest = self.child(move, depth, -INFINITE, -best, value, 0)
                if score > best:
                    best, line = score, [move, *rest]
        except _SearchHalted:
            if depth > 1:
                return None
        score = value if best == -INFINITE else best
        return FallbackLine(depth, max(depth, self.seldepth), score, self.nodes, line)

    def child(
        self, move: chess.Move, depth: int, alpha: int, beta: int, value: int, ply: int
    ) -> tuple[int, list[chess.Move]]:
        """Return score and line after a move, for the side that makes it."""
        value += self.gain(move)
        self.board.push(move)
        score, line = self.node(depth - 1, alpha, beta, -value, ply + 1)
        self.board.pop()
        return -score, line

    def node(
        self, depth: int, alpha: int, beta: int, value: int, ply: int
    ) -> tuple[int, list[chess.Move]]:
        """Return score and line for the side to move; ``value`` is its static eval."""
        self.count(ply)
        if self.board.is_insufficient_material() or self.board.is_fifty_moves():
            return 0, []
        check = self.board.is_check()
        if depth <= 0 and not check:
            # Detect stalemate at the first plies only: enough not to throw away a win.
            if ply == 1 and not any(self.board.generate_legal_moves()):
                return 0, []
            return self.quiescence(alpha, beta, value, ply), []
        if ply >= MAX_SELDEPTH:
            return value, []
        moves = self.ordered()
        if not moves:
            return (ply - MATE if check else 0), []
        best, line = -INFINITE, []
        for move in moves:
            score, rest = self.child(move, depth, -beta, -max(alpha, best), value, ply)
            if score > best:
                best, line = score, [move, *rest]
                if best >= beta:
                    break
        return best, line

    def quiescence(self, alpha: int, beta: int, value: int, ply: int) -> int:
        """Return the score after captures, or the stand-pat score if that is better."""
        best = value
        if best >= beta or ply >= MAX_SELDEPTH:
            return best
        board = self.board
        captures = []
        for move in board.generate_pseudo_legal_moves(to_mask=board.occupied_co[not board.turn]):
            victim = board.piece_type_at(move.to_square) or 0
            if victim == chess.KING:
                return MATE  # the previous move left its king in check
            if best + VALUES[victim] + DELTA > alpha:
                captures.append(move)
        captures.sort(key=self.gain_of_capture, reverse=True)
        for move in captures:
            gain = self.gain(move)
            board.push(move)
            self.count(ply + 1)
            score = -self.quiescence(-beta, -max(alpha, best), -value - gain, ply + 1)
            board.pop()
            if score > best:
                best = score
                if best >= beta:
                    break
        return best

    def count(self, ply: int) -> None:
        """Count a made move; raise `_SearchHalted` if the search is over."""
        if self.nodes == self.max_nodes:
            raise _SearchHalted
        self.nodes += 1
        self.seldepth = max(self.seldepth, ply)
        if self.nodes % 8 == 0 and self.halted():
            raise _SearchHalted

    def ordered(self) -> list[chess.Move]:
        """Return the legal moves, captures first by MVV-LVA."""
        return sorted(self.board.generate_legal_moves(), key=self.order, reverse=True)

    def order(self, move: chess.Move) -> int:
        """Return the ordering score of a move: its victim, less for squares attacked by a pawn."""
        if self.board.is_capture(move):
            return 10_000 + self.gain_of_capture(move)
        turn = self.board.turn
        guarded = chess.BB_PAWN_ATTACKS[turn][move.to_square] & self.board.pawns
        if guarded & self.board.occupied_co[not turn]:
            return -VALUES[self.board.piece_type_at(move.from_square) or 0]
        return self.gain(move)

    def gain_of_capture(self, move: chess.Move) -> int:
        """Rank a capture by its victim, then by its capturer."""
        victim = self.board.piece_type_at(move.to_square) or chess.PAWN
        return victim * 10 - (self.board.piece_type_at(move.from_square) or 0)

    def gain(self, move: chess.Move) -> int:
        """Return by how much a move changes the static eval, in centipawns for the side to move."""
        board = self.board
        ours, theirs = (_WHITE, _BLACK) if board.turn else (_BLACK, _WHITE)
        piece = board.piece_type_at(move.from_square) or 0
        victim = board.piece_type_at(move.to_square)
        if piece == chess.KING and board.is_castling(move):
            return CASTLING
        gain = ours[move.promotion or piece][move.to_square] - ours[piece][move.from_square]
        if victim:
            gain += theirs[victim][move.to_square]
        elif piece == chess.PAWN and move.to_square == board.ep_square:
            gain += theirs[chess.PAWN][move.to_square ^ 8]
        return gain

    def static(self) -> int:
        """Return the static eval in centipawns for the side to move."""
        value = 0
        for square, piece in self.board.piece_map().items():
            if piece.color:
                value += _WHITE[piece.piece_type][square]
            else:
                value -= _BLACK[piece.piece_type][square]
        return value if self.board.turn else -value
