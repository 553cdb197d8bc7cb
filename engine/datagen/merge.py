"""Merges files of games into one, shuffled and without duplicates."""

import os
import random
import secrets
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from engine.datagen.game_file import (
    Appender,
    FormatError,
    fingerprint,
    open_games,
    read_header,
    split,
)

GAMES_PER_BLOCK = 256


class Merged(NamedTuple):
    """The number of games and positions in the new file, and of the duplicates left out.

    ``damaged`` counts the bytes outside complete blocks, for each input that has some.
    """

    games: int
    positions: int
    twice: int
    damaged: dict[Path, int]


def merge(out: Path, inputs: Sequence[Path], seed: int) -> Merged:
    """Write the games of ``inputs``, which must fit into memory, to the new file ``out``.

    Of games with the same moves and scores one is kept. ``out`` appears when it is complete.
    Raises `FormatError` for an input that is not a file of legal games, or if ``out`` exists.
    """
    if os.path.lexists(out):  # a broken link, too
        raise FormatError(f"{out} already exists")
    games, sources, seen, twice = [], [], set(), 0
    damaged: dict[Path, int] = {}
    for path in inputs:
        facts, whole = read_header(path)
        sources.append(facts)
        for block in open_games(path):
            whole += block.end - block.start
            for words in split(block):
                mark = fingerprint(words)
                if mark in seen:
                    twice += 1
                else:
                    seen.add(mark)
                    games.append(words)
        if (size := path.stat().st_size) > whole:
            damaged[path] = size - whole
    random.Random(seed).shuffle(games)
    draft = out.with_name(f".{out.name}.{secrets.token_hex(8)}.part")  # an unused name
    try:
        with closing(Appender(draft, {"merged": sources, "seed": seed})) as file:
            for start in range(0, len(games), GAMES_PER_BLOCK):
                file.append(games[start : start + GAMES_PER_BLOCK])
        draft.replace(out)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return Merged(file.games, file.positions, twice, damaged)
