"""The output of ``pythagoras datagen FILE --stats``."""

import json
from collections.abc import Iterator
from pathlib import Path

from uci.apps.console.streams import print_now
from uci.apps.engines.warm_up import compile_kernels

PHASES = ((27, 32), (21, 26), (15, 20), (9, 14), (3, 8))
"""Ranges of the number of pieces on the board, kings and pawns included."""


def stats_lines(path: Path) -> Iterator[str]:
    """Yield the lines about a file of games. Raises `ValueError` for other files."""
    from engine.datagen.game_file import read_header
    from engine.datagen.survey import EARLY_PLIES, SCORES, survey

    read_header(path)  # refuses other files before anything is compiled
    compile_kernels(print_now)
    found = survey(path)
    seen = found.seen
    games, positions = int(seen.games), int(seen.positions)
    yield f"written by  {json.dumps(found.facts)}"
    yield f"games       {games:,}; {positions / max(games, 1):.1f} positions per game"
    yield f"            {found.twice:,} duplicates, {found.openings:,} different openings"
    if found.damaged:
        yield f"            {found.damaged:,} damaged bytes were skipped"
    black, draws, white = (f"{percentage(int(count), games)}" for count in seen.results)
    yield f"results     white {white}, draw {draws}, black {black}"
    yield f"positions   {positions:,}, {percentage(found.different, positions)} different"
    if seen.lines:
        yield f"lines       {int(seen.lines):,} of {seen.line_moves / seen.lines:.1f} moves"
    yield ""
    yield "not used for training, for one reason or several"
    for name, count in (
        ("in check", seen.in_check),
        ("the move captures or promotes", seen.noisy),
        ("the score is a mate", seen.mates),
        (f"before ply {EARLY_PLIES}", seen.early),
        ("the move was random", seen.random),
    ):
        yield f"  {name:32}{percentage(int(count), positions)}"
    yield f"  {'kept':32}{percentage(int(seen.quiet), positions)} ({int(seen.quiet):,})"
    yield ""
    yield "pieces on the board"
    for least, most in PHASES:
        count = int(seen.pieces[least : most + 1].sum())
        yield f"  {f'{least} to {most}':32}{percentage(count, positions)}"
    yield ""
    yield "score of the better side          positions     it scores"
    bounds = [0, *SCORES]
    names = [f"{low} to {high - 1}" for low, high in zip(bounds, SCORES, strict=False)]
    names[-1] = f"{SCORES[-2]} and more"
    for name, count, points in zip([*names, "mate"], seen.scores, seen.points, strict=True):
        won = percentage(int(points), 2 * int(count)) if count else ""
        yield f"  {name:32}{percentage(int(count), positions)}      {won}"


def percentage(part: int, whole: int) -> str:
    """Return a percentage, seven characters wide."""
    return f"{100 * part / max(whole, 1):6.2f}%"
