"""Move generation: attack tables, kinds of moves, positions that random games seldom reach."""

import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest

from engine.board import attacks, movegen, position
from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.movegen import legal_moves
from engine.board.position import POSITION
from engine.board.types import ALL_MOVES, MAX_MOVES, NOISY_MOVES, QUIET_MOVES
from engine.jit.kernel import COMPILED
from helpers import naive
from helpers.entries import entry
from uci.chess_io.convert import board_of, encode_move

BOARDS = 1200 if COMPILED else 150
UNWRITTEN = 0xFFFF


@entry(POSITION, np.int64, np.int64)
def generate(pos: Any, start: Any, kind: Any) -> Any:
    return movegen.generate(pos, start, kind)


@entry(POSITION)
def is_stalemate(pos: Any) -> Any:
    return movegen.is_stalemate(pos, np.int64(0))


@entry(POSITION, np.int64)
def pinned_pieces(pos: Any, colour: Any) -> Any:
    return position.pinned_pieces(pos, colour)


@entry(POSITION, np.int64, np.int64)
def attackers(pos: Any, square: Any, colour: Any) -> Any:
    return position.attackers(pos, square, colour, position.occupancy(pos))


@entry(np.int64, np.int64, np.uint64)
def attacks_of(kind: Any, square: Any, occupied: Any) -> Any:
    """Return attacks of a ``kind``: white pawn, black pawn, knight, bishop, rook, queen, king."""
    if kind <= 1:
        return attacks.pawn_attacks(kind, square)
    if kind == 2:
        return attacks.knight_attacks(square)
    if kind == 3:
        return attacks.bishop_attacks(square, occupied)
    if kind == 4:
        return attacks.rook_attacks(square, occupied)
    if kind == 5:
        return attacks.queen_attacks(square, occupied)
    return attacks.king_attacks(square)


@entry(np.int64, np.int64)
def between(a: Any, b: Any) -> Any:
    return attacks.between(a, b)


@entry(np.int64, np.int64)
def line(a: Any, b: Any) -> Any:
    return attacks.line(a, b)


def crowded(rng: random.Random) -> chess.Board:
    """Return a board of randomly placed pieces, with pins, checks and promotions."""
    board = chess.Board(None, chess960=True)
    squares = rng.sample(chess.SQUARES, 3 + rng.randrange(25))
    for colour in chess.COLORS:
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
    for square in squares:
        lowest = chess.PAWN if 0 < chess.square_rank(square) < 7 else chess.KNIGHT
        kind = rng.choice([lowest, rng.randint(lowest, chess.QUEEN)])
        board.set_piece_at(square, chess.Piece(kind, rng.random() < 0.5))
    return board


def castling(rng: random.Random) -> chess.Board:
    """Return a board on which both sides have castling rights of Chess960, few of them legal."""
    board = chess.Board(None, chess960=True)
    for colour, rank in ((chess.WHITE, 0), (chess.BLACK, 56)):
        files = sorted(rng.sample(range(8), 3))
        for file, kind in zip(files, (chess.ROOK, chess.KING, chess.ROOK), strict=True):
            board.set_piece_at(rank + file, chess.Piece(kind, colour))
            if kind == chess.ROOK:
                board.castling_rights |= chess.BB_SQUARES[rank + file]
    for _ in range(rng.randrange(6)):
        square = rng.choice(list(chess.SquareSet(~board.occupied)))
        piece = chess.Piece(rng.randint(chess.KNIGHT, chess.QUEEN), rng.random() < 0.5)
        board.set_piece_at(square, piece)
    board.castling_rights = board.clean_castling_rights()
    return board


