"""The request of a search: limits, options, book and tablebases in one value."""

import random
from dataclasses import dataclass, field

import chess

from engine.search.limits import Budget, Limits
from uci.chess_io.book import Book
from uci.chess_io.convert import Game
from uci.chess_io.syzygy import Tables
from uci.strength.limited_strength import Strength


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search.

    ``started`` is when its ``go`` came, in seconds of the session's clock. A ``patient`` search
    waits for the kernels whatever its limits, and its time begins when they are loaded. Without
    ``moves`` all legal moves are considered. ``ponder`` means that the clock runs from `ponderhit`.
    ``probe_limit``, in pieces, ``probe_depth``, in plies, and ``fifty_move_rule`` are for the
    ``tables``; ``strength`` is for
    weak play.
    """

    game: Game
    limits: Limits
    budget: Budget
    chess960: bool
    started: float
    patient: bool = False
    moves: tuple[chess.Move, ...] = ()
    ponder: bool = False
    multipv: int = 1
    show_wdl: bool = False
    book: Book | None = None
    tables: Tables | None = None
    probe_limit: int = 7
    probe_depth: int = 1
    fifty_move_rule: bool = True
    strength: Strength | None = None
    rng: random.Random = field(default_factory=random.Random)
