"""Lines that a client might send: valid ones, invalid ones, and random bytes."""

import random
from collections.abc import Iterator
from pathlib import PurePosixPath

import chess

from scripts.reliability.mutation import mutate, spoil
from uci.errors import UciError
from uci.protocol.commands import Bench, Command, Perft, SetOption, Word, decode, parse_command
from uci.protocol.options import OPTIONS

WORDS = (
    *("go", "position", "startpos", "fen", "moves", "setoption", "name", "value", "infinite"),
    *("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"),
    *("ponder", "searchmoves", "e2e4", "e7e8q", "0000", "a1a1", "-", "w", "KQkq", "0", "1", "-1"),
    *("99999999999", "1e5", "0x10", "١", "true", "false", "<empty>", "", "\t"),
    *("\N{ZERO WIDTH SPACE}", "é", "%s"),
    *(option.name for option in OPTIONS),
)

FENS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",  # 218 moves
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",  # mate
    "4k3/8/8/8/8/8/8/4K2R w K - 99 80",
    "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "kk6/8/8/8/8/8/8/KK6 w - - 0 1",
)

_ANYWHERE = {"Debug Log File", "Book File", "Hash File", "SyzygyPath", "EvalFile"}
"""Options that open the file named by their value."""

_COSTLY = {"Hash": range(65, 1 << 20), "Threads": range(9, 1 << 20)}
"""Values that take a machine long; larger ones are rejected quickly."""


def lines(dice: random.Random) -> Iterator[bytes]:
    """Yield endless lines without line ends; none ends the engine, or takes minutes."""
    while True:
        line = _line(dice)
        if is_harmless(line):
            yield line


def is_harmless(line: bytes) -> bool:
    """Return whether a line leaves the engine running, and does not affect memory and files."""
    if b"\n" in line or b"\r" in line:
        return False
    try:
        command: Command | None = parse_command(decode(line))
    except UciError:
        return True
    match command:
        case Word("quit"):
            return False
        case SetOption(name, value):
            known = {option.name.lower(): option.name for option in OPTIONS}
            name = known.get(name.lower(), name)
            word = (value or "").strip()
            size = int(word) if word.isdecimal() else 0
            return not (
                (name in _ANYWHERE and word and not _is_nowhere(word))
                or size in _COSTLY.get(name, ())
            )
        case Perft(depth, _, megabytes):
            return depth <= 3 and megabytes <= 64
        case Bench(depth):
            return depth is not None and depth <= 2
    return True


def _is_nowhere(path: str) -> bool:
    """Return whether a path is in a folder that does not exist, so that no file can be created.

    Its parts decide, not its letters: ``/nowhere/`` and ``/nowhere/.`` are the folder itself.
    """
    return len(parts := PurePosixPath(path).parts) > 2 and (
        parts[:2] == ("/", "nowhere") and ".." not in parts
    )


def _line(dice: random.Random) -> bytes:
    """Return one line of any kind."""
    kind = dice.random()
    if kind < 0.1:
        return dice.randbytes(dice.choice((1, 5, 80, 2000)))
    text = valid(dice)
    if kind < 0.5:
        return text.encode()
    if kind < 0.8:
        return spoil(text, dice, WORDS).encode(errors="replace")
    return mutate(text.encode(), dice)


def valid(dice: random.Random) -> str:
    """Return a line that an engine should accept."""
    match dice.randrange(8):
        case 0:
            return dice.choice(
                ("uci", "isready", "ucinewgame", "debug on", "debug off", "ponderhit", "d", "eval")
            )
        case 1:
            return "stop"
        case 2:
            return option(dice)
        case 3 | 4:
            return position(dice)
    return go(dice)


def option(dice: random.Random) -> str:
    """Return a ``setoption`` with a value within, at or beyond the limits."""
    known = dice.choice(OPTIONS)
    match known.kind:
        case "check":
            value = dice.choice(("true", "false", "maybe"))
        case "spin":
            low, high = known.low, known.high
            inside = dice.randint(low, high)
            value = str(dice.choice((low, low + 1, low - 1, high, high + 1, inside)))
        case "string":
            value = dice.choice(("", "<empty>", "/nowhere/at all"))
        case _:
            return f"setoption name {known.name}"
    return f"setoption name {known.name} value {value}"


def position(dice: random.Random) -> str:
    """Return a ``position``: a start, and up to hundreds of legal moves."""
    fen = dice.choice((chess.STARTING_FEN, chess.STARTING_FEN, *FENS))
    board = chess.Board(fen, chess960=True)
    if dice.random() < 0.1:
        board = chess.Board.from_chess960_pos(dice.randrange(960))
    words = ["startpos"] if board.fen() == chess.STARTING_FEN else ["fen", board.fen()]
    moves = []
    for _ in range(dice.choice((0, 0, 1, 5, 40, 300))):
        legal = list(board.legal_moves) if board.is_valid() else []
        if not legal:
            break
        moves.append(dice.choice(legal))
        board.push(moves[-1])
    return " ".join(["position", *words, *(["moves", *map(str, moves)] if moves else [])])


def go(dice: random.Random) -> str:
    """Return a ``go`` with up to three parameters."""
    words = [
        f"depth {dice.choice((1, 2, 3, 5, 200))}",
        f"nodes {dice.choice((1, 10, 2000, 10**12))}",
        f"movetime {dice.choice((1, 5, 30))}",
        f"wtime {dice.choice((-5, 0, 1, 50, 10**9))} btime {dice.choice((0, 20, 400))}",
        f"winc {dice.randrange(20)} binc 0",
        f"movestogo {dice.choice((0, 1, 40))}",
        f"mate {dice.choice((1, 2, 3))}",
        "infinite",
        "ponder",
        f"searchmoves {dice.choice(('e2e4', 'e2e4 d2d4', 'a1h8'))}",
    ]
    return " ".join(["go", *dice.sample(words, dice.choice((1, 1, 2, 3)))])
