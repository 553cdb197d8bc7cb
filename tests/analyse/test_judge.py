"""Verdicts on moves, from made-up analyses and from the engine's own."""

from pathlib import Path

import chess
import pytest
from chess.engine import Cp, MateGiven

from engine.jit.kernel import COMPILED
from uci.apps.analyse.analyst import CHUNK, PositionAnalysis, analyse_backwards, chunks
from uci.apps.analyse.judge import JudgedMove, accuracy_of, judge_moves, summarise
from uci.apps.analyse.lichess import Verdict
from uci.apps.engines.client import OURS, EngineClient
from uci.protocol.scored_line import ScoredLine


def analysis(*lines: tuple[str, int | str]) -> PositionAnalysis:
    """Return an analysis of moves with scores for the side to move, as centipawns or "#-2"."""
    return PositionAnalysis(
        tuple(
            ScoredLine(
                1,
                score if isinstance(score, int) else None,
                int(score[1:]) if isinstance(score, str) else None,
                False,
                tuple(moves.split()),
                number,
            )
            for number, (moves, score) in enumerate(lines, 1)
        )
    )


def judged(
    moves: str, *analyses: PositionAnalysis, fen: str = chess.STARTING_FEN, **options: object
) -> list[JudgedMove]:
    played = [chess.Move.from_uci(move) for move in moves.split()]
    return list(judge_moves(chess.Board(fen), played, analyses, **options))  # type: ignore[arg-type]


def test_a_mistake_and_its_reply() -> None:
    first, second = judged(
        "f2f3 e7e5",
        analysis(("e2e4", 30), ("d2d4", 25)),
        analysis(("e7e5", 100)),
        analysis(("d2d4", -105)),
    )
    assert first.verdict == Verdict.MISTAKE
    assert first.best.moves == (chess.Move.from_uci("e2e4"),)
    assert (first.before.white(), first.after.white()) == (Cp(30), Cp(-100))
    assert not first.is_best
    assert first.points_lost == pytest.approx(11.9, abs=0.1)
    assert second.verdict == Verdict.NONE
    assert second.is_best
    assert (second.mover, second.ply) == (chess.BLACK, 2)


def test_the_best_move_is_never_blamed() -> None:
    (move,) = judged("e2e4", analysis(("e2e4", 300)), analysis(("e7e5", 300)))
    assert move.verdict == Verdict.NONE


def test_a_forced_move_is_not_blamed() -> None:
    fen = "k7/8/8/8/8/8/5PPr/r5K1 w - - 0 1"  # in check
    moves = [move.uci() for move in chess.Board(fen).legal_moves]
    assert len(moves) == 1
    (move,) = judged(moves[0], analysis((moves[0], 0)), analysis(("a1a2", 900)), fen=fen)
    assert move.verdict == Verdict.NONE
    assert not move.only


def test_silence_where_all_is_decided() -> None:
    high = [analysis(("e2e4", 1900), ("d2d4", 700)), analysis(("e7e5", -800))]
    assert judged("d2d4", *high)[0].verdict == Verdict.NONE
    for before, after in ((900, "#-9"), ("#9", -900), (-900, "#9"), ("#-9", 900), ("#9", "#-12")):
        lost_and_won = [analysis(("e2e4", before)), analysis(("e7e5", after))]
        assert judged("d2d4", *lost_and_won)[0].verdict == Verdict.NONE
    falls = [analysis(("e2e4", 900)), analysis(("e7e5", -200))]
    assert judged("d2d4", *falls)[0].verdict == Verdict.BLUNDER


def test_only_moves() -> None:
    open_game = analysis(("e2e4", 10), ("d2d4", -150))
    assert judged("e2e4", open_game, analysis(("e7e5", -10)))[0].only
    assert not judged("d2d4", open_game, analysis(("e7e5", 150)))[0].only
    assert not judged("e2e4", analysis(("e2e4", 10), ("d2d4", -50)), analysis(("e7e5", -10)))[
        0
    ].only
    assert not judged("e2e4", analysis(("e2e4", 10)), analysis(("e7e5", -10)))[0].only


