"""Reads games; reports the reason for each that cannot be analysed."""

import io
import re
from contextlib import suppress

import chess
import chess.pgn
import chess.variant

from uci.apps.games.pgn_split import RawGame, unescape
from uci.apps.games.pgn_tree import build
from uci.apps.games.pgn_words import result_of, words
from uci.chess_io.convert import board_of
from uci.errors import UciError, printable

NO_MOVES = "it has no moves"
"""The error of a game without moves."""


class BadGame(Exception):
    """Raised if a game cannot be analysed; the message is one line."""

    def __init__(self, why: str) -> None:
        super().__init__(printable(why))


NO_VARIANT = re.compile(r'\[Variant "[ ?-]*"\]')
VARIANT = re.compile(r'\[Variant "(.*)"\]')
VARIANT_NAMES = {
    "Standard": "standard regular normal classical orthodox orthochess fromposition setup",
    "Chess960": "chess960 960 c960 frc fischerandom fischerrandom freestyle 9lx chess9lx dfrc"
    " doublefischerrandom",
}
"""Other names of the two, in the letters and digits of `_plain`."""

RESULT = re.compile(r'\[Result "(.*)"\]')


def read_game(raw: RawGame) -> chess.pgn.Game:
    """Return a game with at least one move that the engine can play.

    All its moves are legal; ``errors`` has a `LineEnds` for each line that ends before an
    unplayable move. Its tag values contain no escapes. Raises `BadGame`.
    """
    if raw.broken:
        raise BadGame(raw.broken)
    tags = "\n".join([*(_known_variant(tag) for tag in raw.tags if not _says_nothing(tag)), ""])
    check_start(chess.pgn.read_headers(io.StringIO(tags)) or chess.pgn.Headers())
    game = chess.pgn.read_game(io.StringIO(tags)) or chess.pgn.Game()
    try:
        build(game, words("\n".join(raw.moves)))
    except ValueError as error:
        raise BadGame(str(error)) from None
    if not game.variations:
        raise BadGame(str(game.errors[-1]) if game.errors else NO_MOVES)
    for name, value in game.headers.items():
        game.headers[name] = unescape(value)
    game.headers["Result"] = result_of(game.headers["Result"])
    return game


def check_start(headers: chess.pgn.Headers) -> None:
    """Raise `BadGame` unless the engine can play from the start of a game."""
    name = headers.get("Variant", "")
    try:
        variant = headers.variant()
    except ValueError:
        raise BadGame(f"the variant {name} is unknown") from None
    if variant is not chess.Board:
        raise BadGame(f"the variant {name} is not supported")
    if "FEN" not in headers:
        return
    try:
        board_of(headers["FEN"])
    except UciError as error:
        raise BadGame(f"starting position: {error}") from None


def _says_nothing(tag: str) -> bool:
    """Return whether to hide a tag from python-chess, where its result would replace the moves'."""
    result = RESULT.match(tag)
    return bool(NO_VARIANT.match(tag) or (result and result_of(result[1]) == "*"))


def _known_variant(tag: str) -> str:
    """Return a tag; a ``Variant`` gets python-chess's name for it, if it is another name."""
    found = VARIANT.match(tag)
    if found is None:
        return tag
    with suppress(ValueError):
        chess.pgn.Headers(Variant=found[1]).variant()
        return tag
    plain = _plain(found[1])
    for name, others in VARIANT_NAMES.items():
        if plain in others.split():
            return f'[Variant "{name}"]'
    return tag


def _plain(name: str) -> str:
    """Return the letters and digits of a name in lower case, without a ``chess`` at its end."""
    return "".join(filter(str.isalnum, name)).lower().removesuffix("chess")
