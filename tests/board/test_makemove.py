"""Make and unmake in lockstep with python-chess: every field, the key, repetition, draws."""

import random
from collections import Counter
from typing import Any

import chess
import numpy as np
import pytest

from engine.board import makemove, position
from engine.board.legality import is_legal
from engine.board.makemove import make, unmake
from engine.board.movegen import legal_moves
from engine.board.position import POSITION, new_position
from engine.jit.kernel import COMPILED
from helpers import naive
from helpers.entries import entry
from uci.chess_io.convert import board_of, encode_move, fill

STEP = 1 if COMPILED else 4093
"""The step through all 65,536 moves that are tried for legality at each position."""

GAMES, PLIES = (12, 120) if COMPILED else (8, 60)

FLAGS = {0: "quiet", 1: "double push", 2: "castling", 4: "capture", 5: "en passant"}
FLAGS |= dict.fromkeys((8, 9, 10, 11), "promotion")
FLAGS |= dict.fromkeys((12, 13, 14, 15), "promotion with capture")
RULES = {*FLAGS.values(), "threefold"}
"""The rules that must have applied in the random games."""


@entry(POSITION, np.int64)
def repeated(pos: Any, ply: Any) -> Any:
    return position.repeated(pos, ply, True)


@entry(POSITION, np.int64)
def repeated_before(pos: Any, ply: Any) -> Any:
    return position.repeated(pos, ply, False)


@entry(POSITION)
def insufficient_material(pos: Any) -> Any:
    return position.insufficient_material(pos)


@entry(POSITION)
def make_null(pos: Any) -> None:
    makemove.make_null(pos)


@entry(POSITION)
def unmake_null(pos: Any) -> None:
    makemove.unmake_null(pos)


@entry(POSITION, np.int64, np.int64)
def filter_legal(pos: Any, start: Any, step: Any) -> Any:
    """Write the legal ones of every ``step``-th 16-bit number to the move list; return how many."""
    count = 0
    for move in range(start, 65536, step):
        if is_legal(pos, move):
            pos.moves[count] = move
            count += 1
    return count


