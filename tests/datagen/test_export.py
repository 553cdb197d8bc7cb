"""`datagen --export`: every format is read back by an independent reader."""

import io
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import chess
import chess.pgn
import numpy as np
import pytest

from engine.datagen.game_file import Appender
from engine.datagen.game_record import NO_SCORE
from helpers import command
from helpers.games import move_of, plies_of, result_of, start_of
from scripts.reliability.random_games import random_game, start_words
from uci.apps.datagen import viriformat
from uci.apps.datagen.recorded_game import read_game
from uci.chess_io.convert import encode_move

SCORES = (0, 7, -7, 1234, -1234, 19990, -19990, 31999, -31998, NO_SCORE)

SPECIAL = (
    (chess.STARTING_FEN, "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7 e1g1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9", "e1c1 e8g8"),
    ("1r2k1r1/6p1/8/8/8/8/8/1R2K1R1 w BGbg - 3 9", "e1b1 e8g8"),
    ("4k2r/8/8/8/8/8/8/RK6 b Ak - 0 30", "h8h7 b1a1 e8f7 c1b1"),
    ("4k3/P6p/8/3pP3/8/8/2p5/4K3 w - d6 0 7", "e5d6 c2c1n a7a8r"),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3"),
)  # fmt: skip
"""Games with castling in standard chess and Chess960, en passant on move 1, and promotion."""


class Position(NamedTuple):
    """A position of a game, its move, its score for White, and twice White's points."""

    fen: str
    uci: str
    score: int | None
    result: int


def special_games() -> Iterator[Any]:
    for index, (fen, moves) in enumerate(SPECIAL):
        board = chess.Board(fen, chess960=True)
        words = start_words(board, board.ply())
        for number, text in enumerate(moves.split()):
            move = board.parse_uci(text)
            words += [encode_move(board, move), SCORES[(index + number) % 9] & 0xFFFF]
            board.push(move)
            words[0] += 1
        words[1] = index % 3
        yield np.array(words, np.uint16)


def random_games(seed: int, count: int) -> Iterator[Any]:
    dice = random.Random(seed)
    for _ in range(count):
        words = random_game(dice, 40, 2)
        for at in range(17, 16 + 2 * int(words[0]), 2):
            words[at] = dice.choice(SCORES) & 0xFFFF
        yield words


def positions_of(words: Any) -> list[Position]:
    """Return the positions of a game, by the tests' own reader. FENs are those of Chess960."""
    board, found = start_of(words), []
    for word, score in plies_of(words):
        move = move_of(board, word)
        view = None if score == NO_SCORE else score if board.turn else -score
        found.append(Position(board.shredder_fen(), move.uci(), view, result_of(words)))
        board.push(move)
    return found


@pytest.fixture(scope="module")
def games() -> list[Any]:
    return [*special_games(), *random_games(1, 30)]


@pytest.fixture
def file(tmp_path: Path, games: list[Any]) -> Path:
    path = tmp_path / "games"
    write(path, games)
    return path


def write(path: Path, games: list[Any]) -> None:
    appender = Appender(path, {})
    for start in range(0, len(games), 10):
        appender.append(games[start : start + 10])
    appender.close()


def export(file: Path, suffix: str) -> Path:
    target = file.with_suffix(suffix)
    assert command.call("datagen", file, "--export", target) == 0
    return target


def read_plain(text: str) -> Iterator[Position]:
    """Read as Stockfish's tools do: the words of each record up to ``e``, in standard chess."""
    entry: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key != "e":
            entry[key] = value
            continue
        board = chess.Board(entry["fen"])
        assert board.status() == chess.STATUS_VALID
        move = board.parse_uci(entry["move"])
        assert move.uci() == entry["move"]
        assert int(entry["ply"]) == board.ply()
        sign = 1 if board.turn else -1
        board.chess960 = True
        uci = board.uci(move)
        score, result = sign * int(entry["score"]), 1 + sign * int(entry["result"])
        yield Position(board.shredder_fen(), uci, score, result)
        entry.clear()
    assert not entry


def read_viriformat(data: bytes) -> Iterator[list[Position]]:
    """Read by the published specification of the format."""
    file = io.BytesIO(data)
    while head := file.read(32):
        occupied, low, high, state, halfmove, fullmove, score, wdl, extra = struct.unpack(
            "<QQQBBHhBB", head
        )
        assert (score, extra) == (0, 0)
        board, codes = chess.Board(None, chess960=True), low | high << 64
        for square in range(64):
            if not occupied >> square & 1:
                continue
            board.set_piece_at(square, chess.Piece.from_symbol("PNBRQKR?pnbrqkr?"[codes & 15]))
            board.castling_rights |= (codes & 7 == 6) << square
            codes >>= 4
        assert codes == 0
        board.turn, board.ep_square = state < 128, None if state & 127 == 64 else state & 127
        board.halfmove_clock, board.fullmove_number = halfmove, fullmove
        assert board.status() == chess.STATUS_VALID
        game = []
        while any(entry := file.read(4)):
            word, score = struct.unpack("<Hh", entry)
            kind, promotion = word >> 14, 2 + (word >> 12 & 3) if word >> 14 == 3 else None
            move = chess.Move(word & 63, word >> 6 & 63, promotion)
            assert board.is_legal(move)
            assert (kind == 1, kind == 2) == (board.is_en_passant(move), board.is_castling(move))
            game.append(Position(board.shredder_fen(), move.uci(), score, wdl))
            board.push(move)
        assert entry == bytes(4)
        yield game


