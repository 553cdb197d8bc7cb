"""Converts games to training positions."""

import threading
from typing import Any

import numpy as np

from engine.board.annotations import Count
from engine.board.makemove import make, unmake
from engine.board.move import is_noisy
from engine.board.position import new_position
from engine.board.types import BLACK
from engine.datagen.game_file import Block
from engine.datagen.game_record import (
    NO_SCORE,
    PLAYED,
    PLIES,
    game_end,
    moves_end,
    read_move,
    read_result,
    read_score,
    read_start,
)
from engine.evaluation.endgames import is_evaluated_by_rule
from engine.jit.kernel import kernel
from scripts.training.positions import SAMPLE, UNKNOWN, UNPLAYED, Samples, pack

FIRST_PLY = 16
"""First ply of training positions; earlier ones are too random."""

LARGEST_SCORE = 10_000
"""Maximum score in centipawns; beyond it are mates, which an evaluation should not predict."""

LATER = np.float32(0.6)
"""Lambda of TD(λ): the weight of the next position's target in a position's target."""

FIRST_OF_LINE, LEFT = 2, 2
"""First ply of training positions in a PV, and the minimum number of plies after them."""

CLEAR_SCORE = 1_000
"""Scores are clamped to this many centipawns."""

VALIDATION = 50
"""One of this many games is used for validation."""

_local = threading.local()


@kernel
def _is_quiet(pos: Any, move: Any) -> Any:
    """Return whether the search's score of ``pos``, with best ``move``, is a target for the
    network."""
    return pos.checkers == 0 and not is_noisy(move) and not is_evaluated_by_rule(pos)


@kernel
def _read_line(pos: Any, words: Any, at: Any, score: Any, samples: Any, count: Any) -> Any:
    """Add the quiet positions of the PV at ``words[at]``, with value ``score``; return its end.

    Positions are used from ply `FIRST_OF_LINE` on, if the search went at least `LEFT` plies beyond
    them: there the score is better than the network's, and costs nothing.
    """
    made: Count = np.int64(0)
    for index in range(np.int64(words[at]) - LEFT + 1):
        move = np.int64(words[at + 1 + index])
        if index >= FIRST_OF_LINE and _is_quiet(pos, move):
            pack(pos, samples[count])
            samples[count].score = score
            samples[count].expected = score
            samples[count].result = UNPLAYED
            count += 1
        make(pos, move)
        score = -score
        made += 1
    for _ in range(made):
        unmake(pos)
    return count


@kernel
def read_game(pos: Any, words: Any, at: Any, samples: Any, count: Any) -> Any:
    """Add the quiet positions of the game at ``words[at]`` to ``samples[count:]``; return its end.

    A position is quiet if it is not in check and the best move neither captures nor promotes, so
    that its evaluation is close to the search's score. Endgames in which rules replace the network
    are skipped.

    ``expected`` stays in centipawns: a weighted mean of this and later scores of the game, each
    with `LATER` times the weight of the one before (TD(λ): Richard Sutton, 1988). A random move
    ends the mean, and the result does not count for the positions before it.
    """
    plies = np.int64(words[at + PLIES])
    outlook = np.zeros(plies + 1, np.float32)
    last_random: Count = np.int64(-1)
    later = np.float32(0)
    for ply in range(plies - 1, -1, -1):
        score = read_score(words, at, ply)
        if score == NO_SCORE:
            last_random = max(last_random, np.int64(ply))
            later = np.float32(0)
            continue
        clear = min(max(score, np.int64(-CLEAR_SCORE)), np.int64(CLEAR_SCORE))
        outlook[ply] = clear - later * (clear + outlook[ply + 1])
        later = LATER
    read_start(pos, words, at)
    played, result = np.int64(words[at + PLAYED]), read_result(words, at)
    line, end = moves_end(words, at), game_end(words, at)
    for ply in range(plies):
        move, score = read_move(words, at, ply), read_score(words, at, ply)
        told = abs(score) < LARGEST_SCORE and played + ply >= FIRST_PLY
        if told and _is_quiet(pos, move):
            pack(pos, samples[count])
            samples[count].score = score
            samples[count].expected = outlook[ply]
            samples[count].result = 2 - result if pos.side == BLACK else result
            if ply < last_random:
                samples[count].result = UNKNOWN
            count += 1
        if line < end:
            if told:
                clear = min(max(score, np.int64(-CLEAR_SCORE)), np.int64(CLEAR_SCORE))
                count = _read_line(pos, words, line, clear, samples, count)
            line += 1 + np.int64(words[line])
        make(pos, move)
    return count


@kernel
def read_block(pos: Any, words: Any, first: Any, training: Any, validation: Any) -> Any:
    """Add the positions of a block to ``training`` and ``validation``; return the counts."""
    at: Count = np.int64(0)
    number: Count = np.int64(first)
    training_count, validation_count = np.int64(0), np.int64(0)
    while at < len(words):
        if number % VALIDATION == 0:
            validation_count = read_game(pos, words, at, validation, validation_count)
        else:
            training_count = read_game(pos, words, at, training, training_count)
        at = game_end(words, at)
        number += 1
    return training_count, validation_count


def read(block: Block) -> tuple[Samples, Samples]:
    """Return the positions of a block for training and for validation.

    ``expected`` is still in centipawns. `engine.datagen.game_file.split` must have accepted the
    block: the kernels check nothing.
    """
    if not hasattr(_local, "pos"):
        _local.pos = new_position()
    training, validation = np.zeros((2, len(block.words)), SAMPLE)
    training_count, validation_count = read_block(
        _local.pos, block.words, block.first, training, validation
    )
    return training[:training_count], validation[:validation_count]
