"""The saved games of a match, outside the checkout, from which it is resumed."""

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
    """Return a short digest of a file's contents. Raises `MatchError`."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:10]
    except OSError as error:
        raise MatchError(f"{path}: {error.strerror}") from None


def open_match(folder: Path, name: str, facts: object) -> None:
    """Create the folder of a match, or resume it; its file ``name`` stores the ``facts`` as JSON.

    Raises `MatchError` if they belong to another match, or are damaged.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / name
    if not known.exists():
        replace_file(known, json.dumps(facts, indent=1).encode())
        return
    try:
        kept = json.loads(known.read_text(encoding="utf-8"))
    except ValueError:
        raise MatchError(f"{known} is damaged: move or delete {folder}") from None
    if kept != facts:
        raise MatchError(
            f"{folder} has a match with other options: use the same options, or another SEED"
        )


def split_games(path: Path) -> Iterator[tuple[chess.pgn.Headers, str]]:
    """Yield headers and text of each complete game of a PGN file, if the file exists."""
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
    """Return our points in the pairs of games of a PGN file, and the openings that remain.

    A pair is both games of an opening, 0, ½ or 1 points each, that with White first. Pairs of other
    openings, from a match that was planned longer, count too. Incomplete pairs are removed from the
    file.
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
    """Return the position as all managers write it: no counters, en passant only if legal."""
    return chess.Board(fen, chess960=True).epd()
