"""The fallback search: it misses no mate in one, hangs no piece, and answers in time."""

import itertools
import random
from collections.abc import Iterator

import chess
import pytest

from engine.search.score import MATE
from helpers.cases import at_least
from uci.strength.fallback_search import FallbackLine, search


def best(fen: str, max_depth: int = 3) -> FallbackLine:
    *_, last = search(chess.Board(fen, chess960=True), lambda: False, max_depth)
    return last


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8"),
        ("k2r4/8/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1"),
        ("6rk/6pp/7N/8/8/8/8/K5R1 w - - 0 1", "h6f7"),
        ("7k/P5pp/8/8/8/8/8/K7 w - - 0 1", "a7a8q a7a8r"),
        ("4k3/4P3/4K3/8/8/8/8/7R w - - 0 1", "h1h8"),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_mates_in_one(fen: str, moves: str, depth: int) -> None:
    line = best(fen, depth)
    assert line.moves[0].uci() in moves.split()
    assert line.score == MATE - 1
    assert len(line.moves) == 1


@pytest.mark.parametrize(
    "fen", ["k7/8/8/8/3B4/8/6K1/8 b - - 0 1", "8/8/8/3kR3/8/8/6K1/8 b - - 0 1"]
)
def test_dead_positions_are_draws(fen: str) -> None:
    assert best(fen).score == 0


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_fifty_moves_are_a_draw_but_for_a_mate(depth: int) -> None:
    queen_against_rook = "5R2/k7/8/8/1K6/6q1/8/8 b - - {} 158"
    assert best(queen_against_rook.format(99), depth).score == 0
    if depth > 1:
        assert best(queen_against_rook.format(98), depth).score == 0
    assert best(queen_against_rook.format(0), depth).score > 300
    assert best("6k1/5ppp/8/8/8/8/8/K2R4 w - - 99 90", depth).score == MATE - 1


def mates_in_one() -> Iterator[tuple[chess.Board, list[chess.Move]]]:
    """Yield positions of random games with a mate in one (two a game at most), and their mates."""
    for seed in range(16):
        dice, board, found = random.Random(seed), chess.Board(chess960=True), 0
        while not board.is_game_over() and board.ply() < 120 and found < 2:
            mates = []
            for move in board.legal_moves:
                board.push(move)
                if board.is_checkmate():
                    mates.append(move)
                board.pop()
            if mates:
                found += 1
                yield board, mates
            board.push(dice.choice(list(board.legal_moves)))


@pytest.mark.parametrize("depth", [1, 2])
def test_random_mates_in_one(depth: int) -> None:
    """A mate in one is found in positions of random games, at every depth."""
    for board, mates in at_least(15, mates_in_one()):
        *_, line = search(board, lambda: False, depth)
        assert line.moves == [line.moves[0]]
        assert line.moves[0] in mates


@pytest.mark.parametrize(
    ("fen", "bad"),
    [
        # A piece is attacked and must not stay; another could walk into a capture.
        ("rnbqkbnr/ppp1pppp/8/3p4/8/2N5/PPPPPPPP/R1BQKBNR b KQkq - 1 2", "d8d6"),
        ("rnbqkb1r/pppp1ppp/5n2/4p3/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 3", "d1g4 d1h5 c1h6"),
        ("4k3/8/8/3p4/4N3/8/8/4K3 w - - 0 1", "e1e2 e1d1 e1f1 e1d2 e1f2"),
        ("4k3/8/3q4/8/8/8/3P4/3QK3 b - - 0 1", "d6d2"),
    ],
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_it_does_not_play(fen: str, bad: str, depth: int) -> None:
    assert best(fen, depth).moves[0].uci() not in bad.split()


@pytest.mark.parametrize("depth", [2, 3])
def test_it_sees_the_mate_that_threatens(depth: int) -> None:
    fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
    assert best(fen, depth).moves[0].uci() in ("g7g6", "d8e7", "d8f6", "g8h6")


def loss(board: chess.Board, move: chess.Move) -> int:
    """Return the value of a piece that a move leaves unprotected, less the value it captured."""
    values = (0, 1, 3, 3, 5, 9, 0)
    gain = values[board.piece_type_at(move.to_square) or 0]
    gain += values[move.promotion] - 1 if move.promotion else 0
    board.push(move)
    worst = 0
    for reply in board.generate_legal_captures():
        victim = values[board.piece_type_at(reply.to_square) or 1]
        board.push(reply)
        if not any(m.to_square == reply.to_square for m in board.legal_moves):
            worst = max(worst, victim)
        board.pop()
    board.pop()
    return worst - gain


def safe_boards() -> Iterator[chess.Board]:
    """Yield positions of random games where most moves give nothing away."""
    for seed in range(40):
        dice, board = random.Random(seed), chess.Board(chess960=True)
        for _ in range(8 + seed % 12):
            board.push(dice.choice(list(board.legal_moves)))
        moves = list(board.legal_moves)
        if 2 * sum(loss(board, move) <= 0 for move in moves) > len(moves):
            yield board


@pytest.mark.parametrize("depth", [1, 2])
def test_no_piece_is_hung_to_a_single_capture(depth: int) -> None:
    """In positions where most moves are safe, no piece is given away."""
    for board in at_least(20, safe_boards()):
        *_, line = search(board, lambda: False, depth)
        assert loss(board, line.moves[0]) < 3, (board.fen(), line)


@pytest.mark.parametrize("seed", range(8))
def test_lines_are_legal_and_the_board_is_left_alone(seed: int) -> None:
    dice, board = random.Random(seed), chess.Board.from_chess960_pos(seed * 100)
    for _ in range(dice.randrange(60)):
        if moves := list(board.legal_moves):
            board.push(dice.choice(moves))
    assert any(board.legal_moves)
    before = board.copy()
    for depth, line in enumerate(search(board, lambda: False), 1):
        assert line.depth == depth <= line.seldepth
        assert line.nodes > 0
        replay = board.copy()
        for move in line.moves:
            assert replay.is_legal(move)
            replay.push(move)
    assert board == before
    assert board.move_stack == before.move_stack


def test_a_stalemate_does_not_throw_away_a_win() -> None:
    fen = "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"
    assert best(fen).moves[0].uci() != "f5f7"
    assert best("k7/8/1K6/8/8/8/8/1Q6 w - - 0 1", 1).score > 500


@pytest.mark.parametrize("nodes", [1, 2, 30, 200])
def test_nodes_are_a_limit(nodes: int) -> None:
    counts = [line.nodes for line in search(chess.Board(), lambda: False, max_nodes=nodes)]
    assert counts[0] == min(nodes, 20)
    assert counts[-1] <= nodes
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    (line,) = search(board, lambda: False, max_nodes=50)
    assert line.nodes == 50


def test_stopped_at_once_there_is_a_move_all_the_same() -> None:
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    (line,) = search(board, lambda: True)
    assert board.is_legal(line.moves[0])


@pytest.mark.parametrize("looks", [1, 20, 300])
def test_it_looks_often_whether_it_is_halted(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    board = chess.Board("q1k2n1q/8/1q4q1/8/3Q2Q1/8/1Q1Q2Q1/2K1N2Q w - - 0 1")  # many captures
    push, made, asked = chess.Board.push, [], itertools.count(1)

    def counted(board: chess.Board, move: chess.Move) -> None:
        made.append(move)
        push(board, move)

    monkeypatch.setattr(chess.Board, "push", counted)
    assert list(search(board, lambda: next(asked) >= looks))
    assert looks <= len(made) <= 8 * looks