def thrown(count: int) -> Iterator[chess.Board]:
    """Yield boards of randomly placed pieces on which the side to move cannot take the king."""
    rng = random.Random(5)
    for index in range(count):
        board = crowded(rng) if index % 2 else castling(rng)
        board.turn = rng.random() < 0.5
        if board.was_into_check():
            board.turn = not board.turn
        if not board.was_into_check():
            yield board


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_pieces_thrown_at_random() -> None:
    for board in thrown(BOARDS):
        pos = naive.position(board)
        legal = naive.codes(board)
        assert sorted(legal_moves(pos)) == legal, board.fen()
        assert all(is_legal(pos, code) for code in legal), board.fen()
        for colour in (0, 1):
            own = chess.WHITE if colour == 0 else chess.BLACK
            pins = sum(
                1 << s for s in chess.SquareSet(board.occupied_co[own]) if board.is_pinned(own, s)
            )
            assert pinned_pieces(pos, colour) == pins, board.fen()
            for square in chess.SQUARES[:: 1 if COMPILED else 7]:
                expected = board.attackers_mask(own, square)
                assert attackers(pos, square, colour) == expected, board.fen()
        before = naive.visible(pos)
        for code in legal[:: 1 if COMPILED else 11]:
            make(pos, code)
            unmake(pos)
            assert naive.visible(pos) == before, f"{code:#x} in {board.fen()}"


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_noisy_and_quiet_moves_are_all_moves() -> None:
    for board in thrown(BOARDS):
        pos = naive.position(board)
        written = {}
        for kind in (NOISY_MOVES, QUIET_MOVES, ALL_MOVES):
            pos.moves[: 3 * MAX_MOVES] = UNWRITTEN
            end = generate(pos, MAX_MOVES, kind)
            written[kind] = pos.moves[MAX_MOVES:end].tolist()
            assert (pos.moves[:MAX_MOVES] == UNWRITTEN).all()
            assert (pos.moves[end : 3 * MAX_MOVES] == UNWRITTEN).all()
        assert all(code >> 12 & 12 for code in written[NOISY_MOVES]), board.fen()
        assert not any(code >> 12 & 12 for code in written[QUIET_MOVES]), board.fen()
        parts = written[NOISY_MOVES] + written[QUIET_MOVES]
        assert sorted(parts) == sorted(written[ALL_MOVES]) == naive.codes(board), board.fen()


