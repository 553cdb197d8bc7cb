"""Builds the tree of a game from its words; each line ends before its first unplayable move."""

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field

import chess
import chess.pgn

from uci.apps.games.move_reading import read_move
from uci.apps.games.pgn_words import MOVE_SIGNS
from uci.errors import UciError


class LineEnds(Exception):
    """Why a line ends early, for example ``4. Ka1 is illegal``.

    ``variation`` is whether it is a variation, not the main line.
    """

    def __init__(self, why: str, variation: bool) -> None:
        super().__init__(why)
        self.variation = variation


@dataclass(slots=True)
class _Line:
    """The main line or a variation: its last node, the board there, and the board before.

    ``comments`` follow that node, or precede the first move of a variation. ``skipped`` are the
    words after the line's end, with ``inner`` open parentheses. After a ``novelty`` (N) a pawn
    moves, unless a knight was meant.
    """

    node: chess.pgn.GameNode
    board: chess.Board
    before: chess.Board | None = None
    comments: list[str] = field(default_factory=list)
    ended: str = ""
    skipped: list[str] = field(default_factory=list)
    inner: int = 0
    novelty: bool = False

    def push(self, move: chess.Move) -> None:
        """Add a move."""
        starts = self.before is None and bool(self.node.variations)
        comment = self.take_comments() if starts else ""
        self.settle()
        self.before = self.board.copy(stack=False)
        self.board.push(move)
        self.node = self.node.add_variation(move, starting_comment=comment)

    def take_comments(self) -> str:
        """Return the pending comments, joined."""
        text = " ".join(filter(None, self.comments))
        self.comments.clear()
        return text

    def settle(self) -> None:
        """Attach the pending comments to the last move, or before the first."""
        if self.comments:
            self.node.comment = self.take_comments()

    def skip(self, word: str) -> bool:
        """Skip a word after the line's end; return whether it closes the line."""
        if word == ")" and not self.inner:
            return True
        self.inner += (word == "(") - (word == ")")
        self.skipped.append(word)
        return False

    @property
    def rest(self) -> str:
        """Return why the line ends, and the moves that follow, for a comment."""
        if len(self.skipped) == 1:
            return f"{self.ended}."
        text = " ".join(self.skipped).translate(_BRACES)
        return f"{self.ended}. The source continues: {text}"


def build(game: chess.pgn.Game, words: Iterable[str]) -> None:
    """Add the moves, comments, NAGs and result of a text to a game that has only headers.

    ``words`` are those of `pgn_words.words`. A line ends before a move that is illegal or
    ambiguous, and the main line also before a null move; the rest becomes a comment, and
    ``game.errors`` has a `LineEnds` for each. Raises `ValueError` as ``words`` do.
    """
    lines = [_Line(game, game.board())]
    for word in words:
        line = lines[-1]
        if len(lines) == 1 and word in ("1-0", "0-1", "1/2-1/2", "*"):
            if game.headers.get("Result", "*") == "*":
                game.headers["Result"] = word
        elif line.ended:
            if line.skip(word):
                _close(game, lines)
        elif word == "(":
            assert line.node.parent is not None
            assert line.before is not None
            lines.append(_Line(line.node.parent, line.before.copy(stack=False)))
        elif word == ")":
            _close(game, lines)
        elif word.startswith("{"):
            line.comments.append(word[1:-1].strip())
        elif word == "N":
            line.novelty = True
        elif word.startswith("$"):
            line.node.nags.add(int(word[1:]))
        elif word in MOVE_SIGNS:
            line.node.nags.add(MOVE_SIGNS[word])
        else:
            _move(line, word, main=len(lines) == 1)
    if lines[0].ended:
        game.errors.append(LineEnds(lines[0].ended, variation=False))
        lines[0].comments.append(lines[0].rest)
    lines[0].settle()


NOVELTY = 146
_BRACES = str.maketrans("{}", "()")


def _move(line: _Line, word: str, main: bool) -> None:
    """Make a move, or end the line before it."""
    dots = "." if line.board.turn else "..."
    if line.novelty:
        with contextlib.suppress(UciError):
            read_move(line.board, f"N{word}")
            raise ValueError(f"N {word} may be N{word}, or {word} after a novelty")
        line.node.nags.add(NOVELTY)
        line.novelty = False
    try:
        if word == "--":
            if main:
                raise UciError("-- is a null move")
            line.push(chess.Move.null())
        else:
            line.push(read_move(line.board, word))
    except UciError as error:
        line.ended = f"{line.board.fullmove_number}{dots} {error}"
        line.skip(word)


def _close(game: chess.pgn.Game, lines: list[_Line]) -> None:
    """End a variation."""
    line = lines.pop()
    if line.ended:
        game.errors.append(LineEnds(line.ended, variation=True))
        line.comments.append(line.rest)
    if line.before is None:  # it has no playable move
        lines[-1].comments.append(line.take_comments())
    else:
        line.settle()
