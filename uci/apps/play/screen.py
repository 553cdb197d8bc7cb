"""The screen above the input line, as rich text for terminals of any size."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import chess
from rich.text import Text

from uci.apps.play.board_text import LARGE, SMALL, Palette, board_size, board_text

PANEL_WIDTH = 24
"""Minimum columns of the panel next to the board; otherwise it is below the board."""

LEAST_MESSAGES = 6
"""Rows reserved for messages before the board is enlarged."""

GAP = 3
"""Columns between board and panel."""

PLAYER_WIDTH = 40
"""Columns of a player's line."""

MOVE_WIDTH = 18
"""Columns of a pair of moves."""


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A player: name, side, clock as text, and whether it is their turn."""

    name: str
    color: chess.Color
    time: str
    is_to_move: bool


@dataclass(frozen=True, slots=True)
class ScreenState:
    """The contents of the screen. ``moves`` are in SAN, from ``start``; ``thought`` is the running
    search.

    ``players`` are the player above the board and the one below it.
    """

    board: chess.Board
    flipped: bool
    players: tuple[PlayerLine, PlayerLine]
    moves: Sequence[str]
    start: chess.Board
    thought: str
    messages: Sequence[str]


def upper_part(
    state: ScreenState, columns: int, rows: int, palette: Palette, ascii_only: bool
) -> list[Text]:
    """Return the lines above the messages, for a terminal of this size."""
    size = SMALL
    width, height = board_size(LARGE)
    if columns >= width + PANEL_WIDTH and rows >= height + LEAST_MESSAGES:
        size = LARGE
    width, height = board_size(size)
    board = board_text(state.board, state.flipped, palette, ascii_only, size)
    if columns >= width + GAP + PANEL_WIDTH:
        panel = _panel(state, columns - width - GAP, height, palette)
        lines = [
            _side_by_side(left, right, width + GAP)
            for left, right in zip(board, panel, strict=True)
        ]
    else:
        top, bottom = (
            _player_line(player, min(columns, PLAYER_WIDTH), palette) for player in state.players
        )
        lines = [top, *board, bottom]
        if rows >= len(lines) + LEAST_MESSAGES:
            lines.append(_last_moves(state, columns, palette))
    return [*lines[: rows - 1], _cut(Text(state.thought, style=palette.accent), columns)]


def message_lines(messages: Sequence[str], columns: int, palette: Palette) -> list[Text]:
    """Return the lines of all messages, oldest first; the newest message is highlighted."""
    return [
        Text(line, style=palette.quiet if number < len(messages) else "")
        for number, text in enumerate(messages, 1)
        for line in chain.from_iterable(_wrapped(line, columns) for line in text.split("\n"))
    ]


def _wrapped(line: str, columns: int) -> list[str]:
    """Return a line wrapped at blanks, with a hanging indent."""
    lines = [""]
    for word in line.split(" "):
        candidate = f"{lines[-1]} {word}" if lines[-1] or word == "" else word
        if len(candidate) <= columns or not lines[-1].strip():
            lines[-1] = candidate
        else:
            lines.append(f"  {word}")
    return [
        piece[at : at + columns] for piece in lines for at in range(0, len(piece) or 1, columns)
    ]


def _panel(state: ScreenState, width: int, height: int, palette: Palette) -> list[Text]:
    """Return the players, and the last moves between them."""
    top, bottom = (
        _player_line(player, min(width, PLAYER_WIDTH), palette) for player in state.players
    )
    room = height - 5
    pairs = _pairs(state)
    across = max(1, min(3, width // MOVE_WIDTH))
    first = max(0, len(pairs) - room * across)
    first += -first % room  # scroll only by whole columns
    shown = pairs[first:]
    lines = []
    for row in range(room):
        line = Text()
        for column in range(across):
            if row + column * room < len(shown):
                line.append(shown[row + column * room].ljust(MOVE_WIDTH))
        lines.append(_cut(line, width))
    return [top, Text(), *lines, Text(), bottom, Text()]


def _player_line(player: PlayerLine, width: int, palette: Palette) -> Text:
    mark = "▸" if player.is_to_move else " "
    side = "white" if player.color else "black"
    name = f"{mark} {player.name}"
    room = width - len(player.time) - 1
    text = Text(style="bold" if player.is_to_move else "")
    text.append(name[:room])
    if len(name) + len(side) + 3 <= room:
        text.append(f"  {side}", style=palette.quiet)
    text.append(" " * (width - len(player.time) - text.cell_len))
    text.append(player.time, style=palette.accent)
    return text


def _pairs(state: ScreenState) -> list[str]:
    """Return the moves with their numbers, both sides' on one line."""
    number, black_first = state.start.fullmove_number, not state.start.turn
    sans = [*(["..."] if black_first else []), *state.moves]
    return [
        f"{number + at // 2:3}. {' '.join(san.ljust(6) for san in sans[at : at + 2])}"
        for at in range(0, len(sans), 2)
    ]


def _last_moves(state: ScreenState, columns: int, palette: Palette) -> Text:
    text = "  ".join(" ".join(pair.split()) for pair in _pairs(state)[-3:])
    return _cut(Text(text[-columns:], style=palette.quiet), columns)


def _side_by_side(left: Text, right: Text, width: int) -> Text:
    joined = left.copy()
    joined.append(" " * (width - left.cell_len))
    joined.append_text(right)
    return joined


def _cut(text: Text, columns: int) -> Text:
    text.truncate(columns, overflow="ellipsis")
    return text