def cornered(rng: random.Random) -> chess.Board:
    """Return a position without check, with a king at the edge and few movable pieces, if any."""
    while True:
        board = chess.Board(None)
        king = rng.choice([square for square in chess.SQUARES if square & 7 in (0, 7)])
        board.set_piece_at(king, chess.Piece(chess.KING, board.turn))
        for kind in [chess.KING, *rng.choices(range(1, 6), [2, 1, 1, 3, 3], k=rng.randint(1, 3))]:
            board.set_piece_at(rng.randrange(64), chess.Piece(kind, not board.turn))
        for kind in rng.choices(range(1, 6), [8, 1, 1, 1, 1], k=rng.randint(0, 3)):
            square = rng.choice([king + step for step in (-9, -8, -7, -1, 1, 7, 8, 9)] + [8, 35])
            if 0 <= square < 64 and not board.piece_at(square):
                board.set_piece_at(square, chess.Piece(kind, board.turn))
        if rng.random() < 0.5:
            board = board.mirror()
        if board.is_valid() and not board.is_check():
            return board


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_stalemate() -> None:
    rng = random.Random(4)
    boards = [cornered(rng) for _ in range(BOARDS)] + [
        chess.Board(fen)
        for fen in (
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "k1K5/p7/P7/8/8/8/8/8 b - - 0 1",
            "k7/n1K5/8/8/8/8/8/R7 b - - 0 1",  # a pinned knight
            "kr1R4/2K5/8/8/8/8/8/8 b - - 0 1",  # a pinned rook can take
            "5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR b KQ - 2 10",  # all pieces but the pawns
            "8/8/8/8/pB6/1p1k4/1P6/K1b5 w - - 0 1",
        )
    ]
    for board in boards:
        assert is_stalemate(naive.position(board)) == board.is_stalemate(), board.fen()
    assert sum(board.is_stalemate() for board in boards) > 4


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_legality_of_moves_from_elsewhere() -> None:
    """`is_legal` decides correctly on moves that come from another position."""
    rng = random.Random(6)
    boards = list(thrown(BOARDS // 10))
    lists = [naive.codes(board) for board in boards]
    foreign = sorted({code for codes in lists for code in codes})
    for board, legal in zip(boards, lists, strict=True):
        pos = naive.position(board)
        sample = rng.sample(foreign, min(len(foreign), 800 if COMPILED else 100))
        sample += [rng.randrange(1 << 16) for _ in sample]
        assert [c for c in sample if is_legal(pos, c)] == [c for c in sample if c in legal]


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_room_for_the_longest_list() -> None:
    pos = naive.position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert len(legal_moves(pos)) == 218


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "castlings"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1 e1h1"),
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", ""),
        ("1r2k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1"),  # b1 may be attacked, g1 may not
        ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1"),  # d1 is crossed
        ("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1"),  # f1 is crossed
        ("r3k2r/8/8/8/8/8/8/4R1K1 b kq - 0 1", ""),  # in check
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1"),  # the king stays
        ("4k3/8/8/8/8/8/8/5RK1 w F - 0 1", "g1f1"),  # the rook is on the left
        ("4k3/8/8/8/8/8/8/1RK4R w HB - 0 1", "c1b1 c1h1"),
        ("4k3/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1"),  # they change places
        ("4k3/8/8/8/8/8/8/1K1R4 w D - 0 1", "b1d1"),  # the king goes far
        ("4k3/8/8/8/8/8/8/RK1B4 w A - 0 1", ""),  # d1 is taken
        ("4k3/8/8/8/8/8/8/RKB5 w A - 0 1", ""),  # c1 is taken
        ("4k3/8/8/8/8/8/8/RN1K4 w A - 0 1", ""),  # the rook cannot pass
        ("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", ""),  # the rook shields the king
        ("4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", ""),
        ("4k3/8/8/8/8/8/8/qRK4R w HB - 0 1", "c1h1"),
        ("1r2k3/8/8/8/8/8/8/1R4K1 w B - 0 1", "g1b1"),  # the rook may be attacked
    ],
)
def test_castling(fen: str, castlings: str) -> None:
    board = board_of(fen)
    pos = naive.position(board)
    found = [code & 0xFFF for code in legal_moves(pos) if code >> 12 == 2]
    moves = [chess.Move.from_uci(text) for text in castlings.split()]
    assert sorted(found) == sorted(move.from_square | move.to_square << 6 for move in moves)
    for move in moves:
        assert is_legal(pos, encode_move(board, move))


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_attacks() -> None:
    rng = random.Random(7)
    kinds = [chess.Piece.from_symbol(symbol) for symbol in "PpNBRQK"]
    for square in chess.SQUARES:
        for _ in range(50 if COMPILED else 2):
            occupied = rng.getrandbits(64) & rng.getrandbits(64) | 1 << square
            for kind, piece in enumerate(kinds):
                expected = attacked(piece, square, occupied)
                assert attacks_of(kind, square, np.uint64(occupied)) == expected


def attacked(piece: chess.Piece, square: int, occupied: int) -> int:
    """Return the squares that a piece attacks, by walking over the board."""
    steps = {
        chess.PAWN: [(-1, 1 if piece.color else -1), (1, 1 if piece.color else -1)],
        chess.KNIGHT: [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x * y) == 2],
        chess.BISHOP: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
        chess.ROOK: [(-1, 0), (1, 0), (0, -1), (0, 1)],
    }
    steps[chess.QUEEN] = steps[chess.KING] = steps[chess.BISHOP] + steps[chess.ROOK]
    slides = piece.piece_type in (chess.BISHOP, chess.ROOK, chess.QUEEN)
    found = 0
    for dx, dy in steps[piece.piece_type]:
        x, y = square % 8 + dx, square // 8 + dy
        while 0 <= x < 8 and 0 <= y < 8:
            found |= 1 << (8 * y + x)
            if not slides or occupied >> (8 * y + x) & 1:
                break
            x, y = x + dx, y + dy
    return found


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_lines() -> None:
    for a in chess.SQUARES[:: 1 if COMPILED else 5]:
        for b in chess.SQUARES:
            assert between(a, b) == chess.between(a, b)
            assert line(a, b) == (chess.ray(a, b) if a != b else 0)
