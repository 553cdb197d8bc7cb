"""Contempt: what a draw is worth against an opponent, by an option or by the ratings."""

import re

from uci.errors import UciError, shorten

MAX_CONTEMPT = 100
"""Centipawns."""

ELO_PER_CENTIPAWN = 10
"""Elo of advantage that make a draw a centipawn worse, with `Contempt Auto`."""

_OPPONENT = re.compile(r"\S+ (none|[0-9]{1,5}) (?:human|computer)(?: .*)?", re.IGNORECASE)


def opponent_rating(text: str) -> int | None:
    """Return the rating in ``TITLE|none RATING|none human|computer [NAME]``; ``None`` if unknown.

    That is what ``UCI_Opponent`` holds, or nothing. Words may be in any case. Raises `UciError`
    for anything else.
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

    That is the option's ``contempt``, unless it is ``auto`` and the opponent's strength is known:
    by the GUI's rating ``advantage`` for us, 0 for none, or by the ratings, ``ours`` and
    ``theirs``.
    """
    if not advantage and theirs is not None:
        advantage = ours - theirs
    elif not advantage:
        auto = False
    if not auto:
        return contempt
    return max(-MAX_CONTEMPT, min(round(advantage / ELO_PER_CENTIPAWN), MAX_CONTEMPT))
