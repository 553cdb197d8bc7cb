"""Openings for OpenBench's data generation: the command ``genfens``, in its client's form.

An opening is the starting position, or one of a book, after random moves, as
`engine.datagen.opening` has them; a search drops those that one side has nearly won.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from uci.chess_io.convert import board_of, fill, is_drawn
from uci.chess_io.positions import lines_of
from uci.errors import UciError, reason, shorten
from uci.protocol.commands import GenFens
from uci.protocol.messages import format_message

if TYPE_CHECKING:
    from engine.evaluation.shape import Network

MAX_REJECTED = 1000
"""Openings rejected in a row after which the command ends: the book has no more to use."""


def genfens(command: GenFens, net: "Network", halted: Callable[[], bool]) -> Iterator[str]:
    """Yield ``info string genfens FEN`` for each opening; they depend on the seed and ``net`` only.

    No position comes twice. `halted`, asked between openings, ends it early. Raises `UciError` if
    the book cannot be used.
    """
    from engine.datagen.factory import Settings
    from engine.search.limits import Limits
    from engine.search.results import Iteration
    from engine.search.searcher import Searcher

    settings, rng = Settings(), random.Random(command.seed)
    starts = _book(command.book)
    plies = settings.random_plies // 2 if command.book else settings.random_plies
    searcher = Searcher(settings.hash)
    searcher.use_network(net)
    seen: set[str] = set()
    rejected = 0
    while len(seen) < command.count and not halted():
        if rejected == MAX_REJECTED:
            raise UciError(f"genfens: no more openings after {len(seen)}: the book has too few")
        rejected += 1
        board = _random_opening(board_of(rng.choice(starts)), plies + rng.randrange(2), rng)
        if board is None or board.epd() in seen:
            continue
        fill(searcher.pos, board)
        results = searcher.begin(Limits(nodes=settings.nodes, alone=True), None)
        scores = [each.score for each in results if isinstance(each, Iteration)]
        if scores and abs(scores[-1]) <= settings.opening_limit:
            seen.add(board.epd())
            rejected = 0
            yield format_message(f"genfens {board.fen()}")


def _book(name: str | None) -> list[str | None]:
    """Return the positions of a book, the starting position without one."""
    if name is None:
        return [None]
    try:
        lines = lines_of(Path(name))
    except OSError as error:
        raise UciError(f"genfens: cannot read {shorten(name)}: {reason(error)}") from None
    starts: list[str | None] = [text for text in lines if text.strip() and text[0] != "#"]
    if not starts:
        raise UciError(f"genfens: {shorten(name)}: no positions")
    return starts


def _random_opening(board: chess.Board, plies: int, rng: random.Random) -> chess.Board | None:
    """Return ``board`` after random moves, ``None`` if they end the game."""
    for _ in range(plies):
        moves = [*board.generate_legal_moves()]
        if not moves:
            return None
        board.push(rng.choice(moves))
    return None if is_drawn(board) or board.is_checkmate() else board
