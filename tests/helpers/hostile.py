"""Texts that make regular expressions slow, found by search, and time limits for matching."""

import contextlib
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SIZE = 100_000
"""Characters of a hostile text."""

LIMIT = 2.0
"""Seconds of processor time for one text; linear matching needs some hundredths."""

REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
CATEGORIES = {
    codes.CATEGORY_DIGIT: "1", codes.CATEGORY_NOT_DIGIT: "x", codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "x", codes.CATEGORY_WORD: "a", codes.CATEGORY_NOT_WORD: "!",
}  # fmt: skip


class TooSlow(Exception):
    """Raised when an attempt exceeds its time limit."""


@contextlib.contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` after some processor time, in one attempt of a regular expression too."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def finishes(action: Callable[[], object], seconds: float = LIMIT) -> bool:
    """Run an action in its own process; return whether it ends, even by an error, within a limit.

    A regular expression that searches a text cannot be interrupted otherwise.
    """
    child = os.fork()
    if not child:
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        with contextlib.suppress(Exception):
            action()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)


Use = Callable[[re.Pattern[str], str], object]

USES: dict[str, Use] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    "finditer": lambda pattern, text: sum(1 for _ in pattern.finditer(text)),
    "findall": lambda pattern, text: pattern.findall(text),
    "sub": lambda pattern, text: pattern.sub("", text),
    "split": lambda pattern, text: pattern.split(text),
}


def worst_text(pattern: re.Pattern[str], use: Use, tries: int = 300, size: int = 1000) -> str:
    """Return the text of `SIZE` characters that grows from the slowest of many small ones.

    A small text is a part of a matching text, a repetition, and an end that may not match.
    """
    dice = random.Random(1)
    slowest, found = 0.0, ("", "x", "")
    for _ in range(tries):
        before = sample(pattern, dice)[: dice.randrange(20)]
        if dice.random() < 0.7:
            repeated = "".join(dice.choices(atoms(pattern), k=dice.randrange(1, 3)))
        else:
            repeated = "".join(_sample(dice.choice(loops(pattern)), dice)) or "x"
        end = dice.choice(("", "\0", "x", "!", " x", sample(pattern, dice)[:3]))
        text = before + repeated * (size // len(repeated) + 1) + end
        start = time.process_time()
        try:
            with limit(LIMIT / 4):
                use(pattern, text)
        except TooSlow:
            return grown(before, repeated, end)
        taken = time.process_time() - start
        if taken > slowest:
            slowest, found = taken, (before, repeated, end)
    return grown(*found)


def grown(before: str, repeated: str, end: str) -> str:
    return before + repeated * (SIZE // len(repeated)) + end


@cache
def atoms(pattern: re.Pattern[str]) -> list[str]:
    """Return characters that occur in a pattern, one for each of its classes."""
    found = {"x", " "}
    _collect(parser.parse(pattern.pattern, pattern.flags), found)
    return sorted(found)


@cache
def loops(pattern: re.Pattern[str]) -> list[Any]:
    """Return the parsed pattern, and each part of it that is repeated."""
    whole = parser.parse(pattern.pattern, pattern.flags)
    return [whole, *_loops(whole)]


def _loops(node: Any) -> Iterator[Any]:
    if isinstance(node, parser.SubPattern | list | tuple):
        match tuple(node):
            case (code, (_, _, inner)) if code in REPEATS:
                yield inner
                yield from _loops(inner)
            case items:
                for item in items:
                    yield from _loops(item)


def _collect(node: Any, found: set[str]) -> None:
    if isinstance(node, parser.SubPattern | list | tuple):
        match tuple(node):
            case (codes.LITERAL | codes.NOT_LITERAL, int(code)):
                found.add(chr(code))
            case (codes.RANGE, (int(first), _)):
                found.add(chr(first))
            case (codes.CATEGORY, category):
                found.add(CATEGORIES.get(category, "x"))
            case items:
                for item in items:
                    _collect(item, found)


def sample(pattern: re.Pattern[str], dice: random.Random) -> str:
    """Return a text that matches a pattern, apart from its lookaheads and lookbehinds."""
    return "".join(_sample(parser.parse(pattern.pattern, pattern.flags), dice))


def _sample(items: Any, dice: random.Random) -> Iterator[str]:
    for code, value in items:
        if code in REPEATS:
            least, most, inner = value
            for _ in range(dice.randint(least, min(most, least + 2))):
                yield from _sample(inner, dice)
        elif code is codes.BRANCH:
            yield from _sample(dice.choice(value[1]), dice)
        elif code is codes.SUBPATTERN:
            yield from _sample(value[-1], dice)
        elif code is codes.ATOMIC_GROUP:
            yield from _sample(value, dice)
        elif code is codes.LITERAL:
            yield chr(value)
        elif code is codes.IN and value[0][0] is not codes.NEGATE:
            characters: set[str] = set()
            _collect(dice.choice(value), characters)
            yield dice.choice(sorted(characters))
        elif code in (codes.IN, codes.NOT_LITERAL, codes.ANY):
            yield "x"
