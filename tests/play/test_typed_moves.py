"""Moves as people type them, and the messages for moves that are not legal."""

import random

import chess
import pytest

from uci.apps.play.typed_moves import read_move
from uci.chess_io.convert import board_of
from uci.errors import UciError

CASTLES = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 8"
PROMOTES = "3n4/P3P3/8/8/8/k7/8/K7 w - - 0 1"
EN_PASSANT = "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"


@pytest.mark.parametrize(
    ("fen", "text", "expected"),
    [
        (None, "e4", "e2e4"), (None, "e2e4", "e2e4"), (None, "e2-e4", "e2e4"),
        (None, "Nf3", "g1f3"), (None, "nf3", "g1f3"), (None, "Ng1-f3", "g1f3"),
        (None, "♘f3!?", "g1f3"), (None, " e4 ", "e2e4"), (None, "Nf3+", "g1f3"),
        (CASTLES, "O-O", "e1h1"), (CASTLES, "0-0-0", "e1a1"), (CASTLES, "o–o", "e1h1"),
        (CASTLES, "e1g1", "e1h1"), (CASTLES, "e1h1", "e1h1"), (CASTLES, "exd5", "e4d5"),
        (PROMOTES, "a8=Q", "a7a8q"), (PROMOTES, "a8N", "a7a8n"), (PROMOTES, "a7a8r", "a7a8r"),
        (PROMOTES, "exd8=b", "e7d8b"), (PROMOTES, "a8(Q)", "a7a8q"),
        (EN_PASSANT, "exd6", "e5d6"), (EN_PASSANT, "exd6 e.p.", "e5d6"),
        ("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1", "bc3", "b2c3"),
        ("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1", "Bc3", "d2c3"),
        ("4k3/8/8/8/8/8/3B4/4K3 w - - 0 1", "bc3", "d2c3"),
    ],
)  # fmt: skip
def test_moves(fen: str | None, text: str, expected: str) -> None:
    assert read_move(board_of(fen), text).uci() == expected


@pytest.mark.parametrize(
    ("fen", "text", "words"),
    [
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", "Nd2 is ambiguous: Nbd2 or Nfd2"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "nd2", "nd2 is ambiguous: Nbd2 or Nfd2"),
        (None, "Nd2", "your own pawn is on d2"),
        (None, "Ne5", "no knight can go to e5; your knight moves: Na3, Nc3, Nf3, Nh3"),
        (None, "e5", "no pawn can go to e5"),
        (None, "e7e5", "the pawn on e7 is not yours"),
        (None, "e4e5", "there is no piece on e4"),
        (None, "g1g3", "no knight can go from g1 to g3"),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "Qd4", "you have no queen"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "Bd3", "your king would be in check"),
        ("4k3/4r3/8/8/8/8/3B4/4K3 w - - 0 1", "Bc3", "your king would still be in check"),
        (PROMOTES, "a8", "promote to which piece? a8=Q"),
        (PROMOTES, "a7a8", "promote to which piece? a7a8q"),
        (None, "O-O", "the piece on f1 is in the way"),
        ("4k3/8/8/8/8/8/8/RKB5 w A - 0 1", "O-O-O", "the piece on c1 is in the way"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", "king or rook has moved"),
        ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "O-O", "your king is in check"),
        ("4k3/5r2/8/8/8/8/8/4K2R w K - 0 1", "O-O", "would cross or reach an attacked square"),
        (None, "e4=Q", "e4 is not a promotion"),
        (None, "bxa3", "bxa3: no pawn can go from b to a3"),
        (None, "bxd3", "Bxd3: no bishop can go to d3"),
        (None, "Nf33", "neither a move nor a command; did you mean Nf3"),
        ("4k3/8/8/8/8/4p3/3P4/4K3 w - - 0 1", "e3", "pawns capture diagonally: dxe3"),
        ("4k3/8/8/3p4/8/1B6/8/4K3 w - - 0 1", "Bcd5", "no bishop can go from c to d5"),
        (None, "castle", "castle is neither a move nor a command"),
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "e3", "no pawn can go to e3"),
    ],
)  # fmt: skip
def test_what_is_wrong(fen: str | None, text: str, words: str) -> None:
    with pytest.raises(UciError) as error:
        read_move(board_of(fen), text)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("number", [None, 0, 959])
def test_every_legal_move_is_understood_in_san_and_uci(number: int | None) -> None:
    rng = random.Random(number)
    board = board_of(chess.Board.from_chess960_pos(number).fen() if number else None)
    for _ in range(40):
        legal = list(board.legal_moves)
        if not legal:
            break
        for move in legal:
            assert read_move(board, board.san(move)) == move
            assert read_move(board, move.uci()) == move
        board.push(rng.choice(legal))


def test_any_text_is_a_legal_move_or_gets_a_line() -> None:
    rng = random.Random(7)
    board = board_of(CASTLES)
    letters = "abcdefgh12345678KQRBNnxo0O-=+#!? ♘é\t%"
    for _ in range(300):
        text = "".join(rng.choices(letters, k=rng.randrange(1, 8)))
        assert reading(board, text)


def reading(board: chess.Board, text: str) -> bool:
    """Return whether a text is a legal move; assert that other texts get one line of error."""
    try:
        return read_move(board, text) in board.legal_moves
    except UciError as error:
        return "\n" not in str(error) and len(str(error)) < 250
