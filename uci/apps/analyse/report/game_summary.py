"""A game's summary in words: its result, who played better, and the largest swing."""

from uci.apps.console.rounding import half_up
from uci.apps.games.analysis_document import AnalysedGame
from uci.apps.games.pgn_headers import isolated, names_apart

RESULTS = {"1-0": "{white} won", "0-1": "{black} won", "1/2-1/2": "{white} and {black} drew"}


def game_summary(game: AnalysedGame) -> str:
    """Return sentences on the result, accuracies, the largest swing, and contradictions."""
    names = dict(zip(("white", "black"), map(isolated, names_apart(game.headers)), strict=True))
    parts = []
    if game.result in RESULTS:
        parts.append(RESULTS[game.result].format(**names))
    accuracies = {
        side: half_up(totals.accuracy)
        for side, totals in (("white", game.white), ("black", game.black))
        if totals and totals.accuracy is not None
    }
    if len(accuracies) == 2:
        better, worse = sorted(accuracies, key=lambda side: -accuracies[side])
        if accuracies[better] == accuracies[worse]:
            both = "both" if parts else "Both"
            parts.append(f"{both} sides played at {accuracies[better]} % accuracy")
        else:
            won = game.result == {"white": "1-0", "black": "0-1"}[better]
            parts.append(
                f"{'' if won else f'{names[better]} '}played more accurately,"
                f" {accuracies[better]} % against {accuracies[worse]} %"
            )
    if not parts:
        parts.append("The game has no result")
    joint = " and " if parts[1:] and parts[1].startswith("played") else "; "
    contradictions = (f" {each[0].upper()}{each[1:]}." for each in game.contradictions)
    return f"{joint.join(parts)}.{_largest_swing(game)}{''.join(contradictions)}"


def _largest_swing(game: AnalysedGame) -> str:
    """Return a sentence on the most costly bad move, if there was one."""
    bad = [move for move in game.moves if move.verdict]
    if not bad:
        return " There were no bad moves." if game.moves else ""
    worst = max(bad, key=lambda move: move.points_lost)
    number = f"{game.move_number(worst.ply - 1)}{'.' if worst.color == 'white' else '…'}"
    return (
        f" The largest swing was {number} {worst.san}, which cost"
        f" {half_up(worst.points_lost)} points of winning chances."
    )
