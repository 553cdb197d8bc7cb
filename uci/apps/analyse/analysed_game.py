"""Converts an explained game to a game of the document: moves as text, scores from White's view."""

from collections.abc import Sequence

import chess
from chess.engine import PovScore

from uci.apps.analyse.annotate import GLYPHS
from uci.apps.analyse.explanation import Explanation
from uci.apps.analyse.judge import JudgedMove, Summary, read_line
from uci.apps.analyse.lichess import Verdict, win_percent
from uci.apps.games.analysis_document import (
    AnalysedGame,
    AnalysedLine,
    AnalysedMove,
    AnalysedPosition,
    BadMove,
    SideTotals,
)
from uci.apps.games.passing import after_pass
from uci.protocol.scored_line import ScoredLine

NAMES: dict[Verdict, BadMove | None] = {
    Verdict.NONE: None,
    Verdict.INACCURACY: "inaccuracy",
    Verdict.MISTAKE: "mistake",
    Verdict.BLUNDER: "blunder",
}


def analysed_game(
    number: int, offset: int, known: Explanation, pgn: str, errors: Sequence[str] = ()
) -> AnalysedGame:
    """Return a game of the document; ``pgn`` is the annotated game."""
    return AnalysedGame(
        number=number,
        offset=offset,
        headers=known.headers,
        chess960=known.boards[0].chess960,
        result=known.result,
        contradictions=tuple(known.contradictions),
        opening=known.opening,
        phases=known.phases,
        white=totals_of(known.summaries.get(chess.WHITE)),
        black=totals_of(known.summaries.get(chess.BLACK)),
        positions=tuple(
            AnalysedPosition(
                fen=board.fen(),
                lines=tuple(analysed_line(board, each) for each in analysis.lines),
                threat=analysed_line(after_pass(board), threat) if threat else None,
            )
            for board, analysis, threat in zip(
                known.boards, known.analyses, known.threats, strict=True
            )
        ),
        moves=tuple(
            analysed_move(board, move, clock, [GLYPHS[sign] for sign in signs])
            for board, move, clock, signs in zip(
                known.boards, known.moves, known.clocks, known.signs, strict=False
            )
        ),
        pgn=pgn,
        errors=tuple(errors),
    )


def totals_of(summary: Summary | None) -> SideTotals | None:
    """Return one side's summary as the document has it."""
    if summary is None:
        return None
    return SideTotals(
        accuracy=summary.accuracy,
        centipawn_loss=summary.centipawn_loss,
        inaccuracy=summary.verdicts[Verdict.INACCURACY],
        mistake=summary.verdicts[Verdict.MISTAKE],
        blunder=summary.verdicts[Verdict.BLUNDER],
    )


def analysed_line(board: chess.Board, line: ScoredLine) -> AnalysedLine:
    """Return a line of a position; ``line`` has a score on Stockfish's scale.

    Raises `ValueError` for one with an illegal move.
    """
    found = read_line(board, line)
    cp, mate, win = _score(found.score)
    return AnalysedLine(
        cp=cp,
        mate=mate,
        win=win,
        depth=line.depth,
        nodes=line.nodes,
        uci=tuple(move.uci() for move in found.moves),
        san=board.variation_san(found.moves),
    )


def analysed_move(
    board: chess.Board, move: JudgedMove, clock: float | None, signs: Sequence[str]
) -> AnalysedMove:
    """Return a move that is made on ``board``; ``clock`` and ``signs`` are the source's."""
    cp, mate, win = _score(move.after)
    return AnalysedMove(
        ply=move.ply,
        color="white" if move.mover else "black",
        uci=move.move.uci(),
        san=board.san(move.move),
        cp=cp,
        mate=mate,
        win=win,
        points_lost=round(move.points_lost, 2),
        verdict=NAMES[move.verdict],
        best=board.san(move.best.moves[0]) if move.best.moves else None,
        only=move.only,
        clock=clock,
        source_signs=tuple(signs),
    )


def _score(score: PovScore) -> tuple[int | None, int | None, float]:
    """Return ``cp``, ``mate`` and ``win``; if ``mate`` is 0, ``win`` shows who has won."""
    white = score.white()
    return white.score(), white.mate(), round(win_percent(white), 2)
