"""The annotations of a game, and the parts of the source that stay unchanged."""

import io
from dataclasses import replace
from time import perf_counter

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, MateGiven, PovScore, Score

from uci.apps.analyse.annotate import GLYPHS, annotate, describe, show, source_signs
from uci.apps.analyse.judge import JudgedMove, Line, Summary
from uci.apps.analyse.lichess import Verdict
from uci.apps.games.openings import Opening
from uci.apps.games.pgn_read import read_game
from uci.apps.games.pgn_split import split_games
from uci.apps.games.pgn_writer import pgn_of

TEXT = """[Event "?"]
[Annotator "somebody"]
[Opening "my own name"]

{at the start} 1. f3 $6 {my word} e5 (1... e6 {mine too}) 2. g4 $10 {[%clk 0:01:00]} 2... Qh4# 0-1
"""


def white(score: Score) -> PovScore:
    return PovScore(score, chess.WHITE)


def moves_of(game: chess.pgn.Game) -> list[JudgedMove]:
    """Judge the four moves: a mistake, the best, a blunder, a mate that is the only move."""
    scores = [Cp(30), Cp(-100), Cp(-90), Mate(-1), Mate(0)]
    best = [["e2e4", "e7e5"], ["e7e5"], ["d2d4", "e5d4"], ["d8h4"]]
    verdicts = [Verdict.MISTAKE, Verdict.NONE, Verdict.BLUNDER, Verdict.NONE]
    return [
        JudgedMove(
            ply, node.turn() == chess.BLACK, node.move, white(scores[ply - 1]), white(scores[ply]),
            Line(white(scores[ply - 1]), tuple(map(chess.Move.from_uci, best[ply - 1]))),
            verdicts[ply - 1], ply == 4,
        )
        for ply, node in enumerate(game.mainline(), 1)
    ]  # fmt: skip


@pytest.fixture
def game() -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(TEXT))
    assert game is not None
    annotate(game, moves_of(game), Opening("A00", "Barnes Opening", 1), "Pythagoras 1")
    text = str(game)
    again = chess.pgn.read_game(io.StringIO(text))
    assert again is not None
    assert str(again) == text
    assert not again.errors
    return again


def test_scores_stand_with_every_move(game: chess.pgn.Game) -> None:
    found = [node.eval() for node in game.mainline()]
    assert found[:3] == [white(Cp(-100)), white(Cp(-90)), white(Mate(-1))]


def test_signs(game: chess.pgn.Game) -> None:
    first, second, third, fourth = game.mainline()
    assert first.nags == {6}  # the source's own
    assert first.comment.startswith("(+0.30 → -1.00) Mistake (source: ?!). e4 was best.")
    assert second.nags == set()
    assert third.nags == {10, 4}
    assert fourth.nags == {1}
    assert fourth.comment == "Only move."


def test_an_only_move_that_is_none_any_more(game: chess.pgn.Game) -> None:
    moves = [replace(move, only=False) for move in moves_of(game)]
    annotate(game, moves, None, "Pythagoras 1")
    *_, fourth = game.mainline()
    assert (fourth.nags, fourth.comment) == (set(), "")


def test_better_lines(game: chess.pgn.Game) -> None:
    _, second, third, _ = game.mainline()
    assert [node.move.uci() for node in game.variations] == ["f2f3", "e2e4"]
    assert game.variations[1].variations[0].move.uci() == "e7e5"
    assert [node.move.uci() for node in second.variations] == ["g2g4", "d2d4"]
    assert third.comment.startswith("(-0.90 → #-1) Blunder. d4 was best.")


def test_what_the_source_has_stays(game: chess.pgn.Game) -> None:
    first, _, third, _ = game.mainline()
    assert game.comment == "at the start"
    assert "e4 was best. my word" in first.comment
    assert first.variations[1].comment == "mine too"
    assert third.clock() == 60
    assert game.headers["Opening"] == "my own name"
    assert game.headers["ECO"] == "A00"
    assert game.headers["Annotator"] == "Pythagoras 1"


def test_an_earlier_analysis_gives_way(game: chess.pgn.Game) -> None:
    none = dict.fromkeys(Verdict, 0)
    summaries = {chess.WHITE: Summary(none, 50.0, 30), chess.BLACK: Summary(none, None, None)}
    opening = Opening("A00", "Barnes Opening", 1)
    annotate(game, moves_of(game), opening, "Pythagoras 1", summaries)
    once = str(game)
    annotate(game, moves_of(game), opening, "Pythagoras 1", summaries)
    assert str(game) == once
    assert game.comment.endswith(" ??. at the start")
    calm = [replace(move, verdict=Verdict.NONE) for move in moves_of(game)]
    annotate(game, calm, opening, "Pythagoras 1")
    first, _, third, _ = game.mainline()
    assert (game.comment, first.comment) == ("at the start", "my word [%eval -1.00]")
    assert "was best" not in third.comment
    assert first.nags == {6}
    assert third.nags == {10}


