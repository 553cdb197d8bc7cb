"""Computes again, without a search, what follows from a game's lines: judged moves and totals."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import chess

from uci.apps.analyse.analysed_game import analysed_line, analysed_move, totals_of
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.explanation import is_claimed_draw, shown_moves
from uci.apps.analyse.judge import accuracy_of, judge_moves, summarise
from uci.apps.analyse.threats import threat_in
from uci.apps.analyse.verify.differences import Difference, differences
from uci.apps.games.analysis_document import AnalysedGame, AnalysedLine, Thresholds
from uci.apps.games.openings import opening_of
from uci.apps.games.passing import after_pass
from uci.apps.games.phases import divide
from uci.protocol.scored_line import ScoredLine


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A replayed game of a document; ``boards`` has one entry more than ``moves``.

    ``uci`` are the moves as they were sent to the engine. ``claimed`` is whether a draw was claimed
    in the last position, which then was not searched.
    """

    game: AnalysedGame
    boards: Sequence[chess.Board]
    moves: Sequence[chess.Move]
    uci: tuple[str, ...]
    claimed: bool

    def place(self, at: int) -> str:
        """Return the name of position ``at`` (from 0) in messages."""
        return f"game {self.game.number}, {self._where(at)}"

    def last(self, at: int) -> chess.Move | None:
        """Return the move that led to position ``at``, None at the start."""
        return self.moves[at - 1] if at else None

    def _where(self, at: int) -> str:
        if at == len(self.moves):
            return "last position"
        dots = "." if self.boards[at].turn else "..."
        return f"before {self.game.move_number(at)}{dots} {self.boards[at].san(self.moves[at])}"


def replayed(game: AnalysedGame) -> ReplayedGame | Difference:
    """Replay the moves of a game; return a `Difference` if one is illegal."""
    board = chess.Board(game.positions[0].fen, chess960=game.chess960)
    boards, moves, uci = [board.copy(stack=False)], [], []
    for at, each in enumerate(game.moves):
        try:
            move = board.parse_uci(each.uci)
        except ValueError:
            return Difference(f"game {game.number}, ply {at + 1}", "uci", each.uci, "a legal move")
        uci.append(board.uci(move, chess960=True))
        board.push(move)
        moves.append(move)
        boards.append(board.copy(stack=False))
    claimed = is_claimed_draw(game.headers.get("Result", ""), board)
    return ReplayedGame(game, boards, moves, tuple(uci), claimed)


def derived_differences(known: ReplayedGame, thresholds: Thresholds) -> Iterator[Difference]:
    """Yield the values that differ when derived again from the game's moves and the lines."""
    game, wrong = known.game, False
    for at, (position, board) in enumerate(zip(game.positions, known.boards, strict=True)):
        place = known.place(at)
        yield from differences(place, {"fen": position.fen}, {"fen": board.fen()})
        for number, line in enumerate(position.lines, 1):
            where = f"{place}, line {number}"
            try:
                found = analysed_line(board, _scored(line, board.turn, number))
            except ValueError:
                yield Difference(where, "uci", line.uci, "legal moves")
                wrong = True
            else:
                yield from differences(where, line, found)
        if position.threat:
            where, threat = f"{place}, threat", _scored(position.threat, not board.turn, 1)
            try:
                found = analysed_line(after_pass(board), threat)
            except ValueError:
                yield Difference(where, "uci", threat.pv, "legal moves after a legal pass")
                wrong = True
            else:
                yield from differences(where, position.threat, found)
        if not position.lines:
            yield Difference(place, "lines", (), "at least one line")
            wrong = True
    if not wrong and known.moves:
        yield from _judged(known, thresholds)
    for name, recorded, computed in (
        ("opening", game.opening, opening_of(known.boards)),
        ("phases", game.phases, divide(known.boards)),
    ):
        yield from differences(f"game {game.number}, {name}", recorded or {}, computed or {})


def _judged(known: ReplayedGame, thresholds: Thresholds) -> Iterator[Difference]:
    """Yield the differences in the judged moves and the totals of a game that has moves."""
    game = known.game
    analyses = [
        PositionAnalysis(
            tuple(_scored(line, board.turn, n) for n, line in enumerate(position.lines, 1)),
            threat=_scored(position.threat, not board.turn, 1) if position.threat else None,
        )
        for position, board in zip(game.positions, known.boards, strict=True)
    ]
    limits = astuple(thresholds)
    moves = list(judge_moves(known.boards[0], known.moves, analyses, limits))
    totals = {chess.WHITE: game.white, chess.BLACK: game.black}
    sides = [side for side, each in totals.items() if each is not None]
    for at, move in enumerate(shown_moves(moves, sides)):
        recorded = game.moves[at]
        found = analysed_move(known.boards[at], move, recorded.clock, recorded.source_signs)
        yield from differences(f"{known.place(at)}, its move", recorded, found)
    for at, analysis in enumerate(analyses):
        if analysis.threat and not threat_in(known.boards[at], known.last(at), analysis, limits):
            yield Difference(known.place(at), "threat", analysis.threat.pv, ())
    accuracy = accuracy_of(moves)
    for side in sides:
        summary = summarise(moves, side, accuracy)
        place = f"game {game.number}, {chess.COLOR_NAMES[side]}'s totals"
        yield from differences(place, totals[side], totals_of(summary))


def _scored(line: AnalysedLine, turn: chess.Color, number: int) -> ScoredLine:
    """Return a line of a document as the engine would report it: scores for the side to move."""
    sign = 1 if turn else -1
    return ScoredLine(
        depth=line.depth,
        cp=None if line.cp is None else sign * line.cp,
        mate=None if line.mate is None else sign * line.mate,
        bound="",
        pv=line.uci,
        multipv=number,
        nodes=line.nodes,
    )
