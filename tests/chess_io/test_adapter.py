"""Conversion to and from python-chess: FEN, moves, and records that follow a game."""

import random

import chess
import pytest

from engine.board.movegen import legal_moves
from engine.board.position import new_position
from engine.search.score import MATE
from uci.chess_io import convert
from uci.chess_io.convert import (
    Game,
    RootPosition,
    board_of,
    castling_rooks,
    encode_move,
    fill,
    move_to_uci,
    new_game,
)
from uci.errors import UciError
from uci.protocol.commands import SetPosition

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def game(*moves: str, fen: str | None = None) -> Game:
    return new_game().after(SetPosition(fen, moves))


def test_positions_that_no_game_reaches_can_be_played_from() -> None:
    assert board_of("4k3/8/8/8/8/8/3rrr2/4K3 w - - 0 1").is_check()


def test_a_growing_game_is_followed() -> None:
    first = game("e2e4", "e7e5")
    second = first.after(SetPosition(None, ("e2e4", "e7e5", "g1f3")))
    assert [move.uci() for move in second.board.move_stack] == ["e2e4", "e7e5", "g1f3"]
    assert len(first.board.move_stack) == 2, "a game never changes"
    back = second.after(SetPosition(None, ("e2e4",)))
    assert back.board.fen() == game("e2e4").board.fen()
    assert back.after(SetPosition(None, ())).board.fen() == chess.STARTING_FEN
    assert back.after(SetPosition(KIWIPETE, ())).board.fen() == KIWIPETE


def test_only_new_moves_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    real = convert.parse_move

    def spy(board: chess.Board, text: str) -> chess.Move:
        parsed.append(text)
        return real(board, text)

    monkeypatch.setattr(convert, "parse_move", spy)
    game("e2e4", "e7e5").after(SetPosition(None, ("e2e4", "e7e5", "g1f3")))
    assert parsed == ["e2e4", "e7e5", "g1f3"]


@pytest.mark.parametrize(
    "move", ["e2e5", "e7e5", "0000", "e2", "e2e4q", "E2E4", "P@e4", "a0a1", "♔", "e1g1", "e2e4 "]
)
def test_illegal_moves(move: str) -> None:
    with pytest.raises(UciError):
        game(move)
    with pytest.raises(UciError):
        game("g1f3", move, "e7e5")


def test_a_promotion_in_either_case() -> None:
    board = board_of("8/4P3/8/8/8/k7/8/K7 w - - 0 1")
    assert convert.parse_move(board, "e7e8N") == convert.parse_move(board, "e7e8n")


def test_final_scores() -> None:
    assert new_game().final_score() is None
    assert game("f2f3", "e7e5", "g2g4", "d8h4").final_score() == -MATE
    assert game(fen="7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").final_score() == 0
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8") * 3
    assert game(*shuffle).final_score() is None, "there are legal moves after a repetition"
    assert game(fen="7k/8/8/8/8/8/8/K7 w - - 0 1").final_score() is None


@pytest.mark.parametrize(
    ("fen", "move", "drawn"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2", True),
        ("4k1n1/8/8/8/8/8/8/4K3 w - - 0 1", "e1e2", True),
        ("5bk1/4b3/8/8/8/8/8/2B1K3 w - - 0 1", "e1e2", True),  # all on dark squares
        ("5bk1/4b3/8/8/8/8/8/3BK3 w - - 0 1", "e1e2", False),
        ("k7/P7/2K5/8/8/8/8/8 w - - 0 1", "c6b6", True),  # stalemate
        ("k7/P7/2K5/8/8/8/8/8 w - - 0 1", "c6c5", False),
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h2", True),
        ("k7/8/1K6/8/8/8/8/7R w - - 98 80", "h1h2", False),
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h8", False),  # mates
        ("k7/8/1K6/8/8/8/P7/7R w - - 99 80", "a2a3", False),
        ("k7/8/1K6/8/7r/8/8/7R w - - 99 80", "h1h4", False),
        ("k7/8/1K6/8/7r/8/8/7R b - - 99 80", "h4h1", False),
        ("k7/8/1K6/8/7n/8/8/6R1 b - - 99 80", "h4g2", True),
    ],
)
def test_moves_that_end_the_game_in_a_draw(fen: str, move: str, drawn: bool) -> None:
    assert game(fen=fen).is_drawn_by(move) == drawn


def test_a_third_repetition_is_a_draw() -> None:
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8")
    assert not game(*shuffle[:3]).is_drawn_by("f6g8")
    again = game(*shuffle, *shuffle[:3])
    assert again.is_drawn_by("f6g8")
    assert not again.is_drawn_by("f6g4")


def test_castling_text() -> None:
    board = board_of(KIWIPETE)
    short, long = chess.Move.from_uci("e1h1"), chess.Move.from_uci("e1a1")
    assert move_to_uci(encode_move(board, short), chess960=False) == "e1g1"
    assert move_to_uci(encode_move(board, long), chess960=False) == "e1c1"
    assert move_to_uci(encode_move(board, short), chess960=True) == "e1h1"
    black = board_of(KIWIPETE.replace(" w ", " b "))
    assert move_to_uci(encode_move(black, chess.Move.from_uci("e8a8")), chess960=False) == "e8c8"
    assert game("e1g1", fen=KIWIPETE).board.fen() == game("e1h1", fen=KIWIPETE).board.fen()