def test_signs_of_the_source_survive_every_analysis() -> None:
    """Move signs of the source stay, whether they equal ours, differ, or mark an only move."""
    for sign in range(1, 7):
        moves = f"1. f3 ${sign} e5 2. g4 Qh4# ${sign}"
        game = chess.pgn.read_game(io.StringIO(moves))
        assert game is not None
        judged = moves_of(game)
        for verdicts in (True, False, True, False):
            seen = judged if verdicts else [
                replace(move, verdict=Verdict.NONE, only=False) for move in judged
            ]  # fmt: skip
            assert source_signs(game) == [[sign], [], [], [sign]]
            annotate(game, seen, None, "Pythagoras 1")
            first, _, third, fourth = game.mainline()
            assert first.nags == fourth.nags == {sign}
            assert third.nags == ({4} if verdicts else set())
            glyph = GLYPHS[sign]
            assert (f" Mistake (source: {glyph}). " in first.comment) == verdicts
            assert (fourth.comment == f"Only move (source: {glyph}).") == verdicts


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("1. f3 $1 {(+0.30 → -1.00) Mistake. e4 was best. my word}", [[1]]),
        ("1. f3 $2 {(+0.30 → -1.00) Mistake. e4 was best. my word}", [[]]),
        ("1. f3 $1 {Only move.}", [[]]),
        ("1. f3 $5 {Only move. So it was best.}", [[5]]),
    ],
)
def test_signs_beside_the_words_of_earlier_versions(text: str, signs: list[list[int]]) -> None:
    game = chess.pgn.read_game(io.StringIO(f'[Annotator "Pythagoras 0.3.0"]\n\n{text} *'))
    assert game is not None
    assert source_signs(game) == signs
    game.headers["Annotator"] = "somebody"
    assert source_signs(game) == [sorted(game.variations[0].nags)]


@pytest.mark.parametrize("nothing", ["", "?"])
def test_an_opening_that_the_source_does_not_know(nothing: str) -> None:
    tags = f'[ECO "{nothing}"]\n[Opening "{nothing}"]\n'
    game = chess.pgn.read_game(io.StringIO(tags + TEXT.replace("[Opening", "[Another")))
    assert game is not None
    annotate(game, moves_of(game), Opening("A00", "Barnes Opening", 1), "Pythagoras 1")
    assert (game.headers["ECO"], game.headers["Opening"]) == ("A00", "Barnes Opening")


@pytest.mark.parametrize(
    ("score", "text"),
    [(Cp(0), "0.00"), (Cp(-125), "-1.25"), (Mate(3), "#3"), (Mate(-3), "#-3"), (MateGiven, "#"),
     (Mate(0), "#")],
)  # fmt: skip
def test_scores_in_words(score: Score, text: str) -> None:
    assert show(white(score)) == text
    mirrored = PovScore(-score, chess.BLACK)
    assert show(mirrored) == text


def test_a_side_in_words() -> None:
    verdicts = {Verdict.INACCURACY: 2, Verdict.MISTAKE: 1, Verdict.BLUNDER: 0}
    text = "White: accuracy 87 %, average centipawn loss 31, 2 ?!, 1 ?, 0 ??"
    assert describe("White", Summary(verdicts, 87.4, 31)) == text
    assert "accuracy 85 %" in describe("White", Summary(verdicts, 84.5, 31))
    assert describe("White", Summary(verdicts, None, None)) == "White: 2 ?!, 1 ?, 0 ??"


@pytest.mark.parametrize("blanks", [" ", "  ", "\n"])
def test_no_line_of_moves_has_more_than_80_characters(blanks: str) -> None:
    """Long comments are broken between words, embedded commands are not, and all can be read."""
    game = chess.pgn.read_game(io.StringIO(TEXT.replace(" $6", "")))
    assert game is not None
    words = ["moves", "that", "somebody", "has", "long", "thought", "about"] * 9
    for offset, node in enumerate([game, *game.mainline()]):
        node.comment = blanks.join(["x" * offset, *words, f"https://{'long' * 30}.org", "end"])
        if offset:
            node.set_clock(60.5)  # type: ignore[union-attr]
    summaries = dict.fromkeys(chess.COLORS, Summary(dict.fromkeys(Verdict, 0), 50.0, 30))
    annotate(game, moves_of(game), None, "Pythagoras 1", summaries)
    text = pgn_of(game)
    assert max(len(line) for line in text.splitlines() if "http" not in line) in range(70, 81)
    assert [line for line in text.splitlines() if len(line) > 80 and " " in line] == []
    assert [line for line in text.splitlines() if line.endswith("{") or line.startswith("}")] == []
    (raw,) = split_games(io.BytesIO(text.encode()))
    again = read_game(raw)
    for node, found in zip([game, *game.mainline()], [again, *again.mainline()], strict=True):
        assert found.comment.split() == node.comment.split()
    annotate(again, moves_of(again), None, "Pythagoras 1", summaries)
    assert pgn_of(again).split() == text.split()


@pytest.mark.parametrize("hostile", ["[%", "[", " ", "a [%b ", "]"])
def test_a_hostile_comment_is_broken_in_linear_time(hostile: str) -> None:
    game = chess.pgn.Game()
    game.comment = hostile * (100_000 // len(hostile))
    start = perf_counter()
    text = pgn_of(game)
    assert perf_counter() - start < 2
    assert sorted(text.split("{")[1].split("}")[0].split()) == sorted(game.comment.split())