class Lockstep:
    """A record that follows a python-chess board, and is compared with it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pos, self.fresh = new_position(), new_position()
        self.past: list[str] = []
        self.states: list[bytes] = []
        self.codes: list[int] = []
        self.met: Counter[str] = Counter()
        self.key_of: dict[str, int] = {}

    def follow(self, board: chess.Board) -> None:
        """Make the board's last move and compare everything."""
        if board.move_stack:
            move = board.pop()
            code = encode_move(board, move)
            board.push(move)
            make(self.pos, code)
            self.codes.append(code)
            self.met[FLAGS[code >> 12]] += 1
        else:
            fill(self.pos, board)
        self.past.append(board.epd(en_passant="legal"))
        self.states.append(naive.visible(self.pos))
        self.compare_fields(board)
        self.compare_draws(board)
        self.compare_moves(board)
        if not board.is_check() and self.rng.random() < 0.3:
            self.compare_null_move(board)

    def compare_fields(self, board: chess.Board) -> None:
        for name, expected in naive.fields(board).items():
            found = np.atleast_1d(self.pos[name]).tolist()
            if name == "castling_rook":  # only the rooks of present rights count
                found = [r if self.pos.castling >> i & 1 else 0 for i, r in enumerate(found)]
            assert found == expected, f"{name} in {board.fen()}"
        fill(self.fresh, board)
        assert self.pos.key == self.fresh.key, board.fen()
        assert self.key_of.setdefault(self.past[-1], self.pos.key) == self.pos.key
        assert len(set(self.key_of.values())) == len(self.key_of), "two positions share a key"
        assert self.pos.game_ply == len(board.move_stack)

    def compare_draws(self, board: chess.Board) -> None:
        now = self.past[-1]
        threefold = self.past.count(now) >= 3
        self.met["threefold"] += threefold
        assert repeated(self.pos, 0) == threefold, board.fen()
        for ply in (1, 2, 3, 4, 5, 8, len(self.past) - 1):
            expected = threefold or now in self.past[:-1][-ply:]
            assert repeated(self.pos, ply) == expected, f"{board.fen()} at ply {ply}"
            before = self.past[:-1][: len(self.past) - 1 - ply].count(now) >= 2
            assert repeated_before(self.pos, ply) == before, f"{board.fen()} at ply {ply}"
        assert insufficient_material(self.pos) == board.is_insufficient_material()

    def compare_moves(self, board: chess.Board) -> None:
        """Compare the legal moves of all generators; make some and unmake them."""
        legal = naive.codes(board)
        assert sorted(legal_moves(self.pos)) == legal, board.fen()
        start = self.rng.randrange(STEP)
        found = self.pos.moves[: filter_legal(self.pos, start, STEP)].tolist()
        assert found == [code for code in legal if code % STEP == start], board.fen()
        for code in self.rng.sample(legal, min(len(legal), 4)):
            assert is_legal(self.pos, code), f"{code:#x} in {board.fen()}"
            make(self.pos, code)
            unmake(self.pos)
            assert naive.visible(self.pos) == self.states[-1], f"{code:#x} in {board.fen()}"

    def compare_null_move(self, board: chess.Board) -> None:
        board.push(chess.Move.null())
        make_null(self.pos)
        fill(self.fresh, board)
        for name in (*naive.fields(board), "key"):
            if name != "castling_rook":
                assert np.array_equal(self.pos[name], self.fresh[name]), f"{name} in {board.fen()}"
        assert not repeated(self.pos, 3)
        board.pop()
        unmake_null(self.pos)
        assert naive.visible(self.pos) == self.states[-1], board.fen()

    def go_back(self, plies: int) -> None:
        """Unmake moves, and compare each position with the recorded one."""
        for state in self.states[-2 : -2 - plies : -1]:
            unmake(self.pos)
            assert naive.visible(self.pos) == state

    def go_forth(self, plies: int) -> None:
        """Make the unmade moves again."""
        for code, state in list(zip(self.codes, self.states[1:], strict=True))[-plies:]:
            make(self.pos, code)
            assert naive.visible(self.pos) == state


@pytest.mark.slow
@pytest.mark.parametrize("chess960", [False, True])
@pytest.mark.parametrize(
    ("games", "plies"),
    [
        pytest.param(GAMES, PLIES, marks=[pytest.mark.interpreted, pytest.mark.boundscheck]),
        pytest.param(1000, 200, marks=pytest.mark.long),
    ],
)
def test_lockstep(games: int, plies: int, chess960: bool) -> None:
    met: Counter[str] = Counter()
    for seed in range(games):
        rng = random.Random(seed)
        lockstep = Lockstep(random.Random(seed))
        for board in naive.random_boards(rng, chess960, plies):
            lockstep.follow(board)
            if len(board.move_stack) > 5 and rng.random() < 0.1:
                lockstep.go_back(5)
                lockstep.go_forth(5)
        met += lockstep.met
        lockstep.go_back(len(lockstep.codes))
        assert lockstep.pos.game_ply == 0
    if COMPILED:
        assert all(met[rule] for rule in RULES), met


KNIGHTS = ["g1f3", "g8f6", "f3g1", "f6g8"]
ROOKS = ["h1g1", "h8g8", "g1h1", "g8h8"]
KINGS = ["e8d8", "e1d1", "d8e8", "d1e1"]
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
EN_PASSANT = "4k3/8/8/8/2p5/8/3P4/4K3 w - - 0 1"


