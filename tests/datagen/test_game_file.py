"""Files of games: after a kill or a disk error they can still be read and continued."""

import os
import random
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.datagen.game_file import (
    Appender,
    FormatError,
    encode_block,
    encode_header,
    open_games,
    read_header,
    split,
)
from engine.datagen.game_record import with_lines
from engine.datagen.merge import merge
from engine.datagen.survey import survey
from engine.jit.kernel import COMPILED
from helpers.games import plies_of, start_of
from scripts.reliability.random_games import random_game, start_words
from uci.chess_io.convert import encode_move

FACTS = {"evaluation": "none", "settings": {"seed": 1}}


def blocks(seed: int, count: int, most: int = 30) -> list[list[Any]]:
    rng = random.Random(seed)
    return [
        [random_game(rng, rng.randrange(1, most), 2) for _ in range(rng.randrange(1, 5))]
        for _ in range(count)
    ]


def write(path: Path, content: list[list[Any]]) -> bytes:
    file = Appender(path, FACTS)
    for games in content:
        file.append(games)
    file.close()
    return path.read_bytes()


def read(path: Path) -> list[list[int]]:
    return [words.tolist() for block in open_games(path) for words in split(block)]


def flat(content: list[list[Any]]) -> list[list[int]]:
    return [words.tolist() for games in content for words in games]


@pytest.mark.interpreted
def test_what_is_written_is_read(tmp_path: Path) -> None:
    path, content = tmp_path / "games", blocks(1, 12)
    write(path, content)
    assert read(path) == flat(content)
    facts, size = read_header(path)
    assert facts == FACTS
    assert size % 32 == 0
    at, first = size, 0
    for block, games in zip(open_games(path), content, strict=True):
        assert (block.start, block.first, block.games) == (at, first, len(games))
        assert block.positions == sum(int(words[0]) for words in games)
        at, first = block.end, first + len(games)
    assert at == path.stat().st_size


def test_a_kill_at_any_byte(tmp_path: Path) -> None:
    """Cut at any byte, the file is continued after its last complete block."""
    path, content = tmp_path / "games", blocks(2, 4, most=6)
    whole = write(path, content)
    header = len(encode_header(FACTS))
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        file = Appender(path, FACTS)
        kept = file.games
        assert kept == file.next
        assert size >= header or kept == 0
        for games in content:
            if kept:
                kept -= len(games)
            else:
                file.append(games)
        file.close()
        assert path.read_bytes() == whole, size


@pytest.mark.slow
def test_a_real_kill(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "games"
    code = f"""
import os
from pathlib import Path
from engine.datagen.game_file import Appender
from datagen.test_game_file import FACTS, blocks
file = Appender(Path({str(path)!r}), FACTS)
for games in blocks(7, 9):
    file.append(games)
os.kill(os.getpid(), 9)
"""
    folders = os.pathsep.join([str(root), str(root / "tests")])
    environment = os.environ | {"PYTHONPATH": folders}
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, check=False
    )
    assert process.returncode not in (0, 1), process.stderr
    assert read(path) == flat(blocks(7, 9))
    Appender(path, FACTS).close()


@pytest.mark.interpreted
def test_a_flipped_bit_costs_one_block(tmp_path: Path) -> None:
    path, content, rng = tmp_path / "games", blocks(3, 6), random.Random(3)
    whole = write(path, content)
    places = [block.start for block in open_games(path)] + [len(whole)]
    for _ in range(200 if COMPILED else 10):
        bit = rng.randrange(8 * places[0], 8 * len(whole))
        bad = bytearray(whole)
        bad[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bad)
        hit = sum(bit // 8 >= place for place in places) - 1
        assert read(path) == flat(content[:hit] + content[hit + 1 :])
    bad = bytearray(whole)
    bad[places[2] + 40] ^= 1
    path.write_bytes(bad)
    file = Appender(path, FACTS)
    assert file.next == len(flat(content))
    file.append(content[2])
    file.close()
    assert read(path) == flat(content[:2] + content[3:] + content[2:3])


def test_a_block_inside_a_game_is_no_block(tmp_path: Path) -> None:
    """Bytes inside a game that look like a block are not read as one."""
    inner = np.frombuffer(encode_block(5, [random_game(random.Random(1), 3)]), np.uint16)
    words = random_game(random.Random(2), 40)
    words[20 : 20 + len(inner)] = inner
    path = tmp_path / "games"
    write(path, [[words]])
    assert [block.words.tolist() for block in open_games(path)] == [words.tolist()]


def test_blocks_that_hold_no_whole_game(tmp_path: Path) -> None:
    """Blocks with right checksums but incomplete games are refused."""
    path, game = tmp_path / "games", random_game(random.Random(1), 2)
    whole = write(path, [[game]])
    for body in b"", bytes(7), bytes(8), game.tobytes() + b"\0":
        head = struct.pack("<4sIIIQI", b"GAME", len(body), 1, 1, 0, 0)
        path.write_bytes(whole + head + struct.pack("<I", zlib.crc32(head + body)) + body)
        assert read(path) == [game.tolist()]
    for words in game[:16], np.concatenate([game, game[:1]]):
        path.write_bytes(whole + encode_block(1, [words]))
        with pytest.raises(FormatError, match=r"game [12] is invalid"):
            read(path)


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 200_000])
def test_a_header_that_says_nothing(tmp_path: Path, text: bytes) -> None:
    head = b"PYGAMES1" + struct.pack("<II", len(text), zlib.crc32(text)) + text
    (tmp_path / "games").write_bytes(head)
    with pytest.raises(FormatError, match="invalid header"):
        read_header(tmp_path / "games")


