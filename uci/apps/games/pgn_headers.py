"""The tags of a game for display: known values, and names of the players."""

from collections.abc import Mapping
from unicodedata import bidirectional


def known_tag(headers: Mapping[str, str], name: str) -> str:
    """Return the value of a tag, "" if unknown; for a date such as ``1858.??.??`` the year."""
    value = headers.get(name, "").strip()
    return value.removesuffix(".??").removesuffix(".??") if value.strip("?.-") else ""


def isolated(text: str) -> str:
    """Return a text that keeps its writing direction apart from its neighbours'.

    For sentences; in HTML, ``bdi`` elements do the same.
    """
    if any(bidirectional(letter) in ("R", "AL") for letter in text):
        return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return text


def player(headers: Mapping[str, str], side: str) -> str:
    """Return the name of ``White`` or ``Black``, or the colour if the name is unknown."""
    return known_tag(headers, side) or side


def names_apart(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return different names for White and Black: the players', or the colours if equal."""
    white, black = player(headers, "White"), player(headers, "Black")
    return (white, black) if white.casefold() != black.casefold() else ("White", "Black")
