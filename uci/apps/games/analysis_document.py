"""Documents of analysed games, as ``pythagoras analyse`` writes them: JSON of schema 1."""

import json
from pathlib import Path
from typing import IO, Any

from engine.files import open_file
from uci.errors import UciError, shorten

SCHEMA = 1

Json = dict[str, Any]

NEEDED = {"source", "engine", "limit", "scale", "games", "unread"}
NEEDED_OF_GAMES = {"number", "headers", "positions", "moves", "white", "black", "phases", "pgn"}


def read_document(path: Path) -> Json:
    """Return the document in a file. Raises `UciError` for what is none."""
    name = shorten(str(path))
    try:
        with open_file(path) as file:
            return check_document(file, name)
    except OSError as error:
        raise UciError(f"{name}: {error.strerror}") from None


def check_document(file: IO[bytes], name: str) -> Json:
    """Return the document in a file called ``name``. Raises `UciError` for what is none."""
    try:
        found = json.load(file)
    except (ValueError, RecursionError):
        raise UciError(f"{name} is no JSON") from None
    if not isinstance(found, dict) or not found.keys() >= NEEDED:
        raise UciError(f"{name} holds no analysed games: `pythagoras analyse` writes them")
    if found.get("schema") != SCHEMA:
        raise UciError(f"{name} is of schema {shorten(str(found.get('schema')))}, not {SCHEMA}")
    if not isinstance(found["games"], list):
        raise UciError(f"{name} is damaged: its games are no list")
    for game in found["games"]:
        if not isinstance(game, dict) or not game.keys() >= NEEDED_OF_GAMES:
            raise UciError(f"{name}: a game in it is damaged")
    return found
