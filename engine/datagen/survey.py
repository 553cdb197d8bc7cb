"""Statistics of a file of games: results, phases, scores, and positions a trainer leaves out."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.board.annotations import Position
from engine.board.makemove import make
from engine.board.move import is_noisy
from engine.board.position import POSITION, new_position, occupancy
from engine.datagen.game_file import Facts, fingerprint, open_games, read_header, split
from engine.datagen.game_record import (
    MAX_GAME_PLIES,
    MAX_GAME_WORDS,
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
from engine.jit.intrinsics import popcount
from engine.jit.kernel import entry
from engine.memory.records import Record
from engine.search.score import MATE_IN_MAX

EARLY_PLIES = 16
"""Plies from the start of a game that count as early."""

SCORES = (10, 25, 50, 100, 200, 400, 800, 1600, MATE_IN_MAX)
"""Upper ends of the score classes, in centipawns of the better side; mates are the last class."""

_SCORES = np.array(SCORES)
_SCORE_CLASSES = len(SCORES) + 1

SURVEY = np.dtype(
    [
        ("words", np.uint16, MAX_GAME_WORDS),
        ("games", np.int64),
        ("positions", np.int64),
        ("results", np.int64, 3),
        ("pieces", np.int64, 33),
        ("scores", np.int64, _SCORE_CLASSES),
        ("points", np.int64, _SCORE_CLASSES),
        ("in_check", np.int64),
        ("noisy", np.int64),
        ("mates", np.int64),
        ("early", np.int64),
        ("random", np.int64),
        ("quiet", np.int64),
        ("lines", np.int64),
        ("line_moves", np.int64),
        ("keys", np.uint64, MAX_GAME_PLIES),
    ],
    align=True,
)
"""Counts over the games seen so far. ``pieces`` counts positions by pieces on the board, kings and
pawns included. ``random`` counts positions whose move was drawn at random; these count nowhere
below. ``scores`` counts positions by class of score, and ``points`` sums the results of the better
side, 2 for a win. A position may be in check, its move noisy, its score a mate and its ply early
at once; ``quiet`` counts those that are none of these. ``lines`` counts the non-empty lines,
``line_moves`` their moves. ``keys`` are the keys of the last game."""


@entry(POSITION, SURVEY)
def look_at(pos: Position, survey: Record) -> None:
    """Add the legal game in ``survey.words`` to the counts."""
    words = survey.words
    plies, result = np.int64(words[PLIES]), read_result(words, np.int64(0))
    survey.games += 1
    survey.positions += plies
    survey.results[result] += 1
    line, end = moves_end(words, np.int64(0)), game_end(words, np.int64(0))
    while line < end:
        length = np.int64(words[line])
        survey.lines += length > 0
        survey.line_moves += length
        line += 1 + length
    read_start(pos, words, np.int64(0))
    for ply in range(plies):
        move = read_move(words, np.int64(0), ply)
        score = read_score(words, np.int64(0), ply)
        survey.pieces[popcount(occupancy(pos))] += 1
        survey.keys[ply] = pos.key
        if score == NO_SCORE:
            survey.random += 1
            make(pos, move)
            continue
        in_check, noisy = pos.checkers != 0, is_noisy(move)
        mate, early = abs(score) >= MATE_IN_MAX, np.int64(words[PLAYED]) + ply < EARLY_PLIES
        survey.in_check += in_check
        survey.noisy += noisy
        survey.mates += mate
        survey.early += early
        survey.quiet += not (in_check or noisy or mate or early)
        kind = 0
        while kind < len(_SCORES) and abs(score) >= _SCORES[kind]:
            kind += 1
        white_is_better = (score > 0) != (pos.side == 1)
        survey.scores[kind] += 1
        survey.points[kind] += result if white_is_better else 2 - result
        make(pos, move)


class Survey(NamedTuple):
    """Statistics of a file: the counts ``seen``, a record of `SURVEY`, and counts across games.

    ``different`` counts the positions by key, ``openings`` the starts, ``twice`` the games that
    agree with an earlier one in every move and score, ``damaged`` the bytes between whole blocks.
    """

    facts: Facts
    seen: Record
    different: int
    openings: int
    twice: int
    damaged: int


def survey(path: Path) -> Survey:
    """Return the statistics of a file; `FormatError` when it is not a file of legal games.

    Needs 8 bytes of memory for each position.
    """
    facts, end = read_header(path)
    pos, seen = new_position(), np.rec.array(np.zeros(1, SURVEY))[0]
    keys: list[NDArray[np.uint64]] = [np.zeros(0, np.uint64)]
    openings, marks, damaged = set(), set(), 0
    for block in open_games(path):
        damaged += block.start - end
        end = block.end
        for words in split(block):
            seen.words[: len(words)] = words
            look_at(pos, seen)
            keys.append(seen.keys[: int(words[PLIES])].copy())
            openings.add(int(keys[-1][0]))
            marks.add(fingerprint(words))
    together = np.sort(np.concatenate(keys))
    different = int((together[1:] != together[:-1]).sum()) + (len(together) > 0)
    damaged += path.stat().st_size - end
    twice = int(seen.games) - len(marks)
    return Survey(facts, seen, different, len(openings), twice, damaged)
