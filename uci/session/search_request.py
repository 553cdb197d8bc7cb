"""The request of a search: limits, options, book and tablebases in one value."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import chess

from engine.search.limits import Budget, Limits, budget
from uci.chess_io.book import FULL_VARIETY, Book
from uci.chess_io.convert import Game, parse_move
from uci.chess_io.syzygy import Tables
from uci.protocol.commands import Go
from uci.protocol.options import Options
from uci.session.nodes_clock import NodesClock
from uci.session.resources import Resources
from uci.strength.contempt import contempt_of, opponent_rating
from uci.strength.limited_strength import ELO_HIGH, Strength


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A request to search.

    ``started`` is when its ``go`` arrived, in seconds of the session's clock. A ``patient`` search
    waits for the kernels whatever its limits, and its time begins when they are loaded. Without
    ``moves`` all legal moves are searched. With ``ponder``, the clock runs from `ponderhit`.
    A draw is worth ``-contempt`` centipawns. ``charge``, for ``nodestime``, is called with the
    number of nodes used before the move is played.
    ``probe_limit`` in pieces, ``probe_depth`` in plies and ``fifty_move_rule`` are settings of the
    ``tables``; ``strength`` is the weak play, ``None`` for full strength.
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
    minimal: bool = False
    book: Book | None = None
    book_variety: int = FULL_VARIETY
    tables: Tables | None = None
    probe_limit: int = 7
    probe_depth: int = 1
    fifty_move_rule: bool = True
    strength: Strength | None = None
    contempt: int = 0
    charge: Callable[[int], None] | None = None
    rng: random.Random = field(default_factory=random.Random)


def make_request(
    go: Go,
    game: Game,
    options: Options,
    resources: Resources,
    nodes_clock: NodesClock,
    started: float,
    patient: bool,
) -> SearchRequest:
    """Return the request of a ``go``. Raises `UciError` for an illegal move in ``searchmoves``."""
    limits = go.limits
    if not go.until_stop and game.final_score() is not None:
        limits = replace(limits, infinite=False)  # the game is over: do not wait for `stop`
    charge, rate = None, options.number("nodestime")
    if rate:
        limits, charge = nodes_clock.limits(limits, game, rate)
    # An analysis shows the engine's full strength: no book, no limits of strength.
    playing = not (
        options.flag("UCI_AnalyseMode") or limits.infinite or limits.mate or go.searchmoves
    )
    strength = Strength.from_options(
        options.flag("UCI_LimitStrength"),
        options.number("UCI_Elo"),
        options.number("Skill Level"),
    )
    weak = strength.in_position(game.board) if strength and playing else None
    return SearchRequest(
        game,
        weak.bound(limits) if weak else limits,
        budget(
            limits,
            0 if game.board.turn else 1,
            game.board.fullmove_number,
            options.number("Move Overhead"),
        ),
        options.flag("UCI_Chess960"),
        started,
        patient=patient,
        moves=tuple(dict.fromkeys(parse_move(game.board, text) for text in go.searchmoves)),
        ponder=go.ponder,
        multipv=options.number("MultiPV"),
        show_wdl=options.flag("UCI_ShowWDL"),
        minimal=options.flag("Minimal"),
        book=resources.book if playing and _in_book(game, options) else None,
        book_variety=options.number("Book Variety"),
        tables=None if weak or limits.mate else resources.tables,
        probe_limit=options.number("SyzygyProbeLimit"),
        probe_depth=options.number("SyzygyProbeDepth"),
        fifty_move_rule=options.flag("Syzygy50MoveRule"),
        strength=weak,
        contempt=_contempt(options) if playing else 0,
        charge=charge,
    )


def _contempt(options: Options) -> int:
    """Return the contempt that the options ask for, in centipawns."""
    limited = options.flag("UCI_LimitStrength")
    return contempt_of(
        options.number("Contempt"),
        options.flag("Contempt Auto"),
        options.number("UCI_RatingAdv"),
        options.number("UCI_Elo") if limited else ELO_HIGH,
        opponent_rating(options.text("UCI_Opponent")),
    )


def _in_book(game: Game, options: Options) -> bool:
    """Return whether the options allow a move of the book."""
    return options.flag("OwnBook") and game.board.fullmove_number <= options.number("Book Depth")
