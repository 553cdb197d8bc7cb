"""Annotates a game with scores, marks, better lines and the name of the opening.

The source's headers except ``Annotator``, its comments except ``[%eval]``, variations and marks are
kept. If the source has a mark on a move, our verdict is added in words only, with the source's
mark: "Inaccuracy (source: !)". Comments and marks of an earlier analysis by Pythagoras are
replaced.
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
from uci.apps.games.passing import after_pass
from uci.apps.games.pgn_headers import known_tag
from uci.apps.games.pgn_words import MOVE_SIGNS
from uci.apps.games.pgn_writer import add_comment
from uci.protocol.scored_line import ScoredLine

GOOD = 1
"""The NAG of ``!``."""

GLYPHS = {nag: sign for sign, nag in MOVE_SIGNS.items()}
"""Marks of moves, by their NAGs."""

SIGNS = frozenset(GLYPHS)

_VERDICT = re.compile(
    r"(?:\(\S+ → \S+\) (?P<verdict>Inaccuracy|Mistake|Blunder)(?P<source> \(source: [!? ]+\))?\."
    r"(?: \S+ was best\.)?(?: (?:White|Black) threatened \S+\.)?"
    r"|Only move(?P<agreed> \(source: [!? ]+\))?\.) ?"
)
_SIDE = r"(?:White|Black): (?:[^;?,]+, )*\d+ \?!, \d+ \?, \d+ \?\?"
_SUMMARIES = re.compile(rf"(?:{_SIDE}(?:; {_SIDE})?\. ?)+")
"""Matches the summaries of every version: only the facts before the counts have changed."""


def annotate(
    game: chess.pgn.Game, moves: Sequence[JudgedMove], opening: Opening | None, annotator: str,
    summaries: Mapping[chess.Color, Summary] | None = None,
    threats: Sequence[ScoredLine | None] = (),
) -> None:  # fmt: skip
    """Annotate the main line of ``game`` with judged moves.

    The ``summaries`` of the sides are written before the first move, and ``annotator`` is a header.
    ``threats`` are those before each move, as far as they are known.
    """
    if _is_ours(game):
        _remove_our_words(game)
    board = game.board()
    for node, move in zip(list(game.mainline()), moves, strict=True):
        _annotate_move(node, move, board, threats[move.ply - 1] if threats else None)
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
    """Return the source's marks on each move of the main line, as NAGs."""
    ours = _is_ours(game)
    return [
        sorted((node.nags & SIGNS) - (_our_words(node.comment)[1] if ours else set()))
        for node in game.mainline()
    ]


def _is_ours(game: chess.pgn.Game) -> bool:
    """Return whether a game was annotated by Pythagoras."""
    return game.headers.get("Annotator", "").startswith("Pythagoras ")


def _remove_our_words(game: chess.pgn.Game) -> None:
    """Remove the comments and marks of an earlier analysis."""
    if found := _SUMMARIES.match(game.comment):
        game.comment = game.comment[found.end() :]
    for node in game.mainline():
        end, signs = _our_words(node.comment)
        node.comment = node.comment[end:]
        node.nags -= signs


def _our_words(comment: str) -> tuple[int, set[int]]:
    """Return where our text at the start of a comment ends, and the marks that belong to it."""
    end, signs = 0, set()
    while found := _VERDICT.match(comment, end):
        end = found.end()
        if not (found["source"] or found["agreed"]):
            name = found["verdict"]
            signs.add(int(Verdict[name.upper()]) if name else GOOD)
    return end, signs


def _annotate_move(
    node: chess.pgn.ChildNode, move: JudgedMove, board: chess.Board, threat: ScoredLine | None
) -> None:
    """Write a move's score and mark, and if the move was bad, the better line and the threat."""
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
        if threat:  # in words: few programs read a null move in a variation
            passed = after_pass(board)
            side = chess.COLOR_NAMES[passed.turn].capitalize()
            words += f" {side} threatened {passed.san(passed.parse_uci(threat.pv[0]))}."
        add_comment(node, words)
        add_line(node.parent, move.best)


def add_line(node: chess.pgn.GameNode, line: Line) -> None:
    """Add a line as a variation, without the moves that are already there.

    The line is added in full: PVs are complete.
    """
    for move in line.moves:
        node = node.variation(move) if node.has_variation(move) else node.add_variation(move)


def show(score: PovScore) -> str:
    """Return a score in pawns from White's view: ``-1.25``, ``#-3``, ``#`` for checkmate."""
    white = score.white()
    mate = white.mate()
    return in_pawns(white.score() or 0) if mate is None else f"#{mate or ''}"


def describe(name: str, summary: Summary) -> str:
    """Return one side's game in words: accuracy, loss, and the numbers of bad moves."""
    facts = []
    if summary.accuracy is not None:
        facts.append(f"accuracy {rounded(summary.accuracy)} %")
    if summary.centipawn_loss is not None:
        facts.append(f"average centipawn loss {summary.centipawn_loss}")
    facts += [f"{summary.verdicts[each]} {each.glyph}" for each in SCALE[1:]]
    return f"{name}: {', '.join(facts)}"
