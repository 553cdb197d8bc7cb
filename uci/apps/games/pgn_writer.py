"""Writes games as PGN: lines within the standard's limit, tags escaped."""

import re

import chess.pgn

from uci.apps.games.game_results import UNKNOWN
from uci.apps.games.pgn_split import escape

COLUMNS = 80
"""Line length of moves and comments: the PGN standard allows 79 characters and a line feed."""

_WORD = re.compile(r"(?:\[%[^\[\]]*\]|\S)+\s*")
"""A word of a comment with the blanks after it; a command such as ``[%clk 0:01:00]`` is one."""


def add_comment(node: chess.pgn.GameNode, words: str) -> None:
    """Prepend ``words`` to the comment of ``node``."""
    text = node.comment
    node.comment = f"{words} {text}".strip()


def pgn_of(game: chess.pgn.Game, after_moves: str = UNKNOWN) -> str:
    """Return a game as PGN, with at most `COLUMNS` characters per line of moves.

    The result after the moves is ``after_moves``, if it is known.
    """
    exporter = _Exporter(columns=COLUMNS)
    exporter.after_moves = after_moves
    return game.accept(exporter)


class _Exporter(chess.pgn.StringExporter):
    """Escapes tag values and breaks comments at blanks, which python-chess does not.

    The result ``after_moves`` may differ from the tag's.
    """

    after_moves = UNKNOWN

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        super().visit_header(tagname, escape(tagvalue))

    def visit_comment(self, comment: str) -> None:
        words = _WORD.findall(f"{comment.replace('}', '').strip()} ") or [""]
        for at, before, behind in ((0, "{ ", ""), (-1, "", "} ")):
            if len(before) + len(words[at]) + len(behind) <= COLUMNS:
                words[at] = f"{before}{words[at]}{behind}"
            else:  # a brace stays with its word unless the line would be too long
                words.insert(at if before else len(words), before or behind)
        for word in words:
            self.write_token(word)
        self.force_movenumber = True

    def visit_result(self, result: str) -> None:
        super().visit_result(result if self.after_moves == UNKNOWN else self.after_moves)
