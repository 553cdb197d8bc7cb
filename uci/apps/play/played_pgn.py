"""Writes games as PGN, and reads them to resume them."""

import os
from collections import deque
from datetime import datetime
from pathlib import Path

import chess
import chess.pgn

from engine.files import named, open_descriptor, open_file
from uci import __version__
from uci.apps.games.openings import opening_of
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import split_games
from uci.apps.games.pgn_writer import add_comment, pgn_of
from uci.apps.play.played_game import OPEN, PlayedGame
from uci.errors import UciError, printable, reason, shorten


def pgn_text(
    game: PlayedGame, person: str, side: chess.Color, level: str, control: str, began: datetime
) -> str:
    """Return a game in PGN, followed by an empty line.

    ``person`` played ``side`` since ``began``, against the engine at ``level``; ``control`` is the
    value of PGN's ``TimeControl``, or empty.
    """
    # In standard chess castling is written with the king's two steps.
    board = chess.Board(game.start, chess960=game.chess960)
    for text in game.moves:
        board.push_uci(text)
    root = chess.pgn.Game.from_board(board)
    for node, left in zip(root.mainline(), game.left, strict=True):
        node.set_clock(left)
    end = game.end()
    engine = f"Pythagoras {__version__} ({level})"
    names = (person, engine) if side else (engine, person)
    headers = {
        "Event": "Game in a terminal",
        "Site": "?",
        "Date": began.strftime("%Y.%m.%d"),
        "Round": "-",
        "White": names[0],
        "Black": names[1],
        "Result": end.result if end else OPEN,
        "TimeControl": control or "-",
    }
    if end:
        headers["Termination"] = end.termination
    if game.early_end:  # such an end does not show on the board
        add_comment(root.end(), game.early_end.reason)
    for name, value in headers.items():
        root.headers[name] = value
    if opening := opening_of(node.board() for node in (root, *root.mainline())):
        root.headers["ECO"], root.headers["Opening"] = opening.eco, opening.name
    return f"{pgn_of(root)}\n\n"


def append_pgn(path: str, text: str) -> Path:
    """Append a game to a file, which is created if necessary. Raises `UciError`."""
    file = named(path).expanduser()
    try:
        descriptor = open_descriptor(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with os.fdopen(descriptor, "r+b") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - 4))
            end = stream.read().replace(b"\r", b"")
            ended = len(end) - len(end.rstrip(b"\n")) if end else 2
            stream.write(b"\n" * (2 - ended) + text.encode())
    except (OSError, RuntimeError) as error:
        raise UciError(f"could not write {shorten(path)}: {reason(error)}") from None
    return file


def last_game(path: str) -> tuple[PlayedGame, str]:
    """Return the last game of a file, and its players. Raises `UciError`."""
    try:
        with open_file(named(path).expanduser()) as stream:
            raw = deque(split_games(stream), maxlen=1)
    except (OSError, RuntimeError) as error:
        raise UciError(f"could not read {shorten(path)}: {reason(error)}") from None
    if not raw:
        raise UciError(f"{shorten(path)} has no games")
    try:
        found = read_game(raw[0])
        if found.errors:
            raise BadGame(str(found.errors[-1]))
    except BadGame as error:
        raise UciError(f"could not read the last game of {shorten(path)}: {error}") from None
    moves = [move.uci() for move in found.mainline_moves()]
    chess960 = "960" in found.headers.get("Variant", "")
    game = PlayedGame(found.headers.get("FEN"), moves, chess960)
    return game, printable(f"{found.headers['White']} – {found.headers['Black']}")
