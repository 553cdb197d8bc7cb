"""FENs as programs and people write them: accepted, accepted with a note, or rejected."""

import chess
import pytest

from uci.chess_io.convert import board_of
from uci.chess_io.fen import read_fen
from uci.errors import UciError

START = chess.STARTING_BOARD_FEN


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - - 0 1",
        "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "k7/8/8/8/8/8/8/KK6 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w XYZ - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq foo 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w K-q - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1",
        "QQQQQQQQ/QQ5k/8/8/8/8/8/K7 b - - 0 1",
        "garbage",
        "",
    ],
)
def test_illegal_fens(fen: str) -> None:
    with pytest.raises(UciError) as error:
        board_of(fen)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize(
    ("fen", "means", "notes"),
    [
        (f"{START} w KQkq -", "w KQkq - 0 1", ""),
        (f"{START} w KQkq -;", "w KQkq - 0 1", ""),
        (f"{START} w HAha - 0 1", "w KQkq - 0 1", ""),
        (f"{START} w KQkq - 0 {'9' * 5000}", "w KQkq - 0 1000000", ""),
        (f"{START} w KQkq - {'9' * 400} 7", "w KQkq - 1000 7", ""),
        # Missing fields.
        (f"{START} b", "b - - 0 1", "assumed castling -, en passant -"),
        (f"{START} b KQkq", "b KQkq - 0 1", "assumed en passant -"),
        (f"{START} b KQkq 4 9", "b KQkq - 4 9", "assumed en passant -"),
        (f"{START} b 4 9", "b - - 4 9", "assumed castling -, en passant -"),
        (f"{START} w KQkq - 5", "w KQkq - 5 1", "assumed move number 1"),
        # Counters that are not numbers, or too small.
        (f"{START} w KQkq - - -", "w KQkq - 0 1", "assumed halfmove clock 0, move number 1"),
        (f"{START} w KQkq - -1 -1", "w KQkq - 0 1", "assumed halfmove clock 0, move number 1"),
        (f"{START} w KQkq - -1 9", "w KQkq - 0 9", "assumed halfmove clock 0"),
        (f"{START} w KQkq - 7 -", "w KQkq - 7 1", "assumed move number 1"),
        (f"{START} w KQkq - 0 0", "w KQkq - 0 1", "assumed move number 1"),
        # Castling rights in any order, of any letters.
        (f"{START} w qkQK - 0 1", "w KQkq - 0 1", ""),
        (f"{START} w kKqQ - 0 1", "w KQkq - 0 1", ""),
        (f"{START} w kQ - 0 1", "w Qk - 0 1", ""),
        (f"{START} w haAH - 0 1", "w KQkq - 0 1", ""),
        (f"{START} w KQkqAHahKK - 0 1", "w KQkq - 0 1", ""),
        # Operations and words after the fields.
        (f"{START} w KQkq - 3 9 bm e4;", "w KQkq - 3 9", "ignored bm e4"),
        (f'{START} w KQkq - bm e4; id "a; b";', "w KQkq - 0 1", 'ignored bm e4, id "a; b"'),
        (f"{START} w KQkq - hmvc 7; fmvn 30;", "w KQkq - 7 30", ""),
        (f"{START} w KQkq - fmvn 30; ce 12", "w KQkq - 0 30", "ignored ce 12"),
        (f'{START} w KQkq - 5 id "x";', "w KQkq - 5 1", 'ignored id "x"; assumed move number 1'),
        (f"{START} w KQkq - 0 1 7", "w KQkq - 0 1", "ignored 7"),
        (f"{START} w KQkq - 0 1 // Start", "w KQkq - 0 1", "ignored // Start"),
        (f"{START} w KQkq - 0 x", "w KQkq - 0 1", "ignored x; assumed move number 1"),
        # A slash, quotes and spaces around it.
        (f"{START}/ w KQkq - 0 1", "w KQkq - 0 1", "ignored / after the board"),
        (f'"{START} w KQkq - 0 1"', "w KQkq - 0 1", "ignored quotes"),
        (f"  {START}\t w  KQkq -  0 1 ", "w KQkq - 0 1", ""),
        # Castling rights and en-passant squares that the pieces contradict.
        (f"{START} w KQkqC e6 0 1", "w KQkq - 0 1", "dropped castling C, en passant e6"),
    ],
)
def test_lenient_fens(fen: str, means: str, notes: str) -> None:
    board, noted = read_fen(fen)
    assert board.fen() == f"{START} {means}"
    assert noted == notes


@pytest.mark.parametrize(
    ("fen", "kept", "dropped"),
    [
        ("4k3/8/8/8/8/8/8/R3K3 w KQkq -", "Q", "Kkq"),
        ("4k3/8/8/8/8/8/8/4K3 w qkQK -", "-", "qkQK"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ -", "-", "KQ"),
        ("4k3/8/8/8/8/8/8/RR2K3 w QB -", "Q", "B"),
        ("r4rk1/8/8/8/8/8/8/R4RK1 w KQkq -", "-", "KQkq"),
    ],
)
def test_castling_rights_that_the_pieces_contradict(fen: str, kept: str, dropped: str) -> None:
    board, noted = read_fen(fen)
    assert board.castling_xfen() == kept
    assert noted == f"dropped castling {dropped}"


@pytest.mark.parametrize(
    ("fen", "kept", "dropped"),
    [
        ("8/8/8/4k3/8/8/8/2K4R w K -", "-", "castling K (UCI_Chess960 is false)"),
        ("8/8/8/4k3/8/8/8/2K4R w HAa -", "-", "castling Aa, castling H (UCI_Chess960 is false)"),
        ("4k3/8/8/8/8/8/8/2R1K2R w KQ -", "K", "castling Q (UCI_Chess960 is false)"),
        ("1r2k1r1/8/8/8/8/8/8/4K3 w bg -", "-", "castling bg (UCI_Chess960 is false)"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w ahKQ -", "KQkq", ""),
    ],
)
def test_castling_rights_of_chess960(fen: str, kept: str, dropped: str) -> None:
    board, noted = read_fen(fen, chess960=False)
    assert board.castling_xfen() == kept
    assert board.chess960
    assert noted == (f"dropped {dropped}" if dropped else "")


def test_an_en_passant_square_without_its_pawn() -> None:
    board, noted = read_fen("4k3/8/8/8/8/8/8/4K3 w - e6 0 1")
    assert board.ep_square is None
    assert noted == "dropped en passant e6"


def test_notes_are_short() -> None:
    fen = f"{START} w KQkqD e6 - - {'bm e4; ' * 1000}"
    assert len(read_fen(fen)[1]) < 200
