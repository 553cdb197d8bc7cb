"""The first game of a report, as shown without JavaScript."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from uci.apps.analyse.report.drawing import BoardView, Graph, board_view, graph_of
from uci.apps.analyse.report.page_data import PageData, score_of, signed
from uci.apps.analyse.report.phase_rows import clock_of
from uci.apps.console.rounding import in_pawns, rounded
from uci.apps.games.analysis_document import AnalysedGame
from uci.apps.games.passing import after_pass


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A move in the list of moves; ``kind`` is a CSS class."""

    text: str
    score: str
    kind: str


@dataclass(frozen=True, slots=True)
class MoveRow:
    """A row of the list of moves: White's and Black's."""

    number: str
    moves: list[ListedMove]


@dataclass(frozen=True, slots=True)
class MomentView:
    """A key moment; ``played``, ``better`` and ``threat`` are lines in SAN, or empty."""

    move: str
    board: BoardView
    sentence: str
    scores: str
    played: str
    better: str
    threat: str


@dataclass(frozen=True, slots=True)
class FirstGame:
    """The values of the template for a game; ``plies`` are the cells of the table of every move."""

    data: PageData
    graph: Graph
    about: str
    start: BoardView
    rows: list[MoveRow]
    moments: list[MomentView]
    plies: list[list[str]]


def first_game(game: AnalysedGame, data: PageData) -> FirstGame:
    """Return the template's values for a game and its script ``data``."""
    boards = [chess.Board(each.fen, chess960=game.chess960) for each in game.positions]
    return FirstGame(
        data=data,
        graph=graph_of(game),
        about=" · ".join(filter(None, (data.opening, *data.about))),
        start=board_view(boards[0]),
        rows=_rows(game, boards),
        moments=[_moment(game, boards, ply, words) for ply, words in data.moments],
        plies=[_ply(game, boards, index) for index in range(len(game.moves))],
    )


def numbered(board: chess.Board, san: str) -> str:
    """Return a move with its number: ``12. Nf3`` or ``12… Nf6``."""
    return f"{board.fullmove_number}{'.' if board.turn else '…'} {san}"


def score_for_people(score: str) -> str:
    """Return a score of `score_of` for display: ``+1.25``, ``−0.30``, ``#3``, and ``#`` for
    checkmate."""
    if score.startswith("#"):
        return "#" if score in ("#0", "#-0") else score
    return in_pawns(int(score)).replace("-", "−")


def _rows(game: AnalysedGame, boards: list[chess.Board]) -> list[MoveRow]:
    rows: list[MoveRow] = []
    for move, board, after in zip(game.moves, boards, game.positions[1:], strict=False):
        if board.turn or not rows:
            rows.append(MoveRow(f"{board.fullmove_number}.", []))
            if not board.turn:
                rows[-1].moves.append(ListedMove("…", "", "none"))
        score = score_for_people(score_of(after))
        kind = move.verdict or ("only" if move.only else "plain")
        rows[-1].moves.append(ListedMove(signed(move), score, kind))
    return rows


def _moment(game: AnalysedGame, boards: list[chess.Board], ply: int, sentence: str) -> MomentView:
    move, board = game.moves[ply - 1], boards[ply - 1]
    before, after = game.positions[ply - 1 : ply + 1]
    arrows = [(board.parse_uci(move.uci), "played")]
    if before.best.uci:
        arrows.append((board.parse_uci(before.best.uci[0]), "better"))
    if before.threat:
        arrows.append((after_pass(board).parse_uci(before.threat.uci[0]), "threat"))
    return MomentView(
        move=numbered(board, signed(move)),
        board=board_view(board, not board.turn, arrows),
        sentence=sentence,
        scores=" → ".join(score_for_people(score_of(each)) for each in (before, after)),
        played=_san(board, [move.uci, *after.best.uci]),
        better=before.best.san,
        threat=before.threat.san if before.threat else "",
    )


def _san(board: chess.Board, variation: Sequence[str]) -> str:
    """Return a variation in UCI notation as ``1. e4 e5``."""
    end = board.copy(stack=False)
    return board.variation_san([end.push_uci(text) for text in variation])


def _ply(game: AnalysedGame, boards: list[chess.Board], index: int) -> list[str]:
    """Return the cells of a move, as ``drawTable`` in ``page.js`` does."""
    move, after = game.moves[index], game.positions[index + 1]
    return [
        numbered(boards[index], signed(move)),
        score_for_people(score_of(after)),
        rounded(move.win),
        rounded(move.points_lost, 1),
        move.best or "",
        str(after.best.depth),
        "" if move.clock is None else clock_of(move.clock),
    ]
