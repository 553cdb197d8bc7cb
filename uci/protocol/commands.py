"""UCI commands: immutable values, parsed from lines of text."""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.search.limits import Limits
from uci.errors import UciError, shorten

MAX_LINE = 96 * 1024
"""Maximum bytes of one command: the longest possible game, 17,697 plies, needs 86 kB."""

MAX_NUMBER = 10**18
"""Larger numbers are clamped to this, so that sums fit into 64 bits."""

MAX_TIME = 2**31 - 1
"""Longer times, in milliseconds, are clamped to this: 24 days, the limit of system timers."""

MAX_PERFT = 100
"""Maximum perft depth in plies, which the stack of move lists allows."""


@dataclass(frozen=True, slots=True)
class Word:
    """A command without parameters."""

    name: str


@dataclass(frozen=True, slots=True)
class SetOption:
    """``setoption name NAME [value VALUE]``, the value as it was typed."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class SetPosition:
    """``position``: a FEN (``None`` for the starting position) and moves in UCI notation."""

    fen: str | None
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """``go`` with its limits, ``searchmoves`` (all moves if empty) and whether to ponder.

    ``until_stop`` is whether the client wrote ``infinite``: no ``bestmove`` may be sent before
    ``stop``, even if there is nothing to search. A search without any limit is infinite, too.
    """

    limits: Limits
    searchmoves: tuple[str, ...] = ()
    ponder: bool = False
    until_stop: bool = False


@dataclass(frozen=True, slots=True)
class Debug:
    """``debug on`` or ``debug off``."""

    on: bool


@dataclass(frozen=True, slots=True)
class Bench:
    """``bench [DEPTH]``; ``None`` for the default depth."""

    depth: int | None


@dataclass(frozen=True, slots=True)
class Perft:
    """``perft DEPTH [divide] [hash MB]``."""

    depth: int
    divide: bool
    hash: int = 0


@dataclass(frozen=True, slots=True)
class SpeedTest:
    """``speedtest [THREADS] [HASH] [SECONDS]``, the hash in MiB; ``None`` for the defaults."""

    threads: int | None = None
    hash: int | None = None
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class GenFens:
    """``genfens N seed S book FILE|None``; ``book`` is ``None`` for the starting position."""

    count: int
    seed: int
    book: str | None


Command = Word | SetOption | SetPosition | Go | Debug | Bench | Perft | SpeedTest | GenFens


def decode(raw: bytes) -> str:
    """Return the text of one line of input, without its line ending.

    Raises `UciError` when it is too long, not UTF-8, or holds a NUL.
    """
    if len(raw) > MAX_LINE:
        raise UciError(f"line of more than {MAX_LINE} bytes ignored")
    if b"\0" in raw:
        raise UciError("line with a NUL ignored")
    try:
        return raw.decode().rstrip("\r\n").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UciError(f"line that is not UTF-8 ignored: {error.reason}") from None


def parse_command(line: str) -> Command | None:
    """Return the command in ``line``, ``None`` if the line is blank.

    Unknown words before the command are skipped. Raises `UciError` if there is no command, or if
    its parameters are invalid.
    """
    word = _command_word(line)
    if word is not None:
        parser = PARSERS.get(word[0])
        return parser(line[word.end() :]) if parser else Word(word[0])
    if not line.strip():
        return None
    raise UciError(f"unknown command: {shorten(line)}")


def name_and_rest(raw: bytes) -> tuple[str, str]:
    """Return the name of the command in a line of input, and the text after it.

    It never fails. ``go perft`` is a ``perft``; the name is empty if the line has no command.
    """
    line = raw.decode(errors="replace").removeprefix("\ufeff")
    word = _command_word(line)
    if word is None:
        return "", line
    rest = line[word.end() :]
    is_perft = word[0] == "go" and rest.lstrip().startswith("perft")
    return "perft" if is_perft else word[0], rest


def _command_word(line: str) -> "re.Match[str] | None":
    """Return the first word of a line that is a command."""
    words = re.finditer(r"\S+", line)
    return next((word for word in words if word[0] in WORDS or word[0] in PARSERS), None)


_NAME = re.compile(r"\s+name(?=\s)")
_VALUE = re.compile(r"\svalue(?:\s(.*)|\Z)", re.DOTALL)


def parse_setoption(text: str) -> SetOption:
    """Parse the text after ``setoption``; the value keeps its spaces and its case."""
    name = _NAME.match(text)
    value = _VALUE.search(text, name.end()) if name else None
    words = text[name.end() : value and value.start()].split() if name else []
    if not words:
        raise UciError("setoption needs: name NAME [value VALUE]")
    return SetOption(" ".join(words), value[1] if value else None)


def parse_position(text: str) -> SetPosition:
    """Parse the text after ``position``; FEN and moves are not checked here."""
    words = text.split()
    moves: tuple[str, ...] = ()
    if "moves" in words:
        at = words.index("moves")
        words, moves = words[:at], tuple(words[at + 1 :])
    match words:
        case ["startpos"]:
            return SetPosition(None, moves)
        case ["fen", _, *_]:
            return SetPosition(" ".join(words[1:]), moves)
    raise UciError("position needs: startpos | fen FEN [moves MOVE ...]")


def parse_go(text: str, strict: bool = False) -> Go | Perft:
    """Parse the text after ``go``; without any limit the search is infinite.

    Decimals of a number are dropped; a ``depth`` or ``nodes`` of 0 is 1. ``go perft DEPTH``, as in
    other engines, is a perft with ``divide``. Unknown words are skipped, as UCI demands; if
    ``strict``, they raise `UciError`.
    """
    before, perft, after = text.partition("perft")
    if perft and not before.strip():
        return replace(parse_perft(after, strict), divide=True)
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    searchmoves: list[str] = []
    words = deque(text.split())
    while words:
        word = words.popleft()
        if word in GO_NUMBERS:
            value = _whole_part(words.popleft()) if words else None
            number = _number(f"go {word}", value, GO_NUMBERS[word])
            if word in GO_TIMES:
                number = max(-MAX_TIME, min(number, MAX_TIME))
            numbers[word] = max(1, number) if word in GO_AT_LEAST_ONE else number
        elif word in GO_FLAGS:
            flags.add(word)
        elif word == "searchmoves":
            while words and words[0] not in GO_WORDS:
                searchmoves.append(words.popleft())
            if not searchmoves:
                raise UciError("go searchmoves needs moves")
        elif strict:
            raise UciError(f"go: unknown word {shorten(word)}")
    infinite = "infinite" in flags or not numbers.keys() - {"movestogo"}
    limits = Limits(infinite=infinite, alone=False, **numbers)
    return Go(limits, tuple(searchmoves), "ponder" in flags, "infinite" in flags)


def parse_debug(text: str) -> Debug:
    """Parse the text after ``debug``."""
    for word in text.split():
        if word in ("on", "off"):
            return Debug(word == "on")
    raise UciError("debug needs: on | off")


def parse_bench(text: str) -> Bench:
    """Parse the text after ``bench``."""
    words = text.split()
    return Bench(_number("bench", words[0], 1) if words else None)


def parse_speedtest(text: str) -> SpeedTest:
    """Parse what follows ``speedtest``."""
    limits = (("threads", 1024), ("hash", 33554432), ("seconds", 86400))
    numbers = []
    words = text.split()
    if len(words) > len(limits):
        raise UciError(f"speedtest: unexpected {shorten(words[len(limits)])}")
    for word, (name, most) in zip(words, limits, strict=False):
        number = _number(f"speedtest {name}", word, 1)
        if number > most:
            raise UciError(f"speedtest {name}: {shorten(word)} is above {most}")
        numbers.append(number)
    return SpeedTest(*numbers)


def parse_genfens(text: str) -> GenFens:
    """Parse what follows ``genfens``; words behind the book are skipped, as UCI demands."""
    match text.split():
        case [count, "seed", seed, "book", book, *_]:
            pass
        case _:
            raise UciError("genfens needs: N seed S book FILE|None")
    return GenFens(
        _number("genfens", count, 1),
        _number("genfens seed", seed, None),
        None if book.lower() == "none" else book,
    )


def parse_perft(text: str, strict: bool = False) -> Perft:
    """Parse the text after ``perft``; unknown words as in `parse_go`."""
    first, *others = text.split() or [""]
    depth, divide, size = _number("perft", first, 0), False, 0
    if depth > MAX_PERFT:
        raise UciError(f"perft: depth {shorten(first)} is above the maximum of {MAX_PERFT}")
    words = deque(others)
    while words:
        word = words.popleft()
        if word == "divide":
            divide = True
        elif word == "hash":
            size = _number("perft hash", words.popleft() if words else None, 0)
        elif strict:
            raise UciError(f"perft: unknown word {shorten(word)}")
    return Perft(depth, divide, size)


def _number(what: str, word: str | None, minimum: int | None) -> int:
    """Return a numeric parameter; ``minimum`` is ``None`` if all integers are allowed."""
    if not word:
        raise UciError(f"{what}: a number is missing")
    number = whole_number(word)
    if number is None:
        raise UciError(f"{what}: {shorten(word)} is not a number")
    if minimum is not None and number < minimum:
        raise UciError(f"{what}: {shorten(word)} is below the minimum of {minimum}")
    return number


def _whole_part(word: str) -> str:
    """Return a number without its decimals, and any other text unchanged."""
    match = re.fullmatch(r"([+-]?[0-9]+)\.[0-9]*", word)
    return match[1] if match else word


def whole_number(word: str) -> int | None:
    """Return the integer that ``word`` spells in ASCII digits, or ``None``.

    It is clamped to ±`MAX_NUMBER`.
    """
    if not re.fullmatch(r"[+-]?[0-9]+", word):
        return None
    digits = word.lstrip("+-0")[: len(str(MAX_NUMBER))]  # `int` raises for thousands of digits
    size = min(int(digits or "0"), MAX_NUMBER)
    return -size if word.startswith("-") else size


WORDS = frozenset(
    ("uci", "isready", "ucinewgame", "stop", "ponderhit", "quit", "register", "copyprotection")
) | {"d", "eval", "help"}
"""The commands without parameters, UCI's and ours."""