def test_a_header_that_claims_to_be_long_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "games").write_bytes(b"PYGAMES1" + b"\xff" * 8 + b"{}")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="damaged header"):
            read_header(tmp_path / "games")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.interpreted
def test_other_files_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games"
    header = encode_header(FACTS)
    damaged = bytearray(header)
    damaged[30] ^= 1
    for content in (b"x", b"PYGAMES2" * 20, bytes(damaged), header[:40] + b"x"):
        path.write_bytes(content)
        with pytest.raises(FormatError):
            Appender(path, FACTS)
        with pytest.raises(FormatError):
            list(open_games(path))
        assert path.read_bytes() == content
    path.write_bytes(header)
    with pytest.raises(FormatError, match="other settings"):
        Appender(path, FACTS | {"evaluation": "another"})
    assert path.read_bytes() == header
    with pytest.raises(FileNotFoundError):
        list(open_games(tmp_path / "missing"))


@pytest.mark.interpreted
def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "games"
    first = Appender(path, FACTS)
    with pytest.raises(FormatError, match="another process"):
        Appender(path, FACTS)
    first.close()
    Appender(path, FACTS).close()


@pytest.mark.slow
@pytest.mark.interpreted
def test_merge(tmp_path: Path) -> None:
    """Merging keeps every game once, in an order that the seed determines."""
    left, right, out = tmp_path / "left", tmp_path / "right", tmp_path / "out"
    first, second = (blocks(seed, 90 if COMPILED else 4) for seed in (4, 5))
    write(left, first)
    write(right, [*second, *first[:3]])
    made = merge(out, [left, right, left], 1)
    found = read(out)
    assert sorted(found) == sorted(flat(first + second))
    assert not made.damaged
    assert (made.games, made.twice) == (len(found), len(flat(first)) + len(flat(first[:3])))
    assert made.positions == sum(game[0] for game in found)
    assert found != flat(first + second)
    assert read_header(out)[0]["merged"] == [FACTS] * 3
    assert not list(tmp_path.glob("*.part"))
    again, other = tmp_path / "again", tmp_path / "other"
    merge(again, [left, right, left], 1)
    merge(other, [left, right, left], 2)
    assert again.read_bytes() == out.read_bytes()
    assert read(other) != found
    with pytest.raises(FormatError, match="exists"):
        merge(out, [left], 1)
    with pytest.raises(FormatError, match="not a file of games"):
        merge(tmp_path / "new", [left, Path(__file__)], 1)
    assert not (tmp_path / "new").exists()


def test_a_merge_leaves_other_files_alone(tmp_path: Path) -> None:
    games, mine = tmp_path / "games", tmp_path / "out.part"
    write(games, blocks(4, 2))
    mine.write_text("mine")
    merge(tmp_path / "out", [games], 1)
    assert mine.read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"games", "out", "out.part"}


def scholar(result: int, score: int) -> Any:
    """Return the scholar's mate in seven plies, with one ``score`` for all of them."""
    board = chess.Board(chess960=True)
    words = np.array([*start_words(board, played=10), *[0] * 14], np.uint16)
    words[:2] = 7, result
    assert start_of(words).board_fen() == board.board_fen()
    for ply, san in enumerate(("e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#")):
        move = board.parse_san(san)
        words[16 + 2 * ply] = encode_move(board, move)
        words[17 + 2 * ply] = score & 0xFFFF
        board.push(move)
    return words


@pytest.mark.interpreted
def test_the_survey(tmp_path: Path) -> None:
    path = tmp_path / "games"
    game = scholar(2, -30)
    assert plies_of(game)[0][1] == -30
    lines = np.array([2, *game[16:20:2], 0, 0, 1, game[22], 0, 0, 0], np.uint16)
    write(path, [[game], [game, with_lines(scholar(0, 31_999), lines)]])
    with path.open("ab") as file:
        file.write(b"torn")
    found = survey(path)
    seen = found.seen
    assert (seen.games, seen.positions) == (3, 21)
    assert (found.different, found.openings, found.twice, found.damaged) == (7, 1, 1, 4)
    assert seen.results.tolist() == [1, 0, 2]
    assert (seen.in_check, seen.noisy, seen.mates, seen.early) == (0, 3, 7, 18)
    assert seen.quiet == 0  # the seventh ply, the only one that is not early, captures
    assert (seen.lines, seen.line_moves) == (2, 3)
    assert seen.pieces[32] == 21
    classes = seen.scores.tolist()
    assert (classes[2], classes[-1]) == (14, 7)
    # White is better after three of seven plies when the score is bad for the side to move.
    assert seen.points[2] == 2 * 2 * 3
    assert seen.points[-1] == 2 * 3


def test_the_survey_counts_random_moves_apart(tmp_path: Path) -> None:
    game = scholar(2, -30)
    game[17 + 2 * 3] = 0x8000
    write(tmp_path / "games", [[game]])
    seen = survey(tmp_path / "games").seen
    assert (seen.positions, seen.random, seen.mates, seen.early) == (7, 1, 0, 5)
    assert seen.pieces[32] == 7
    assert seen.scores.sum() == 6
