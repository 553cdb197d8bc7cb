"""The output of ``eval``: the value of each piece, marks for missing ones, the correction."""

import chess
import pytest

from engine.search.correction import correction_value
from engine.search.limits import Limits
from helpers.puppet_session import Client
from helpers.search_steps import plain
from uci.chess_io.convert import Game, board_of
from uci.session.backend import Backend
from uci.session.piece_values import BY_RULE, ILLEGAL, piece_values

PINS = "4r1k1/5ppp/8/8/8/8/4B3/q1R1K3 w - - 0 1"
PAIRS = (
    (chess.STARTING_FEN, "d8", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    (chess.STARTING_FEN, "h1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1"),
    ("4k3/8/8/3pP3/8/8/8/R3K3 w - d6 0 2", "d5", "4k3/8/8/4P3/8/8/8/R3K3 w - - 0 2"),
    ("r3k3/pp6/8/8/8/8/PP6/R3K2Q b - - 0 1", "h1", "r3k3/pp6/8/8/8/8/PP6/R3K3 b - - 0 1"),
)


@pytest.mark.parametrize(("fen", "square", "without"), PAIRS)
def test_a_value_is_the_eval_minus_that_without_the_piece(
    kernels: Backend, fen: str, square: str, without: str
) -> None:
    def white_eval(fen: str) -> int:
        board = board_of(fen)
        return kernels.evaluate(board) * (1 if board.turn else -1)

    board = board_of(fen)
    values = piece_values(kernels, board)
    assert values[chess.parse_square(square)] == white_eval(fen) - white_eval(without)
    assert values.keys() == {*chess.SquareSet(board.occupied & ~board.kings)}
    assert board.fen() == board_of(fen).fen()


@pytest.mark.parametrize(
    ("fen", "marks"),
    [
        (PINS, {"e2": ILLEGAL, "c1": ILLEGAL}),
        ("4r1k1/8/8/8/8/8/4B3/4K3 b - - 0 1", {"e2": ILLEGAL, "e8": BY_RULE}),
        ("8/8/4k3/8/8/3K4/3Q4/r7 b - - 0 1", {"d2": BY_RULE, "a1": BY_RULE}),
        ("8/8/4k3/8/8/3KP3/8/8 w - - 0 1",
         {"e3": BY_RULE}),
    ],
)  # fmt: skip
def test_marks(kernels: Backend, fen: str, marks: dict[str, str]) -> None:
    values = piece_values(kernels, board_of(fen))
    found = {chess.square_name(at): mark for at, mark in values.items() if isinstance(mark, str)}
    assert found == marks


def test_the_board(client: Client) -> None:
    material = {"r": 500, "R": 500, "p": 100, "P": 100, "B": 330}

    def evaluate(board: chess.Board) -> int:
        pieces = board.piece_map().values()
        white = sum(
            material.get(piece.symbol(), 0) * (1 if piece.color else -1) for piece in pieces
        )
        return white if board.turn else -white

    client.engine.evaluate = evaluate  # type: ignore[method-assign]
    client.say("position fen 4r1k1/6pp/8/8/8/8/4B2P/4K2R b - - 0 1", "eval")
    assert client.until("info string evaluation") == [
        "Piece values: static eval minus that without the piece (centipawns, White's view)",
        "8  .        .        .        .        r  -500  .        k        .",
        "7  .        .        .        .        .        .        p  -100  p  -100",
        *(f"{rank}{'  .      ' * 8}".rstrip() for rank in (6, 5, 4, 3)),
        "2  .        .        .        .        B     x  .        .        P  +100",
        "1  .        .        .        .        K        .        .        R  +500",
        "    a        b        c        d        e        f        g        h",
        "x: without the piece a king is in check: the position is illegal or never evaluated",
        "info string corrected evaluation -235 cp, wdl 0 49 951 for the side to move",
        "info string evaluation -230 cp for the side to move",
    ]


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("4k3/8/8/8/8/8/4r3/4K2R w - - 0 1", "in check: the search does not evaluate"),
        ("4k3/8/8/8/8/8/8/4K1B1 w - - 0 1", "this position is a draw or evaluated by rule"),
        ("4k3/8/8/8/8/8/8/4K2Q w - - 0 1", "this position is a draw or evaluated by rule"),
    ],
)
def test_positions_without_piece_values(real_client: Client, fen: str, reason: str) -> None:
    real_client.say(f"position fen {fen}", "eval")
    explained, static = real_client.until("info string evaluation")[-2:]
    assert explained.startswith(f"info string {reason}")
    assert static.endswith(" cp for the side to move")
    assert not any("Piece values" in line for line in real_client.heard)


def test_the_correction_is_what_the_search_has_learned(kernels: Backend) -> None:
    kernels.searcher.clear()
    board = board_of(chess.STARTING_FEN)
    assert kernels.correction(board) == 0
    for _ in kernels.begin(Game(None, (), board), Limits(nodes=20_000), None):
        pass
    step, th, found = plain(correction_value), kernels.searcher._thread, set()
    for move in ("e2e4", "e7e5", "g1f3", "b8c6"):
        board.push_uci(move)
        found.add(kernels.correction(board))
        assert kernels.correction(board) == step(Backend._record(board), th, 0)
    assert found != {0}
