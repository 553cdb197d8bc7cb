"""Writes what was seen into a game: scores, signs, better lines, the opening's name.

What the source has, its headers (but for ``Annotator``), comments (but for their ``[%eval]``),
variations and signs, stays. Where the source has a sign on a move, our verdict is written in words
only, with the source's sign: "Inaccuracy (source: !)". Only the words of an earlier analysis of
ours go, and the signs that they stand for.
"""

import re
from collections.abc import Mapping, Sequence

import chess
import chess.pgn
from chess.engine import PovScore

from uci.apps.analyse.judge import JudgedMove, Line, Summary
from uci.apps.analyse.lichess import SCALE, Verdict
from uci.apps.console.rounding import in_pawns, rounded
from uci.apps.games.game_results import UNKNOWN, result_on_board
from uci.apps.games.openings import Opening
from uci.apps.games.pgn_headers import known_tag
from uci.apps.games.pgn_writer import add_comment

GOOD = 1
"""The NAG of ``!``."""

GLYPHS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}
"""Signs of moves, by their NAGs."""

SIGNS = frozenset(GLYPHS)

_VERDICT = re.compile(
    r"(?:\(\S+ → \S+\) (?P<verdict>Inaccuracy|Mistake|Blunder)(?P<source> \(source: [!? ]+\))?\."
    r"(?: \S+ was best\.)?|Only move(?P<agreed> \(source: [!? ]+\))?\.) ?"
)
_SIDE = r"(?:White|Black): (?:[^;?,]+, )*\d+ \?!, \d+ \?, \d+ \?\?"
_SUMMARIES = re.compile(rf"(?:{_SIDE}(?:; {_SIDE})?\. ?)+")
"""Of every version: only the facts before the counts have changed."""


def annotate(
    game: chess.pgn.Game, moves: Sequence[JudgedMove], opening: Opening | None, annotator: str,
    summaries: Mapping[chess.Color, Summary] | None = None,
) -> None:  # fmt: skip
    """Write the judged main line of ``game`` into it; ``annotator`` is who judged.

    The ``summaries`` of the sides stand before the first move.
    """
    if _is_ours(game):
        _remove_our_words(game)
    board = game.board()
    for node, move in zip(list(game.mainline()), moves, strict=True):
        _annotate_move(node, move, board)
        board.push(move.move)
    sides = [
        describe(chess.COLOR_NAMES[color].capitalize(), summary)
        for color, summary in (summaries or {}).items()
    ]
    if sides:
        add_comment(game, "; ".join(sides) + ".")
    if game.headers["Result"] == UNKNOWN:
        game.headers["Result"] = result_on_board(board)
    game.headers["Annotator"] = annotator
    if opening is not None:
        for name, value in (("ECO", opening.eco), ("Opening", opening.name)):
            if not known_tag(game.headers, name):
                game.headers[name] = value


def source_signs(game: chess.pgn.Game) -> list[list[int]]:
    """Return the signs that the source has on each move of the main line, as NAGs."""
    ours = _is_ours(game)
    return [
        sorted((node.nags & SIGNS) - (_our_words(node.comment)[1] if ours else set()))
        for node in game.mainline()
    ]


def _is_ours(game: chess.pgn.Game) -> bool:
    """Return whether a game has been analysed by us."""
    return game.headers.get("Annotator", "").startswith("Pythagoras ")


def _remove_our_words(game: chess.pgn.Game) -> None:
    """Take out what an earlier analysis said of the moves, and of the game."""
    if found := _SUMMARIES.match(game.comment):
        game.comment = game.comment[found.end() :]
    for node in game.mainline():
        end, signs = _our_words(node.comment)
        node.comment = node.comment[end:]
        node.nags -= signs


def _our_words(comment: str) -> tuple[int, set[int]]:
    """Return where our words at the start of a comment end, and the signs that we wrote to them."""
    end, signs = 0, set()
    while found := _VERDICT.match(comment, end):
        end = found.end()
        if not (found["source"] or found["agreed"]):
            name = found["verdict"]
            signs.add(int(Verdict[name.upper()]) if name else GOOD)
    return end, signs


def _annotate_move(node: chess.pgn.ChildNode, move: JudgedMove, board: chess.Board) -> None:
    """Write a move's score, its sign, and the better line where it was a bad one."""
    signs = sorted(node.nags & SIGNS)
    source = f" (source: {' '.join(GLYPHS[sign] for sign in signs)})" if signs else ""
    if not signs and (move.verdict or move.only):
        node.nags.add(int(move.verdict) or GOOD)
    if move.only and not move.verdict:
        add_comment(node, f"Only move{source}.")
    node.set_eval(move.after)
    if move.verdict:
        verdict = f"{move.verdict.name.capitalize()}{source}"
        words = f"({show(move.before)} → {show(move.after)}) {verdict}."
        if move.best.moves:
            words += f" {board.san(move.best.moves[0])} was best."
        add_comment(node, words)
        add_line(node.parent, move.best)


def add_line(node: chess.pgn.GameNode, line: Line) -> None:
    """Add a line as a variation, as far as it is not there yet.

    It is as long as the engine stands behind it: a principal variation was searched as it is shown.
    """
    for move in line.moves:
        node = node.variation(move) if node.has_variation(move) else node.add_variation(move)


def show(score: PovScore) -> str:
    """Return a score in pawns from White's view: ``-1.25``, ``#-3``, ``#`` where one is mated."""
    white = score.white()
    mate = white.mate()
    return in_pawns(white.score() or 0) if mate is None else f"#{mate or ''}"


def describe(name: str, summary: Summary) -> str:
    """Return one side's game in words: accuracy, loss, and how often each verdict fell."""
    facts = []
    if summary.accuracy is not None:
        facts.append(f"accuracy {rounded(summary.accuracy)} %")
    if summary.centipawn_loss is not None:
        facts.append(f"average centipawn loss {summary.centipawn_loss}")
    facts += [f"{summary.verdicts[each]} {each.glyph}" for each in SCALE[1:]]
    return f"{name}: {', '.join(facts)}"