PARSERS: dict[str, Callable[[str], Command]] = {
    "setoption": parse_setoption,
    "position": parse_position,
    "go": parse_go,
    "debug": parse_debug,
    "bench": parse_bench,
    "perft": parse_perft,
    "speedtest": parse_speedtest,
    "genfens": parse_genfens,
}

GO_NUMBERS: dict[str, int | None] = {
    "depth": 0,
    "nodes": 0,
    "movetime": None,
    "wtime": None,
    "btime": None,
    "winc": None,
    "binc": None,
    "movestogo": None,
    "mate": 1,
}
"""The parameters of ``go`` and their minima. Clocks may be negative: a flag may be ignored."""

GO_TIMES = frozenset(("movetime", "wtime", "btime", "winc", "binc"))
"""The parameters in milliseconds."""

GO_AT_LEAST_ONE = frozenset(("depth", "nodes"))
"""The parameters for which 0 means 1, the smallest search."""

GO_FLAGS = frozenset(("infinite", "ponder"))
GO_WORDS = frozenset((*GO_NUMBERS, *GO_FLAGS, "searchmoves"))

HELP = (
    "uci                              print the engine's name and options",
    "isready                          print readyok when the engine is ready",
    "setoption name NAME [value V]    set an option",
    "ucinewgame                       clear hash table and histories for a new game",
    "position startpos|fen FEN [moves MOVE ...]",
    "go [depth N] [nodes N] [movetime MS] [wtime MS] [btime MS] [winc MS] [binc MS]",
    "   [movestogo N] [mate N] [searchmoves MOVE ...] [ponder] [infinite]",
    "                                 search; without a limit until `stop`",
    "stop                             stop the search (prints bestmove), bench or perft",
    "ponderhit                        the expected move was played: start the clock",
    "debug on|off                     print time limits as `info string`",
    "d                                print the position",
    "eval                             print the static eval and the value of each piece",
    "perft DEPTH [divide] [hash MB]   count the leaf nodes of the tree of moves",
    "bench [DEPTH]                    search the positions of the benchmark",
    "speedtest [THREADS] [HASH] [SECONDS]",
    "                                 nodes per second in games, with all cores by default",
    "genfens N seed S book FILE|None  N random openings, as OpenBench asks for them",
    "quit                             exit",
)
"""The lines that ``help`` prints."""
