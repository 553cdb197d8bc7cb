"""Moves as people and programs write them: PGN, suites and play read them alike."""

import io

import chess
import pytest

from uci.apps.epd.suite_file import read_problem
from uci.apps.games.move_reading import (
    AmbiguousMove,
    IllegalMove,
    MissingPromotion,
    UnreadableMove,
    read_move,
)
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import split_games
from uci.apps.play.typed_moves import read_move as typed
from uci.chess_io.convert import board_of

START = chess.STARTING_FEN
CASTLES = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R w KQkq - 0 8"
PROMOTES = "3n4/P3P3/8/8/8/k7/8/K7 w - - 0 1"
EN_PASSANT = "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"
BISHOP = "4k3/8/8/8/8/8/3B4/4K3 w - - 0 1"
PAWN_OR_BISHOP = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1"

SPELLINGS = [
    (START, "g1f3", "Nf3 nf3 ♘f3 ♞f3 ♘\ufe0ef3 Ng1f3 Ng1-f3 ng1-f3 g1f3 g1-f3 Nf3+ Nf3! Nf3?!"),
    (START, "e2e4", "e4 Pe4 pe4 ♙e4 ♟e4 Pe2-e4 e2e4 e2-e4 e2–e4"),
    (CASTLES, "e1h1", "O-O 0-0 o-o O–O O-O+"),
    (CASTLES, "e1a1", "O-O-O 0-0-0 o-o-o O‑O‑O"),
    (CASTLES, "e4d5", "exd5 e:d5 e×d5 e4xd5 e4d5 ed5 Pexd5 Pxd5 ♙xd5"),
    (PROMOTES, "a7a8q", "a8=Q a8Q a8(Q) a8=(Q) a8/Q a8=q a8q a7a8q a7-a8=Q a7a8(Q) Pa8=Q"),
    (PROMOTES, "e7d8n", "exd8=N e:d8N ed8(N) e7xd8=N e7d8n"),
    (EN_PASSANT, "e5d6", "exd6 exd6e.p. exd6ep e5d6"),
    (BISHOP, "d2c3", "Bc3 bc3 ♗c3 d2c3 bd2-c3"),
    (PAWN_OR_BISHOP, "b2c3", "bc3 bxc3 b2c3 Pbxc3"),
]


@pytest.mark.parametrize(
    ("fen", "move", "text"),
    [(fen, move, text) for fen, move, texts in SPELLINGS for text in texts.split()],
)
def test_all_commands_read_the_same_spellings(fen: str, move: str, text: str) -> None:
    board = board_of(fen)
    meant = chess.Move.from_uci(move)
    assert read_move(board, text) == meant
    assert typed(board, text) == meant
    position = fen.rsplit(" ", 2)[0]
    assert read_problem("x", 1, f"{position} bm {text};")[0].goal.best == (meant,)
    (raw,) = split_games(io.BytesIO(f'[FEN "{fen}"]\n\n{text} *\n'.encode()))
    game = read_game(raw)
    assert not game.errors
    assert game.end().board() == _after(board, meant)


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    board = board.copy()
    board.push(move)
    return chess.Board(board.fen())


@pytest.mark.parametrize(
    ("fen", "text", "kind", "why"),
    [
        (START, "Ke2", IllegalMove, "Ke2 is illegal"),
        (START, "e7e5", IllegalMove, "e7e5 is illegal"),
        (START, "O-O", IllegalMove, "O-O is illegal"),
        (START, "e4=Q", IllegalMove, "e4=Q is illegal: it is not a promotion"),
        (START, "xyz", UnreadableMove, "xyz is not a move"),
        (START, "--", UnreadableMove, "-- is not a move"),
        (START, "", UnreadableMove, " is not a move"),
        (PROMOTES, "a8", MissingPromotion, "a8 is ambiguous: a8=Q+ or a8=R+ or a8=B or a8=N"),
        (PROMOTES, "a7a8", MissingPromotion, "a7a8 is ambiguous: a7a8q or a7a8r or"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "Nd2", AmbiguousMove, "Nd2 is ambiguous: Nbd2 or"),
        (START, "e4" + "!" * 100_000, UnreadableMove, "e4!!"),
    ],
)
def test_errors_name_the_move(fen: str, text: str, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind) as error:
        read_move(board_of(fen), text)
    assert str(error.value).startswith(why)
    assert len(str(error.value)) < 100


def test_errors_of_a_game_name_its_moves() -> None:
    fen = "8/8/8/8/8/k7/8/K7 w - - 0 4"
    (raw,) = split_games(io.BytesIO(f'[FEN "{fen}"]\n\n4. Ka2 Ka4 *\n'.encode()))
    with pytest.raises(BadGame, match=r"^4\. Ka2 is illegal$"):
        read_game(raw)