def play(moves: list[str], fen: str = chess.STARTING_FEN) -> Any:
    """Return the record of a position after some moves."""
    board = board_of(fen)
    pos = naive.position(board)
    for text in moves:
        move = board.parse_uci(text)
        make(pos, encode_move(board, move))
        board.push(move)
    return pos


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "moves", "draws_from"),  # the lowest search ply at which it is a draw; 9: none
    [
        (chess.STARTING_FEN, KNIGHTS[:3], 9),
        (chess.STARTING_FEN, KNIGHTS, 4),
        (chess.STARTING_FEN, KNIGHTS * 2, 0),
        (chess.STARTING_FEN, [*KNIGHTS, KNIGHTS[0]], 4),
        (chess.STARTING_FEN, ["e2e4", "e7e5", *KNIGHTS], 4),
        (chess.STARTING_FEN, [*KNIGHTS, "e2e4", "e7e5", *KNIGHTS[:3]], 9),
        (CASTLING, ROOKS, 9),  # the right to castle is gone
        (CASTLING, ROOKS * 2, 4),
        (EN_PASSANT, ["d2d4", *KINGS], 9),  # the right to capture is gone
        (EN_PASSANT, ["d2d4", *KINGS, *KINGS], 4),
    ],
)
def test_repetition(fen: str, moves: list[str], draws_from: int) -> None:
    pos = play(moves, fen)
    assert [ply for ply in range(9) if repeated(pos, ply)] == list(range(draws_from, 9))


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_no_repetition_across_a_null_move() -> None:
    pos = play(KNIGHTS * 2)
    make_null(pos)
    make_null(pos)
    assert not repeated(pos, 4)
    unmake_null(pos)
    unmake_null(pos)
    assert repeated(pos, 0)


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize(
    ("fen", "move", "square"),
    [
        (EN_PASSANT, "d2d4", chess.D3),
        ("4k3/1p6/8/2P5/8/8/8/4K3 b - - 0 1", "b7b5", chess.B6),
        ("4k3/8/8/8/7p/8/P7/4K3 w - - 0 1", "a2a4", 0),  # h4 is no neighbour of a4
        ("8/8/8/8/k1p4R/8/3P4/4K3 w - - 0 1", "d2d4", 0),  # both pawns leave the king's rank
        ("8/8/8/8/k1p1p2R/8/3P4/4K3 w - - 0 1", "d2d4", chess.D3),  # a third one stays there
        ("8/8/8/2k5/2p5/8/3P4/4K3 w - - 0 1", "d2d4", chess.D3),  # the pawn that checks
        ("2k5/8/8/8/2p5/8/3P4/2R1K3 w - - 0 1", "d2d4", 0),  # pinned on its file
        ("8/8/k7/8/2p5/8/3P4/4KB2 w - - 0 1", "d2d4", chess.D3),  # pinned, moves on the line
        ("1k6/8/8/8/4p3/8/3P2B1/4K3 w - - 0 1", "d2d4", chess.D3),
        ("k7/8/8/8/4p3/8/3P2B1/4K3 w - - 0 1", "d2d4", 0),  # pinned, would leave the line
        ("k7/8/8/8/2p1p3/8/3P2B1/4K3 w - - 0 1", "d2d4", chess.D3),  # but its neighbour is free
        ("8/rp2K3/8/2P5/8/8/8/k7 b - - 0 1", "b7b5", 0),  # the push discovered a check
    ],
)
def test_en_passant_square_only_where_the_capture_is_legal(
    fen: str, move: str, square: int
) -> None:
    pos = play([move], fen)
    assert pos.en_passant == square
    board = board_of(fen)
    board.push_uci(move)
    assert pos.key == naive.position(board).key


@pytest.mark.interpreted
def test_insufficient_material() -> None:
    rng = random.Random(1)
    found = Counter[bool]()
    for _ in range(300):
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, 6)
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, chess.BLACK))
        for _ in range(rng.randrange(5)):
            kind = rng.choice([chess.BISHOP, chess.BISHOP, chess.KNIGHT, rng.randint(1, 5)])
            board.set_piece_at(squares.pop(), chess.Piece(kind, rng.random() < 0.5))
        expected = board.is_insufficient_material()
        assert insufficient_material(naive.position(board)) == expected, board.fen()
        found[expected] += 1
    assert min(found.values()) > 50
