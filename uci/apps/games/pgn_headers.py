"""The tags of a game, as far as they say something."""

from collections.abc import Mapping
from unicodedata import bidirectional

from uci.apps.games.analysis_document import Json


def known_tag(headers: Mapping[str, str], name: str) -> str:
    """Return what a tag says, "" where it is unknown; of a date ``1858.??.??`` the year."""
    value = headers.get(name, "").strip()
    return value.removesuffix(".??").removesuffix(".??") if value.strip("?.-") else ""


def isolated(text: str) -> str:
    """Return a text that words beside it cannot mix with: isolated where it reads from the right.

    In HTML elements ``bdi`` does so; this is for sentences.
    """
    if any(bidirectional(letter) in ("R", "AL") for letter in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def player(headers: Mapping[str, str], side: str) -> str:
    """Return the name of ``White`` or ``Black``, which is the side itself where none is known."""
    return known_tag(headers, side) or side


def names_apart(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return what to call White and Black: their names, or the sides if they have one name."""
    white, black = player(headers, "White"), player(headers, "Black")
    return (white, black) if white.casefold() != black.casefold() else ("White", "Black")


def game_result(game: Json) -> str:
    """Return the result of a game in a document; earlier versions wrote only the tag's."""
    result: str = game.get("result", game["headers"].get("Result", "*"))
    return result