def test_castling_rooks() -> None:
    assert castling_rooks(board_of(KIWIPETE)) == (7, 0, 63, 56)
    assert castling_rooks(board_of("1r2k1r1/8/8/8/8/8/8/1RK3R1 w Gb - 0 1")) == (6, -1, -1, 57)
    assert castling_rooks(board_of("4k3/8/8/8/8/8/8/4K3 w - - 0 1")) == (-1, -1, -1, -1)


def test_en_passant_is_passed_only_when_legal() -> None:
    record = new_position()
    fill(record, board_of("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1"))
    assert record.en_passant == chess.E3
    pinned = "8/8/8/8/k3Pp1R/8/8/4K3 b - e3 0 1"
    fill(record, board_of(pinned))
    assert record.en_passant == 0


def random_board(seed: int) -> chess.Board:
    dice = random.Random(seed)
    if seed % 2:
        return chess.Board.from_chess960_pos(dice.randrange(960))
    return chess.Board(chess960=True)


@pytest.mark.parametrize("seed", range(6))
def test_moves_and_records_agree_with_python_chess(seed: int) -> None:
    """Every legal move is encoded in the same 16 bits, and its text is read back as that move."""
    dice, board, record = random.Random(seed), random_board(seed), new_position()
    for _ in range(60):
        moves = list(board.legal_moves)
        if not moves:
            break
        fill(record, board)
        codes = {encode_move(board, move): move for move in moves}
        assert sorted(codes) == sorted(legal_moves(record))
        for code, move in codes.items():
            assert move_to_uci(code, chess960=True) == board.uci(move, chess960=True)
            assert convert.parse_move(board, move_to_uci(code, chess960=False)) == move or seed % 2
        board.push(dice.choice(moves))


def test_a_root_follows_the_rules_of_castling() -> None:
    position, root = SetPosition("4k3/8/8/8/8/8/8/4KR2 w K - 0 1", ()), RootPosition(new_position())
    for chess960, moves in ((True, 14), (False, 13), (False, 13), (True, 14)):
        root.show(current := new_game().after(position, chess960))
        assert len(legal_moves(root.record)) == current.board.legal_moves.count() == moves


@pytest.mark.parametrize("seed", range(6))
def test_a_root_follows_games(seed: int) -> None:
    """After moves, takebacks and other games, the root's record equals one filled from scratch."""
    dice, board = random.Random(seed), random_board(seed)
    fen = board.fen() if seed % 2 else None
    root, fresh = RootPosition(new_position()), new_position()
    moves: list[str] = []
    current = new_game()
    for _ in range(30):
        for _ in range(dice.randrange(3)):
            if choices := list(board.legal_moves):
                move = dice.choice(choices)
                moves.append(move.uci())
                board.push(move)
        if moves and dice.random() < 0.1:
            moves.pop()
            board.pop()
        current = current.after(SetPosition(fen, tuple(moves)))
        assert current.board.fen() == board.fen()
        root.show(current)
        fill(fresh, current.board)
        assert root.record.key == fresh.key
        assert sorted(legal_moves(root.record)) == sorted(legal_moves(fresh))
        assert root.record.halfmove == fresh.halfmove


def keys(record: object, count: int) -> list[int]:
    history = record.history[: record.game_ply]  # type: ignore[attr-defined]
    return [int(state["key"]) for state in history[-count:]]


def test_repetition_needs_the_past() -> None:
    """A record that is set up again keeps the reversible moves and their keys."""
    shuffle = ("g1f3", "g8f6", "f3g1", "f6g8")
    grown, anew = RootPosition(new_position()), RootPosition(new_position())
    moves: tuple[str, ...] = ("e2e4", "e7e5")
    grown.show(new_game())
    for move in shuffle * 2:
        moves = (*moves, move)
        grown.show(game(*moves))
    anew.show(game(*moves))
    assert grown.record.game_ply == 10
    assert anew.record.game_ply == 8, "from the last irreversible move on"
    assert keys(grown.record, 8) == keys(anew.record, 8)
    assert keys(anew.record, 8)[0] == anew.record.key == keys(anew.record, 8)[4]


@pytest.mark.slow
def test_the_longest_games_fit() -> None:
    root, fresh = RootPosition(new_position()), new_position()
    moves: tuple[str, ...] = ()
    current = new_game()
    for _ in range(250):
        moves = (*moves, "g1f3", "g8f6", "f3g1", "f6g8")
        current = current.after(SetPosition(None, moves))
        root.show(current)
        assert root.record.game_ply <= convert.MAX_PAST_PLIES
    fill(fresh, current.board)
    assert root.record.key == fresh.key
    assert root.record.halfmove == 1000
    root.show(game(*moves))
    assert 100 < root.record.game_ply <= convert.MAX_PAST_PLIES


def test_only_new_moves_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[str] = []
    real = convert.fill

    def spy(record: object, board: chess.Board) -> None:
        filled.append(board.fen())
        real(record, board)

    monkeypatch.setattr(convert, "fill", spy)
    root = RootPosition(new_position())
    root.show(game("e2e4"))
    root.show(game("e2e4", "e7e5", "g1f3"))
    root.show(game("e2e4", "e7e5", "g1f3"))
    assert len(filled) == 1
    root.show(game("d2d4"))
    root.show(game("d2d4", fen=chess.STARTING_FEN))
    assert len(filled) == 3
