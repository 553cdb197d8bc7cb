"""Opening books: weighted and legal moves, and no game lost by a faulty book."""

import random
from collections import Counter
from pathlib import Path

import chess
import chess.polyglot
import pytest

from helpers.books import entry, raw, write
from uci.chess_io.book import Book, open_book
from uci.errors import UciError

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def board_of(fen: str = chess.STARTING_FEN) -> chess.Board:
    return chess.Board(fen, chess960=True)


def picks(book: Book, board: chess.Board, number: int = 300) -> Counter[str]:
    dice = random.Random(1)
    return Counter(str(book.pick(board, dice)) for _ in range(number))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "book.bin"


def test_moves_by_weight(path: Path) -> None:
    start = board_of()
    after = board_of()
    after.push_uci("e2e4")
    book = write(
        path,
        entry(start, raw("e2e4"), 30),
        entry(start, raw("d2d4"), 10),
        entry(start, raw("a2a3"), 0),  # weight 0: a deleted move in this format
        entry(after, raw("c7c5"), 1),
    )
    chosen = picks(book, start)
    assert set(chosen) == {"e2e4", "d2d4"}
    assert 2 < chosen["e2e4"] / chosen["d2d4"] < 4.5
    assert set(picks(book, after)) == {"c7c5"}
    after.push_uci("c7c5")
    assert book.pick(after, random.Random(1)) is None


def test_variety(path: Path) -> None:
    start = board_of()
    weights = {"e2e4": 30, "d2d4": 30, "c2c4": 10, "a2a3": 1}
    book = write(path, *(entry(start, raw(move), weight) for move, weight in weights.items()))
    shares = []
    for variety in (0, 25, 50, 100):
        dice = random.Random(1)
        drawn = Counter(str(book.pick(start, dice, variety)) for _ in range(1000))
        shares.append(drawn["c2c4"] / 1000)
        assert abs(drawn["e2e4"] - drawn["d2d4"]) < 120, "equal weights"
    assert shares == pytest.approx([0, 1 / 163, 1 / 19, 10 / 71], abs=0.02)
    assert shares[0] == 0


def test_no_move_repeats_a_position(path: Path) -> None:
    board = board_of()
    for text in ("g1f3", "g8f6", "f3g1"):
        board.push_uci(text)
    back, other = entry(board, raw("f6g8"), 99), entry(board, raw("e7e5"), 1)
    assert set(picks(write(path, back, other), board, 20)) == {"e7e5"}
    assert write(path, back).pick(board, random.Random(1)) is None
    fresh = board_of(board.fen())  # without the game's past, the move repeats nothing
    assert set(picks(write(path, back), fresh, 3)) == {"f6g8"}


@pytest.mark.parametrize("text", ["e1h1", "e1g1", "e1a1", "e1c1"])
def test_castling_is_king_takes_rook(path: Path, text: str) -> None:
    board = board_of(CASTLING)
    book = write(path, entry(board, raw(text), 1))
    expected = "e1h1" if text[2] in "gh" else "e1a1"
    assert set(picks(book, board, 3)) == {expected}


def test_the_kings_two_steps_are_castling_only_where_it_may(path: Path) -> None:
    board = board_of("r3k2r/8/8/8/8/8/8/R3K2R w kq - 0 1")
    assert write(path, entry(board, raw("e1g1"), 1)).pick(board, random.Random(1)) is None


def test_chess960(path: Path) -> None:
    board = board_of("1r3kr1/6p1/8/8/8/8/6P1/1R3KR1 w KQkq - 0 1")
    book = write(path, entry(board, raw("f1g1"), 1), entry(board, raw("f1b1"), 1))
    assert set(picks(book, board)) == {"f1g1", "f1b1"}


def test_promotion_and_en_passant(path: Path) -> None:
    promoting = board_of("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    passing = board_of("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1")
    book = write(path, entry(promoting, raw("a7a8n"), 1), entry(passing, raw("f4e3"), 1))
    assert set(picks(book, promoting, 3)) == {"a7a8n"}
    assert set(picks(book, passing, 3)) == {"f4e3"}


def test_only_legal_moves(path: Path) -> None:
    promoting = board_of("8/P6k/8/8/8/8/8/K7 w - - 0 1")
    nonsense = [raw("a7a8"), raw("a7b8q"), raw("h7h8"), 0]
    # Promotions to a king, and to the codes beyond it.
    nonsense += [raw("a7a8n") & 0xFFF | number << 12 for number in (5, 6, 7)]
    book = write(path, *(entry(promoting, move, 1) for move in nonsense))
    assert book.pick(promoting, random.Random(1)) is None
    book = write(path, *(entry(promoting, move, 9) for move in [*nonsense, raw("a1b1")]))
    assert set(picks(book, promoting)) == {"a1b1"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_arbitrary_moves_stay_legal(path: Path, seed: int) -> None:
    dice, board = random.Random(seed), board_of()
    for _ in range(30):
        moves = [dice.randrange(1 << 16) for _ in range(300)]
        move = write(path, *(entry(board, one, 1) for one in moves)).pick(board, dice)
        assert move is None or move in list(board.generate_legal_moves())
        board.push(dice.choice(list(board.legal_moves)))
        if board.is_game_over():
            break


def test_a_rest_behind_the_entries_does_no_harm(path: Path) -> None:
    board = board_of()
    write(path, entry(board, raw("e2e4"), 1))
    path.write_bytes(path.read_bytes() + b"\n")
    assert set(picks(open_book(str(path)), board)) == {"e2e4"}


def test_no_book(path: Path, tmp_path: Path) -> None:
    reasons = {}
    for name, content in {
        "missing": None,
        "empty": b"",
        "short": bytes(15),
        "text": b"no book, but sixteen bytes a row, as chance has it and out of or",
    }.items():
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UciError) as error:
            open_book(str(path))
        reasons[name] = str(error.value)
        assert "\n" not in reasons[name]
    assert "could not open book" in reasons["missing"]
    assert "is empty" in reasons["empty"]
    assert "cut short" in reasons["short"]
    assert "not sorted" in reasons["text"]
    for strange in (str(tmp_path), "", "\0", "a\nb"):
        with pytest.raises(UciError):
            open_book(strange)


def test_what_happens_to_the_file_costs_no_game(path: Path) -> None:
    board, dice = board_of(), random.Random(1)
    book = write(path, entry(board, raw("e2e4"), 1), entry(board, raw("d2d4"), 1))
    whole = path.read_bytes()
    assert book.pick(board, dice) is not None
    for content in (b"", whole[:20], whole[:16], bytes(16), b"\xff" * 4096):
        path.write_bytes(content)
        move = book.pick(board, dice)
        assert move is None or move in board.legal_moves
    path.unlink()
    assert book.pick(board, dice) is None
    path.write_bytes(whole)
    assert book.pick(board, dice) is not None


def test_a_mistake_of_ours_is_not_taken_for_damage(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of()
    book = write(path, entry(board, raw("e2e4"), 1))
    for place in ("uci.chess_io.book._notations", "uci.chess_io.book._Reader.__getitem__"):
        with monkeypatch.context() as patch:
            patch.setattr(place, lambda *_: undefined)  # type: ignore[name-defined]  # noqa: F821
            with pytest.raises(NameError):
                book.pick(board, random.Random(1))


def test_the_board_is_left_as_it_was(path: Path) -> None:
    board = board_of(CASTLING)
    book = write(path, entry(board, raw("e1g1"), 1))
    book.pick(board, random.Random(1))
    assert board == board_of(CASTLING)
