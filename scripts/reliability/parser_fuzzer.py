"""Fuzzes all readers of text and files: only documented errors may occur, in little memory.

No search runs here. Each reader is called by itself with valid inputs, with damaged ones whose
checksums were corrected, and with random bytes.
"""

import random
import struct
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import chess
import chess.polyglot

from engine.datagen.game_file import BLOCK, FormatError, encode_block, encode_header
from engine.datagen.survey import survey
from engine.evaluation.network import NetworkError, default_network, parse, serialise
from engine.jit import kernel
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.mutation import mutate
from scripts.reliability.random_games import random_game
from scripts.reliability.uci_lines import FENS, valid
from uci.chess_io.book import open_book
from uci.chess_io.convert import board_of, new_game
from uci.chess_io.positions import read_positions
from uci.errors import UciError
from uci.protocol.commands import SetPosition, decode, parse_command

LONGEST = 10.0
"""Maximum seconds for one input; more is a hang."""

ROOM = 50 << 20
"""Bytes that a reader may allocate in addition to twice its input."""

GAMES = ((1, 0), (30, 0), (9, 3))
"""Maximum plies, and PV length of a ply, in the games of a valid file."""

_NETWORK_HEADER, _BLOCK_HEADER = 60, 28
"""Sizes of headers in bytes: the network's with its digest, a block's without its checksum."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: its name, function, documented errors, and some valid inputs."""

    name: str
    read: Callable[[bytes, Path], None]
    errors: tuple[type[Exception], ...]
    samples: Callable[[random.Random], list[bytes]]
    mend: Callable[[bytes], bytes] | None = None
    """Corrects the checksums of a damaged input."""


def _read_line(data: bytes, _: Path) -> None:
    command = parse_command(decode(data))
    if isinstance(command, SetPosition):
        new_game().after(command)


def _read_fen(data: bytes, _: Path) -> None:
    board_of(data.decode(errors="replace"))


def _read_network(data: bytes, _: Path) -> None:
    parse(data)


def _read_book(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    open_book(str(file)).pick(board_of(None), random.Random(1))


def _read_games(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    survey(file)


def _read_epd(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    read_positions(file)


def _lines(dice: random.Random) -> list[bytes]:
    return [valid(dice).encode() for _ in range(40)]


def _fens(_: random.Random) -> list[bytes]:
    return [fen.encode() for fen in (chess.STARTING_FEN, *FENS)]


def _networks(_: random.Random) -> list[bytes]:
    return [serialise(default_network())]


def _books(dice: random.Random) -> list[bytes]:
    board, entries = chess.Board(), []
    for move in board.legal_moves:
        word = move.to_square | move.from_square << 6
        entries.append((chess.polyglot.zobrist_hash(board), word, dice.randrange(1 << 16), 0))
    entries += [(dice.getrandbits(64), dice.randrange(1 << 16), 1, 0) for _ in range(50)]
    return [b"".join(struct.pack(">QHHI", *entry) for entry in sorted(entries))]


def _games(dice: random.Random) -> list[bytes]:
    kernel.warm()  # so that the first input does not include the compilation
    games = [random_game(dice, plies, longest_line) for plies, longest_line in GAMES]
    return [encode_header({"seed": 1}) + encode_block(0, games) * 2]


def _epds(dice: random.Random) -> list[bytes]:
    boards = [chess.Board.from_chess960_pos(dice.randrange(960)) for _ in range(3)]
    return ["\n".join([*FENS[:3], *(board.epd(hmvc=3) for board in boards)]).encode()]


def _mend_network(data: bytes) -> bytes:
    """Set the digest in the header to that of the body."""
    body = data[_NETWORK_HEADER:]
    return data[: _NETWORK_HEADER - 32] + sha256(body).digest() + body


def _mend_games(data: bytes) -> bytes:
    """Correct the checksums of the header and of all blocks."""
    mended = bytearray(data)
    text = int.from_bytes(mended[8:12], "little")
    mended[12:16] = struct.pack("<I", zlib.crc32(mended[16 : 16 + text]))
    at = mended.find(BLOCK)
    while at >= 0:
        body = at + _BLOCK_HEADER + 4
        end = body + int.from_bytes(mended[at + 4 : at + 8], "little")
        checksum = zlib.crc32(mended[body:end], zlib.crc32(mended[at : body - 4]))
        mended[body - 4 : body] = struct.pack("<I", checksum)
        at = mended.find(BLOCK, at + 1)
    return bytes(mended)


READERS = (
    Reader("uci", _read_line, (UciError,), _lines),
    Reader("fen", _read_fen, (UciError,), _fens),
    Reader("network", _read_network, (NetworkError,), _networks, _mend_network),
    Reader("book", _read_book, (UciError,), _books),
    Reader("games", _read_games, (FormatError,), _games, _mend_games),
    Reader("epd", _read_epd, (UciError,), _epds),
)


def inputs(reader: Reader, samples: list[bytes], dice: random.Random) -> Iterator[bytes]:
    """Yield endless inputs: a tenth valid, most of them damaged, some random."""
    while True:
        kind = dice.random()
        data = dice.choice(samples)
        if kind >= 0.1:
            data = mutate(data, dice, samples)
        if kind >= 0.5 and reader.mend:
            data = reader.mend(data)
        if kind >= 0.9:
            data = dice.randbytes(dice.choice((0, 1, 16, 500, 5000)))
        yield data


def fuzz(reader: Reader, number: int, seed: int, folder: Path) -> int:
    """Read ``number`` inputs, as files in ``folder`` if needed; return how many were rejected.

    Raises `Finding` for an undocumented error, a hang, or memory beyond `ROOM`.
    """
    dice = random.Random(f"{reader.name} {seed}")
    samples = reader.samples(dice)  # first, as it may compile: tracing memory doubles that time
    source = inputs(reader, samples, dice)
    refused, file = 0, folder / "input"

    def where(index: int) -> str:
        return f"{reader.name}, seed {seed}, input {index}"

    tracemalloc.start()
    try:
        for index in range(number):
            data = next(source)
            tracemalloc.reset_peak()
            before, begun = tracemalloc.get_traced_memory()[0], time.monotonic()
            try:
                reader.read(data, file)
            except reader.errors:
                refused += 1
            except Exception as error:
                raise Finding(f"{where(index)}: {error!r}\n{data!r}") from error
            spent = time.monotonic() - begun
            taken = tracemalloc.get_traced_memory()[1] - before
            if spent > LONGEST or taken > 2 * len(data) + ROOM:
                raise Finding(f"{where(index)}: {spent:.0f} s, {taken:,} bytes\n{data[:200]!r}")
    finally:
        tracemalloc.stop()
    return refused
