"""From files of games to the positions that a network learns from."""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from engine.board.makemove import make
from engine.board.move import is_noisy
from engine.board.position import new_position
from engine.board.types import BLACK
from engine.datagen.game_file import Block, open_games
from engine.datagen.game_record import (
    MOVES,
    PLAYED,
    PLIES,
    RESULT,
    read_move,
    read_score,
    read_start,
)
from engine.evaluation.endgames import is_mop_up
from engine.jit.kernel import kernel
from scripts.training.positions import SAMPLE, pack
from scripts.training.scale import logistic, scale_of_scores

FIRST_PLY = 16
"""Earlier positions are too random to learn from."""

LARGEST_SCORE = 10_000
"""Beyond it a score is a mate, which no evaluation should foretell."""

VALIDATION = 50
"""One game of so many is kept apart, to check what was learned."""

_here = threading.local()


@kernel
def read_game(pos: Any, words: Any, at: Any, samples: Any, count: Any) -> Any:
    """Add the quiet positions of the game at ``words[at]`` to ``samples[count:]``; return the end.

    A position is quiet when nobody is in check and the move that was found neither takes nor
    promotes: what the search saw is then mostly there to be seen on the board. Where rules
    drive a lone king the network is not asked, and the scores are on another scale.
    """
    read_start(pos, words, at)
    played, result = np.int64(words[at + PLAYED]), np.int64(words[at + RESULT])
    for ply in range(np.int64(words[at + PLIES])):
        move, score = read_move(words, at, ply), read_score(words, at, ply)
        quiet = pos.checkers == 0 and not is_noisy(move) and not is_mop_up(pos)
        if quiet and abs(score) < LARGEST_SCORE and played + ply >= FIRST_PLY:
            pack(pos, samples[count])
            samples[count].score = score
            samples[count].result = 2 - result if pos.side == BLACK else result
            count += 1
        make(pos, move)
    return count


@kernel
def read_block(pos: Any, words: Any, first: Any, learned: Any, checked: Any) -> Any:
    """Sort the positions of a block of games into ``learned`` and ``checked``; return how many."""
    at, number = np.int64(0), np.int64(first)
    to_learn, to_check = np.int64(0), np.int64(0)
    while at < len(words):
        if number % VALIDATION == 0:
            to_check = read_game(pos, words, at, checked, to_check)
        else:
            to_learn = read_game(pos, words, at, learned, to_learn)
        at += MOVES + 2 * np.int64(words[at + PLIES])
        number += 1
    return to_learn, to_check


def _read(block: Block) -> tuple[Any, Any]:
    if not hasattr(_here, "pos"):
        _here.pos = new_position()
    learned, checked = np.zeros((2, block.positions), SAMPLE)
    to_learn, to_check = read_block(_here.pos, block.words, block.first, learned, checked)
    return learned[:to_learn].copy(), checked[:to_check].copy()


def _read_file(path: Path, pool: ThreadPoolExecutor) -> tuple[Any, Any]:
    parts = list(pool.map(_read, open_games(path)))
    if not any(len(learned) for learned, _ in parts):
        raise ValueError(f"{path}: too few games, nothing to learn from")
    learned, checked = map(np.concatenate, zip(*parts, strict=True))
    scale = scale_of_scores(learned["score"], learned["result"])
    for samples in (learned, checked):
        samples["expected"] = logistic(samples["score"] / np.float32(scale))
    return learned, checked


def load(paths: Sequence[Path]) -> tuple[Any, Any]:
    """Return the positions to learn from and those to check with, as `SAMPLE` arrays.

    Every core reads blocks of games. What is expected of a score is found file by file, since an
    evaluation has centipawns of its own. Raises `OSError` or `ValueError` for a file that cannot be
    used, and `ValueError` when there is nothing to learn from.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        files = [_read_file(path, pool) for path in paths]
    learned, checked = map(np.concatenate, zip(*files, strict=True))
    if not len(checked):
        raise ValueError("too few games, nothing to check with")
    return learned, checked