def scored_runs(positions: list[Position]) -> Iterator[list[Position]]:
    """Yield the longest runs of positions that have a score."""
    run: list[Position] = []
    for position in [*positions, positions[0]._replace(score=None)]:
        if position.score is not None:
            run.append(position)
        elif run:
            yield run
            run = []


def test_plain(file: Path, games: list[Any]) -> None:
    expected, left_out = [], 0
    for position in (position for words in games for position in positions_of(words)):
        board = chess.Board(position.fen, chess960=True)
        if position.score is None or board.has_chess960_castling_rights():
            left_out += 1
        else:
            expected.append(position)
    assert list(read_plain(export(file, ".plain").read_text())) == expected
    assert 100 < left_out < len(expected)


def test_viriformat(file: Path, games: list[Any]) -> None:
    expected = [run for words in games for run in scored_runs(positions_of(words))]
    assert list(read_viriformat(export(file, ".viriformat").read_bytes())) == expected
    assert len(expected) > len(games)


def test_the_bytes_of_viriformat() -> None:
    """The bytes equal those that the crate viriformat 3.0.0 writes for the example in its docs."""
    board = chess.Board()
    words = [*start_words(board), *[0] * 10]
    words[0], words[1] = 5, 2
    scores = (10, -20, -30, -32767, 32767)
    for at, (text, score) in enumerate(
        zip(("e2e4", "e7e5", "d1h5", "e8e7", "h5e5"), scores, strict=True)
    ):
        move = board.parse_uci(text)
        words[16 + 2 * at : 18 + 2 * at] = encode_move(board, move), score & 0xFFFF
        board.push(move)
    game = viriformat.encode(read_game(0, np.array(words, np.uint16)))
    assert game.positions == 5
    assert game.data.hex() == (
        "ffff00000000ffff" "1642256100000000888888889ecaade9" "40" "00" "0100" "0000" "02" "00"
        "0c070a00" "34091400" "c309e2ff" "3c0dff7f" "2709ff7f" "00000000"
    )  # fmt: skip


def test_pgn(file: Path, games: list[Any]) -> None:
    with export(file, ".pgn").open() as pgn:
        for number, words in enumerate(games):
            game = chess.pgn.read_game(pgn)
            assert game is not None
            assert not game.errors
            assert game.headers["Round"] == str(number)
            assert game.headers["Result"] == ("0-1", "1/2-1/2", "1-0")[result_of(words)]
            expected, nodes = positions_of(words), list(game.mainline())
            for node, position in zip(nodes, expected, strict=True):
                board = node.parent.board()
                assert board.shredder_fen() == position.fen
                board.chess960 = True
                assert board.uci(node.move) == position.uci
                assert node.eval() == eval_of(position.score, board.turn)
        assert chess.pgn.read_game(pgn) is None


def eval_of(score: int | None, turn: bool) -> Any:
    """Return a score for White as python-chess reads it; mates here are at most one move away."""
    if score is None:
        return None
    if abs(score) > 31000:
        return chess.engine.PovScore(chess.engine.Mate(1 if score > 0 else -1), chess.WHITE)
    return chess.engine.PovScore(chess.engine.Cp(score), chess.WHITE)


def test_existing_files(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = export(file, ".plain")
    before = target.read_bytes()
    monkeypatch.chdir(file.parent)  # messages shorten long paths
    capsys.readouterr()
    for words, message in (
        (("games.plain",), "games.plain already exists; use --force to replace it"),
        (("games", "--force"), "games: expected a name that ends with .pgn, .plain or .viriformat"),
        (("games.pgn", "--seed", 2), "--seed cannot be used with --export"),
    ):
        assert command.call("datagen", "games", "--export", *words) == 2
        assert capsys.readouterr().err == f"pythagoras: {message}\n"
    assert command.call("datagen", file, "--force") == 2
    own = file.rename(file.with_name("own.pgn"))
    assert command.call("datagen", own, "--export", own, "--force") == 2
    assert "own file" in capsys.readouterr().err
    data = bytearray(own.read_bytes())
    data[-1] ^= 1
    own.write_bytes(data)  # the last block is damaged
    assert command.call("datagen", own, "--export", target, "--force") == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("30 games, ")
    assert "1,848 damaged bytes were skipped" in captured.err
    after = target.read_bytes()
    assert after != before
    assert before.startswith(after)


def test_illegal_games_leave_nothing(file: Path, games: list[Any], tmp_path: Path) -> None:
    """Illegal games leave no draft and no part of the games before them."""
    illegal = games[0].copy()
    illegal[16] = illegal[18]
    bad = tmp_path / "bad"
    write(bad, [*games[:20], illegal])
    held = sorted(tmp_path.iterdir())
    assert command.call("datagen", bad, "--export", tmp_path / "bad.pgn") == 2
    assert sorted(tmp_path.iterdir()) == held
