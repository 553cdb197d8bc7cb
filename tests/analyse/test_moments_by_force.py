"""Every explanation of a bad move, derived again by brute force from the lines and scores."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers.documents import made_game, made_line, made_move, random_games
from uci.apps.analyse.analysed_game import analysed_game
from uci.apps.analyse.analyst import OPTIONS, PositionAnalysis, analyse_backwards, chunks
from uci.apps.analyse.explanation import explain
from uci.apps.analyse.judge import rescaled
from uci.apps.analyse.lichess import THRESHOLDS
from uci.apps.analyse.report.moments import sentence
from uci.apps.engines.client import OURS, EngineClient
from uci.apps.games.analysis_document import AnalysedGame

MADE_UP, SEARCHED = 250, 100
"""The numbers of tested moments from made-up lines, and from the engine's."""

POINTS = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9, "k": 0}
NAMES = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
WORDS = {1: "a", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
PATIENCE = 200
"""The most positions after captures that are searched for the end of one line."""


class Impatient(Exception):
    """Raised for a position with too many captures for brute force."""


def letters(board: chess.Board) -> Counter[str]:
    """Return the letters of the pieces on the board, White's in capitals."""
    return Counter(letter for letter in board.board_fen() if letter.isalpha())


def ahead(board: chess.Board, side: str) -> int:
    """Return how many points the side, "white" or "black", is ahead."""
    found = sum(
        POINTS[letter.lower()] * number * (1 if letter.isupper() else -1)
        for letter, number in letters(board).items()
    )
    return found if side == "white" else -found


def taken(board: chess.Board, known: dict[str, int]) -> int:
    """Return the points that the side to move wins if both only capture and promote, by minimax."""
    fen = board.fen()
    if fen not in known:
        best, start = 0, ahead(board, "white")
        for move in board.legal_moves:
            if board.is_capture(move) or move.promotion:
                after = board.copy(stack=False)
                after.push(move)
                won = ahead(after, "white") - start
                best = max(best, (won if board.turn else -won) - taken(after, known))
        if len(known) == PATIENCE:
            raise Impatient
        known[fen] = best
    return known[fen]


def described(pieces: Counter[str]) -> str:
    """Return pieces in words, such as "a queen, a rook and two pawns"."""
    parts = [
        f"{WORDS[pieces[letter]]} {name}{'s' if pieces[letter] > 1 else ''}"
        for letter, name in NAMES.items()
        if pieces[letter]
    ]
    if len(parts) == 1:
        return parts[0]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def end_of(fen: str, line: Sequence[str], chess960: bool) -> chess.Board:
    """Return the board after a line."""
    board = chess.Board(fen, chess960=chess960)
    for text in line:
        board.push(board.parse_uci(text))
    return board


def change(fen: str, line: Sequence[str], side: str, chess960: bool) -> tuple[int, int, str]:
    """Return a side's gain in points over a line, its lead at the end, and both in words."""
    board, end = chess.Board(fen, chess960=chess960), end_of(fen, line, chess960)
    still = taken(end, {}) if end.turn != (side == "white") else 0
    lead = ahead(end, side) - still
    points = lead - ahead(board, side)
    if still or any(move.promotion for move in end.move_stack):
        return points, lead, f"gains {points} {'point' if points == 1 else 'points'} of material"
    gone = letters(board) - letters(end)
    black = Counter({letter: number for letter, number in gone.items() if letter.islower()})
    white = Counter({letter.lower(): n for letter, n in gone.items() if letter.isupper()})
    won, lost = (black, white) if side == "white" else (white, black)
    if points <= 0:
        return points, lead, ""
    if won - lost == Counter("r") and lost - won in (Counter("n"), Counter("b")):
        return points, lead, "wins the exchange"
    given = f" for {described(lost - won)}" if lost - won else ""
    return points, lead, f"wins {described(won - lost)}{given}"


def derived(game: AnalysedGame, index: int) -> tuple[str, str]:
    """Return the explanation that holds for a bad move, and its kind."""
    move = game.moves[index]
    best, answer = (game.positions[at].best for at in (index, index + 1))
    mover, other = ("white", "black") if move.color == "white" else ("black", "white")
    sign = 1 if mover == "white" else -1
    instead = f"{move.best} was better."
    if sign * (best.mate or 0) > 0:
        instead = f"{move.best} mates in {abs(best.mate)}."
    if sign * (answer.mate or 0) < 0:
        mates = f"{move.san} lets {other.capitalize()} mate in {abs(answer.mate)}. {instead}"
        return mates, "mated"
    if sign * (best.mate or 0) > 0:
        way = f"{move.san} misses a mate in {best.mate * sign}: {move.best} was the way."
        return way, "mate missed"
    fen, chess960 = game.positions[index].fen, game.chess960
    kind = "nothing"
    for line, side, against in (
        ([move.uci, *answer.uci], other, best.uci),
        (best.uci, mover, [move.uci, *answer.uci]),
    ):
        points, lead, words = change(fen, line, side, chess960)
        as_much = ahead(end_of(fen, against, chess960), side) - ahead(chess.Board(fen), side)
        if points <= max(0, as_much):
            continue
        score = (answer if side == other else best).cp
        if score is None or (lead > 0 and (score if side == "white" else -score) < 30 * lead):
            kind = "denied by the score"
            continue
        kind = "one point" if " 1 point " in words else words.split()[0]
        kind = "exchange" if "exchange" in words else kind
        if side == other:
            after = f"After {move.san} {other.capitalize()} {words} in the engine's line."
            return f"{after} {instead}", kind
        return f"{move.san} misses {move.best}, which {words} in the engine's line.", kind
    return f"{move.san} gives away chances that {move.best} keeps.", kind


def hold(moments: Iterator[tuple[AnalysedGame, int]], count: int) -> Counter[str]:
    """Assert that each explanation equals the derived one; return the number of each kind."""
    kinds: Counter[str] = Counter()
    for game, index in moments:
        try:
            expected, kind = derived(game, index)
        except Impatient:
            continue
        assert sentence(game, index) == expected, game.positions[index]
        kinds[kind] += 1
        if kinds.total() == count:
            break
    assert kinds.total() == count
    return kinds


def made_up(seed: int) -> Iterator[tuple[AnalysedGame, int]]:
    """Yield bad moves with random lines, rich in captures, and scores of all kinds."""
    dice = random.Random(seed)
    while True:
        board = chess.Board()
        if dice.random() < 0.3:
            board = chess.Board.from_chess960_pos(dice.randrange(960))
        _play(board, dice, dice.randrange(8, 160))
        if board.legal_moves.count() < 2:
            continue
        start = board.copy(stack=False)
        played, better = dice.sample(sorted(board.legal_moves, key=chess.Move.uci), 2)
        lines = []
        for first in (better, played):
            board = start.copy()
            board.push(first)
            _play(board, dice, dice.randrange(10))
            score: dict[str, Any] = {"cp": 100 * ahead(board, "white") + dice.randrange(-400, 400)}
            if dice.random() < 0.1:
                score = {"mate": dice.choice((-1, 1)) * dice.randrange(1, 9)}
            lines.append(made_line([move.uci() for move in board.move_stack], **score))
        best, line = lines
        answer = replace(line, uci=line.uci[1:])
        after = start.copy()
        after.push(played)
        move = made_move(
            "white" if start.turn else "black",
            uci=played.uci(), san=start.san(played), best=start.san(better),
        )  # fmt: skip
        positions = (start.fen(), best), (after.fen(), answer)
        yield made_game(positions, [move], chess960=start.chess960), 0


def _play(board: chess.Board, dice: random.Random, plies: int) -> None:
    for _ in range(plies):
        moves = sorted(board.legal_moves, key=chess.Move.uci)
        if not moves:
            break
        liked = [move for move in moves if move.promotion or board.is_capture(move)]
        if dice.random() < 0.2:
            liked = [m for m in moves if board.piece_type_at(m.from_square) == chess.PAWN]
        board.push(dice.choice(liked if liked and dice.random() < 0.5 else moves))


def searched() -> Iterator[tuple[AnalysedGame, int]]:
    """Yield the bad moves of random games, with the lines that the engine found."""
    with closing(EngineClient(OURS, OPTIONS)) as engine:
        for number, game in enumerate(random_games(20, plies=60)):
            board = game.board()
            moves = []
            for move in game.mainline_moves():
                moves.append(board.uci(move, chess960=True))
                board.push(move)
            analyses: list[PositionAnalysis] = []
            for chunk in chunks(game.board().fen(), moves, "nodes 500"):
                analyses += analyse_backwards(engine, chunk)
            known = explain(game, rescaled(analyses), chess.COLORS, THRESHOLDS)
            analysed = analysed_game(number, 0, known, "")
            for index, judged in enumerate(analysed.moves):
                if judged.verdict:
                    yield analysed, index


@pytest.mark.slow
def test_sentences_on_made_up_lines() -> None:
    kinds = hold(made_up(seed=1), MADE_UP)
    for kind in ("mated", "mate missed", "wins", "gains", "denied by the score", "nothing"):
        assert kinds[kind] >= 5, kinds
    assert kinds["one point"] + kinds["exchange"] >= 3, kinds


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_sentences_on_lines_of_the_engine(warm: Path) -> None:
    kinds = hold(searched(), SEARCHED)
    assert {"wins", "gains", "nothing"} <= {*kinds}
