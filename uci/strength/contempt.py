"""Contempt: what a draw is worth against an opponent, by an option or by the ratings."""

import re

from uci.errors import UciError, shorten

MAX_CONTEMPT = 100
"""Centipawns."""

ELO_PER_CENTIPAWN = 10
"""Elo of advantage that make a draw a centipawn worse, with `Contempt Auto`."""

_OPPONENT = re.compile(r"\S+ (none|[0-9]{1,5}) (?:human|computer)(?: .*)?", re.IGNORECASE)


def opponent_rating(text: str) -> int | None:
    """Return the rating in a value of ``UCI_Opponent``; ``None`` if unknown or the value is empty.

    The value is ``TITLE|none RATING|none human|computer [NAME]``, in upper or lower case. Raises
    `UciError` for any other text.
    """
    words = " ".join(text.split())
    if not words:
        return None
    match = _OPPONENT.fullmatch(words)
    if match is None:
        form = "TITLE|none RATING|none human|computer NAME"
        raise UciError(f"option UCI_Opponent: expected {form}, not {shorten(words)}")
    return None if match[1].lower() == "none" else int(match[1])


def contempt_of(contempt: int, auto: bool, advantage: int, ours: int, theirs: int | None) -> int:
    """Return the centipawns that a draw is worth less than an even game.

    These are the option's ``contempt``. If ``auto``, and the rating difference is known, they are a
    tenth of it: of the GUI's ``advantage`` for us, or if that is 0, of ``ours`` minus ``theirs``.
    """
    if not advantage and theirs is not None:
        advantage = ours - theirs
    elif not advantage:
        auto = False
    if not auto:
        return contempt
    return max(-MAX_CONTEMPT, min(round(advantage / ELO_PER_CENTIPAWN), MAX_CONTEMPT))
