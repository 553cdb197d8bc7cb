"""The tags of a game for people: known values, names of the players."""

from collections.abc import Mapping
from unicodedata import bidirectional


def known_tag(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a tag, "" if it is unknown; of the date ``1858.??.??`` the year."""
    value = headers.get(name, "").strip()
    return value.removesuffix(".??").removesuffix(".??") if value.strip("?.-") else ""


def isolated(text: str) -> str:
    """Return a text that does not mix with its neighbours where it is written right to left.

    In HTML, ``bdi`` elements do the same; this is for sentences.
    """
    if any(bidirectional(letter) in ("R", "AL") for letter in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def player(headers: Mapping[str, str], side: str) -> str:
    """Return the name of ``White`` or ``Black``, or the side itself if the name is unknown."""
    return known_tag(headers, side) or side


def names_apart(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return what to call White and Black: their names, or the sides if they have one name."""
    white, black = player(headers, "White"), player(headers, "Black")
    return (white, black) if white.casefold() != black.casefold() else ("White", "Black")
