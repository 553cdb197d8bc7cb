"""The games of a match, kept outside the checkout, so that it goes on where it was stopped."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import chess.pgn

from engine.files import replace_file
from scripts.match.builds import MatchError
from scripts.match.pgn import POINTS


def digest_of(path: Path) -> str:
    """Return a short name for what a file holds. Raises `MatchError`."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:10]
    except OSError as error:
        raise MatchError(f"{path}: {error.strerror}") from None


def open_match(folder: Path, name: str, facts: object) -> None:
    """Make the folder of a match, or go on with it; its file ``name`` holds the ``facts`` in JSON.

    Raises `MatchError` where they are another match's, or damaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / name
    if not known.exists():
        replace_file(known, json.dumps(facts, indent=1).encode())
        return
    try:
        kept = json.loads(known.read_text(encoding="utf-8"))
    except ValueError:
        raise MatchError(f"{known} is damaged: move {folder} away") from None
    if kept != facts:
        raise MatchError(f"{folder} holds a match with other options: repeat them, or change SEED")


def split_games(path: Path) -> Iterator[tuple[chess.pgn.Headers, str]]:
    """Yield the headers and the text of each whole game of a PGN file, if there is one."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        start = 0
        while (headers := chess.pgn.read_headers(file)) is not None:
            end = file.tell()
            file.seek(start)
            text = file.read(end - start)
            start = end
            if text.rstrip().endswith(headers.get("Result", "*")):
                yield headers, text.strip() + "\n\n"


def resume(
    path: Path, openings: Sequence[str], us: str
) -> tuple[list[tuple[float, float]], list[str]]:
    """Return our points in the pairs of games that a PGN file holds, and the openings that remain.

    A pair is both games of an opening, 0, ½ or 1 points each, that with White first; pairs of other
    openings, of a match that was to be longer, count too. What else there is, of games that were
    broken off, is taken out of the file.
    """
    games = defaultdict[tuple[str, bool], list[tuple[float, str]]](list)
    for headers, text in split_games(path):
        points = POINTS.get(headers.get("Result", "*"))
        if points is not None:
            white = headers.get("White") == us
            start = _position(headers.get("FEN", chess.STARTING_FEN))
            games[start, white].append((points if white else 1 - points, text))
    beyond = [start for start, white in games if white for _ in games[start, white]]
    pairs, left, kept = [], [], []
    for number, opening in enumerate([*openings, *beyond]):
        as_white, as_black = (games[_position(opening), color] for color in chess.COLORS)
        if as_white and as_black:
            (one, first), (other, second) = as_white.pop(0), as_black.pop(0)
            pairs.append((one, other))
            kept += [first, second]
        elif number < len(openings):
            left.append(opening)
    if path.exists():
        replace_file(path, "".join(kept).encode())
    return pairs, left


def _position(fen: str) -> str:
    """Return what managers agree on of a position: no counters, en passant where it is legal."""
    return chess.Board(fen, chess960=True).epd()
