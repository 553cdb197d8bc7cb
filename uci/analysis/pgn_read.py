"""Reads games, and says of each that cannot be analysed what is wrong with it."""

import io
import re

import chess
import chess.pgn
import chess.variant

from uci.analysis.pgn_split import RawGame
from uci.chess_io.adapter import board_of
from uci.protocol.commands import UciError


class BadGame(Exception):
    """What is wrong with a game, in a line."""


BRACES = re.compile(r"\{[^}]*\}|;[^\n]*")
NUMBER = re.compile(r"^\d+\.*(?:…)?")
SQUARE = re.compile(r"[a-h][1-8](?:=?\w)?[+#!?=]*$")
ENGLISH = re.compile(r"^(?:[KQRBN]?[a-h]?[1-8]?[x:-]?[a-h][1-8](?:=?[QRBNqrbn])?)[+#!?=]*$")


def read_game(raw: RawGame) -> chess.pgn.Game:
    """Return a game with at least one move, all legal, that the engine can play.

    Raises `BadGame`.
    """
    if raw.broken:
        raise BadGame(raw.broken)
    if foreign := foreign_move("\n".join(raw.moves)):
        raise BadGame(f"{foreign!r} is not in English letters")
    try:
        game = chess.pgn.read_game(io.StringIO(raw.text))
    except Exception as error:  # noqa: BLE001  (whatever a text does to the reader)
        raise BadGame(str(error) or type(error).__name__) from None
    if game is None:
        raise BadGame("it is no game")
    check_start(game)
    if game.errors:
        raise BadGame(_first_line(game.errors[0]))
    if not game.variations:
        raise BadGame("it has no moves")
    if any(not node.move for node in game.mainline()):
        raise BadGame("a side passes: a null move cannot be judged")
    return game


def check_start(game: chess.pgn.Game) -> None:
    """Raise `BadGame` unless the engine can play from the start of ``game``."""
    name = game.headers.get("Variant", "")
    try:
        variant = game.headers.variant()
    except ValueError:
        raise BadGame(f"the variant {name} is unknown") from None
    if variant is not chess.Board:
        raise BadGame(f"the variant {name} cannot be played")
    if "FEN" not in game.headers:
        return
    try:
        board_of(game.headers["FEN"])
    except UciError as error:
        raise BadGame(f"its start: {error}") from None


def foreign_move(movetext: str) -> str | None:
    """Return a move in the letters of another language or in figurines; None if there is none.

    python-chess reads the German ``Sf3`` as the pawn's move f3.
    """
    for word in BRACES.sub(" ", movetext).replace("(", " ").replace(")", " ").split():
        move = NUMBER.sub("", word)
        if SQUARE.search(move) and not ENGLISH.match(move):
            return move[:20]
    return None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
