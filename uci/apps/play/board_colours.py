"""The colours of the board and the text, for dark and for light terminals, by numbers of the 256.

On each square both sides' men stand out: all contrasts are 3 at least, what WCAG asks of pictures,
and a test holds that. So the squares are mid-tones, of which few have room between white and black.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours in rich's words: of squares, those of the last move, men, and text."""

    light: str
    dark: str
    last_light: str
    last_dark: str
    white: str
    black: str
    quiet: str
    accent: str


PALETTES = {
    "dark": Palette(
        "color(137)", "color(94)", "color(67)", "color(60)", "color(231)", "color(16)",
        "color(245)", "color(180)",
    ),
    "light": Palette(
        "color(103)", "color(60)", "color(101)", "color(58)", "color(231)", "color(16)",
        "color(241)", "color(24)",
    ),
}  # fmt: skip

SIXTEEN = Palette(
    "cyan", "blue", "magenta", "magenta", "bright_white", "black", "default", "default",
)  # fmt: skip
"""For terminals with no more than 16 colours, whose shades nobody knows."""

NONE = Palette(*[""] * 8)
"""For terminals without colours, and for ``NO_COLOR``."""


def palette_for(theme: str, system: str | None) -> Palette:
    """Return the colours for a terminal by rich's name for what it can do, None for nothing."""
    if system is None:
        return NONE
    return PALETTES[theme] if system in ("256", "truecolor") else SIXTEEN


def theme_of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """Return the theme for the background that some terminals name in ``COLORFGBG``, or dark."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"
