"""The tags of a game, as far as they say something."""

from collections.abc import Mapping


def known_tag(headers: Mapping[str, str], name: str) -> str:
    """Return what a tag says, "" where it is unknown; of a date ``1858.??.??`` the year."""
    value = headers.get(name, "").strip()
    return value.removesuffix(".??").removesuffix(".??") if value.strip("?.-") else ""


def player(headers: Mapping[str, str], side: str) -> str:
    """Return the name of ``White`` or ``Black``, which is the side itself where none is known."""
    return known_tag(headers, side) or side