def test_to_take_back_is_no_merit() -> None:
    fen = "4k3/8/8/3p4/4P3/3P4/8/4K3 b - - 0 1"
    first, second = judged(
        "d5e4 d3e4",
        analysis(("d5e4", 0)),
        analysis(("d3e4", 100), ("e1e2", -100)),
        analysis(("e8e7", -100)),
        fen=fen,
    )
    assert not first.only
    assert not second.only
    _, third = judged(  # nor is capturing a piece that moved onto the square
        "g7g5 f3g5",
        analysis(("g7f6", 900)),
        analysis(("f3g5", 10), ("e1e2", -900)),
        analysis(("e8e7", 0)),
        fen="4k3/6q1/8/8/8/5N2/8/4K3 b - - 0 1",
    )
    assert not third.only


def test_mates() -> None:
    fen = "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"
    (mating,) = judged("g1g7", analysis(("g1g7", "#1")), analysis(("", "#0")), fen=fen)
    assert mating.after.pov(chess.WHITE) == MateGiven
    assert mating.verdict == Verdict.NONE
    missed, _ = judged(
        "g1g8 h8g8", analysis(("g1g7", "#1")), analysis(("h8g8", 0)), analysis(("f6e6", 0)), fen=fen
    )
    assert missed.verdict == Verdict.BLUNDER


def test_a_summary() -> None:
    moves = judged(
        "f2f3 e7e5 g2g4 d8h4",
        analysis(("e2e4", 30)), analysis(("e7e5", 100)),
        analysis(("d2d4", -100)), analysis(("d8h4", "#1")), analysis(("", "#0")),
    )  # fmt: skip
    accuracy = accuracy_of(moves)
    white = summarise(moves, chess.WHITE, accuracy)
    black = summarise(moves, chess.BLACK, accuracy)
    assert white.verdicts == {Verdict.INACCURACY: 0, Verdict.MISTAKE: 1, Verdict.BLUNDER: 1}
    assert black.verdicts == {Verdict.INACCURACY: 0, Verdict.MISTAKE: 0, Verdict.BLUNDER: 0}
    assert white.centipawn_loss == round((130 + 900) / 2)
    assert black.centipawn_loss == 0
    assert accuracy is not None
    assert black.accuracy == 100
    assert white.accuracy is not None
    assert white.accuracy < 50
    almost = summarise(moves, chess.WHITE, {chess.WHITE: 79.497, chess.BLACK: 100.0})
    assert almost.accuracy == 79.5


def test_chunks_cover_a_game() -> None:
    moves = ["e2e4"] * 25
    found = list(chunks(chess.STARTING_FEN, moves, "nodes 1"))
    assert [(chunk.first, chunk.last) for chunk in found] == [(0, 9), (10, 19), (20, 25)]
    assert CHUNK == 10


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_what_the_engine_sees_depends_on_the_chunk_alone(warm: Path) -> None:
    game = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    many = [
        "g1f3",
        "g8f6",
        "f3g1",
        "f6g8",
        "e2e4",
        "e7e5",
        "g1f3",
        "b8c6",
        "f1b5",
        "a7a6",
        "b5a4",
        "g8f6",
        "e1g1",
    ]
    engine = EngineClient(OURS, {"MultiPV": "2"})

    def seen(moves: list[str]) -> list[PositionAnalysis]:
        parts = chunks(chess.STARTING_FEN, moves, "nodes 3000")
        return [each for part in parts for each in analyse_backwards(engine, part)]

    def plain(analyses: list[PositionAnalysis]) -> list[list[tuple[object, ...]]]:
        return [[(line.cp, line.mate, line.pv) for line in each.lines] for each in analyses]

    first = seen(game)
    others = seen(many)
    assert plain(seen(game)) == plain(first)
    engine.close()
    assert len(others) == len(many) + 1
    board = chess.Board()
    for move, each in zip([*game, None], first, strict=True):
        assert len(each.lines) == min(2, board.legal_moves.count()) or board.is_checkmate()
        if move:
            board.push_uci(move)
    assert first[-1].lines[0].mate == 0
    moves = judged(" ".join(game), *first)
    assert moves[5].verdict == Verdict.BLUNDER  # Nf6 lets the queen mate
    assert moves[6].verdict == Verdict.NONE
