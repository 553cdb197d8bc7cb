"""Files of games from strangers: only legal games reach the kernels, which check no index."""

import random
import struct
import zlib
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.datagen.game_file import Appender, FormatError, encode_header
from engine.datagen.game_record import MAX_GAME_PLIES, MAX_LINE
from engine.datagen.survey import survey
from engine.jit.kernel import COMPILED
from helpers.games import lines_of, move_of, plies_of, start_of
from scripts.reliability.random_games import random_game, start_words
from uci.chess_io.convert import encode_move

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

CASTLES, KING_TO_D1 = 2 << 12, chess.E1 | chess.D1 << 6
HARMLESS = chess.STATUS_IMPOSSIBLE_CHECK | chess.STATUS_TOO_MANY_CHECKERS


def game(fen: str, *moves: int, lines: tuple[int, ...] = (), en_passant: str = "") -> list[int]:
    words = start_words(chess.Board(fen, chess960=True))
    for move in moves:
        words += [move, 0]
        words[0] += 1
    words[1] = 1 | len(lines) << 2
    words[14] |= chess.parse_square(en_passant) if en_passant else 0
    return [*words, *lines]


def castling(words: list[int], *squares: str) -> list[int]:
    """Return a game's ``words`` with rooks that may castle."""
    occupied = sum(word << 16 * index for index, word in enumerate(words[2:6]))
    for square in map(chess.parse_square, squares):
        index = (occupied & (1 << square) - 1).bit_count()
        words[6 + index // 4] ^= (3 ^ 6) << 4 * (index % 4)
    return words


def write(path: Path, *games: Any, **header: int) -> None:
    """Write a block of ``games``, with other values in its header."""
    body = np.concatenate(games).astype("<u2").tobytes()
    values = {"games": len(games), "positions": sum(int(words[0]) for words in games), "first": 0}
    games_, positions, first = (values | header).values()
    head = struct.pack("<4sIIIQI", b"GAME", len(body), games_, positions, first, 0)
    checksum = struct.pack("<I", zlib.crc32(body, zlib.crc32(head)))
    path.write_bytes(encode_header({}) + head + checksum + body)


def read(path: Path, *games: Any, **header: int) -> int:
    """Replay ``games`` from a file; return their number."""
    write(path, *games, **header)
    return int(survey(path).seen.games)


def uci(fen: str, *moves: str) -> list[int]:
    """Return the words of moves in UCI notation."""
    board, words = chess.Board(fen, chess960=True), []
    for text in moves:
        words.append(encode_move(board, board.parse_uci(text)))
        board.push_uci(text)
    return words


LONE, FULL = "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "kb6/pp6/8/8/{}/8/{}/4K3 w - - 0 1"
PAWNS = "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"
EN_PASSANT = chess.E5 | chess.D6 << 6 | 5 << 12
LINE = uci(LONE, *("e1d1", "e8d8", "d1e1", "d8e8") * 7)


@pytest.mark.parametrize(
    "words",
    [
        game(LONE, KING_TO_D1),
        game(FULL.format("QQQQ4", "QQQQQ3"), KING_TO_D1),
        game("4k3/8/8/8/N7/8/PPPPPPPP/RNBQKB1R w - - 0 1", chess.A2 | chess.A3 << 6),
        castling(game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", chess.E1 | CASTLES), "a1"),
        game(PAWNS, EN_PASSANT, en_passant="d6"),
        game(LONE, KING_TO_D1, lines=(MAX_LINE, *LINE[:MAX_LINE])),
        game(LONE, *LINE[:2], lines=(0, 1, LINE[1])),
    ],
)
def test_legal_games_are_read(tmp_path: Path, words: list[int]) -> None:
    assert read(tmp_path / "games", words) == 1


@pytest.mark.parametrize(
    "words",
    [
        # start positions
        game("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", KING_TO_D1),  # takes the king
        game("8/8/8/3kK3/8/8/8/8 w - - 0 1", chess.E5 | chess.F4 << 6),
        game("4k3/8/8/8/8/8/8/8 b - - 0 1", chess.E8 | chess.D8 << 6),
        game("8/8/8/8/8/8/8/4K3 w - - 0 1", KING_TO_D1),
        game("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", KING_TO_D1),
        game("k3k3/8/8/8/8/8/8/4K3 w - - 0 1", KING_TO_D1),
        game("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", KING_TO_D1),
        game("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", KING_TO_D1),
        game("4k3/8/8/8/P7/8/PPPPPPPP/4K3 w - - 0 1", KING_TO_D1),
        game("4k3/p7/p7/pppppp2/8/8/p7/4K3 w - - 0 1", KING_TO_D1),
        [*game(LONE, KING_TO_D1)[:2], *[0xFFFF] * 4, *game(LONE, KING_TO_D1)[6:]],
        game("4k3/8/8/8/NNNNNNNN/8/NNNNNNNN/4K3 w - - 0 1", KING_TO_D1),
        game(FULL.format("QQQQQ3", "QQQQQ3"), KING_TO_D1),
        # castling rights
        castling(game("4k3/8/8/8/R7/8/8/4K3 w - - 0 1", KING_TO_D1), "a4"),
        castling(game("4k3/8/8/8/8/8/4K3/R7 w - - 0 1", chess.E2 | chess.E1 << 6), "a1"),
        castling(game("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1", KING_TO_D1), "a1", "b1"),
        castling(game("8/4k3/8/8/8/8/8/4K2r w - - 0 1", chess.E1 | chess.E2 << 6), "h1"),
        # en passant
        game(PAWNS, KING_TO_D1, en_passant="e6"),
        game(PAWNS, KING_TO_D1, en_passant="d3"),
        game(PAWNS, KING_TO_D1, en_passant="d5"),
        game(PAWNS, KING_TO_D1, en_passant="h8"),
        game(PAWNS.replace("w", "b"), chess.E8 | chess.D8 << 6, en_passant="e3"),
        game("4k3/3n4/8/3pP3/8/8/8/4K3 w - - 0 1", KING_TO_D1, en_passant="d6"),
        game("4k3/8/3n4/3pP3/8/8/8/4K3 w - - 0 1", KING_TO_D1, en_passant="d6"),
        game("4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", KING_TO_D1, en_passant="d6"),
        game("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", KING_TO_D1, en_passant="d6"),
        game("4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 1", KING_TO_D1, en_passant="d6"),  # pinned
        # moves
        game(LONE, 0),
        game(LONE, chess.E1 | chess.E8 << 6),
        game(LONE, chess.E1 | chess.D1 << 6 | 4 << 12),
        game(LONE, chess.A1 | chess.A2 << 6),
        game(LONE, chess.E8 | chess.D8 << 6),
        game(LONE, chess.E1 | chess.H1 << 6 | CASTLES),
        game(PAWNS, EN_PASSANT),
        game(LONE, LINE[0], LINE[0]),
        # lines
        game(LONE, KING_TO_D1, lines=(1, chess.E8 | chess.D8 << 6)),
        game(LONE, KING_TO_D1, lines=(2, LINE[0], LINE[0])),
        game(LONE, KING_TO_D1, lines=(MAX_LINE + 1, *LINE[: MAX_LINE + 1])),
        game(LONE, KING_TO_D1, lines=(2, LINE[0])),
        game(LONE, KING_TO_D1, lines=(1, LINE[0], 0)),
        game(LONE, *LINE[:2], lines=(1, LINE[0])),
        # counts
        game(LONE),
        game(LONE, *(LINE * 30)[: MAX_GAME_PLIES + 1]),
        [1 << 15, *game(LONE, KING_TO_D1)[1:]],
        [*game(LONE, KING_TO_D1)[:1], 3, *game(LONE, KING_TO_D1)[2:]],
        [*game(LONE, KING_TO_D1)[:1], 1 << 2, *game(LONE, KING_TO_D1)[2:]],
        [*game(LONE, KING_TO_D1)[:6], 5 | 7 << 4, *game(LONE, KING_TO_D1)[7:]],
        [*game(LONE, KING_TO_D1), 0],
    ],
)
def test_other_games_are_refused(tmp_path: Path, words: list[int]) -> None:
    """An illegal game is refused, even after a legal one."""
    path = tmp_path / "games"
    with pytest.raises(FormatError, match=f"^{path}: game [12] is invalid: an illegal position or"):
        read(path, game(LONE, KING_TO_D1), words)


@pytest.mark.parametrize("header", [{"games": 2}, {"games": 0}, {"positions": 3}])
def test_a_block_that_announces_other_numbers(tmp_path: Path, header: dict[str, int]) -> None:
    path = tmp_path / "games"
    with pytest.raises(FormatError, match="has 1 games with 2 moves, but its header says"):
        read(path, game(LONE, *LINE[:2]), **header)


def test_a_number_beyond_64_bits_begins_no_block(tmp_path: Path) -> None:
    """A block with such a number is ignored: nothing could be appended after it."""
    path, words = tmp_path / "games", game(LONE, KING_TO_D1)
    assert read(path, words, first=1 << 62) == 1
    Appender(path, {}).close()
    assert read(path, words, first=(1 << 62) + 1) == 0


def mutated(rng: random.Random, words: Any) -> Any:
    """Return ``words`` with one or a few of them changed, most often in the start position."""
    words = words.copy()
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(16 if rng.random() < 0.6 else len(words))
        words[at] = rng.choice((int(words[at]) ^ 1 << rng.randrange(16), rng.randrange(1 << 16)))
    return words


def check(words: Any) -> None:
    """Assert by python-chess that a game is legal."""
    board = start_of(words, HARMLESS)
    lines = lines_of(words) or [[]] * int(words[0])
    for (word, _), line in zip(plies_of(words), lines, strict=True):
        ahead = board.copy(stack=False)
        for move in line:
            ahead.push(move_of(ahead, move))
        board.push(move_of(board, word))


@pytest.mark.slow
def test_games_are_read_when_they_are_legal(tmp_path: Path) -> None:
    """Of many mutated games only legal ones are read, and none makes a kernel fail."""
    rng, path, accepted = random.Random(1), tmp_path / "games", 0
    legal = [random_game(rng, 1 + index % 8, index % 3) for index in range(40 if COMPILED else 8)]
    assert read(path, *legal) == len(legal)
    number = 1500 if COMPILED else 100
    for _ in range(number):
        words = mutated(rng, rng.choice(legal))
        try:
            accepted += read(path, words)
        except FormatError:
            continue
        check(words)
    assert number // 20 < accepted < number // 4
