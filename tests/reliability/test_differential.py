"""Comparison with Stockfish on a few random positions; the long form takes 10,000."""

import random
from collections.abc import Iterator
from typing import Any

import chess
import pytest

from engine.jit.kernel import COMPILED
from scripts.reliability import differential
from scripts.reliability.differential import Comparison, can_mate
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.random_boards import random_boards
from uci.protocol.scored_line import ScoredLine, parse_info

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
MATE_IN_2 = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
"""Mate in two by a1a6, with seven defences (Paul Morphy)."""

ILLEGAL = "info depth 1 score cp 0 pv h1h8"


def test_positions_of_every_kind() -> None:
    source = random_boards(random.Random(1))
    boards = [next(source) for _ in range(100)]
    assert all(board.is_valid() for board in boards)
    moves = [move for board in boards for move in board.legal_moves]
    assert {move.promotion for move in moves} == {None, *range(chess.KNIGHT, chess.KING)}
    for met in (
        lambda board: board.chess960 and board.castling_rights,
        lambda board: board.has_legal_en_passant(),
        lambda board: any(map(board.is_castling, board.legal_moves)),
        lambda board: len(board.pieces(chess.QUEEN, chess.WHITE)) > 4,
        lambda board: chess.popcount(board.checkers_mask()) > 1,
    ):
        assert sum(map(bool, map(met, boards))) >= 1


@pytest.mark.slow
def test_stockfish_agrees(stockfish: str) -> None:
    done = differential.compare(40, 2, stockfish)
    assert done["positions"] == 40
    assert done["moves compared"] > 500
    assert done["lines replayed"] > 100
    assert done["of them by searching all moves"] > 5


@pytest.fixture(scope="module")
def comparison(stockfish: str) -> Iterator[Comparison]:
    """Yield a comparison of both engines on positions with a mate in two."""
    both = Comparison(stockfish)
    yield both
    both.close()


@pytest.mark.slow
def test_a_mate_is_played_out(comparison: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differential, "MATES", (2,))
    comparison.done.clear()
    comparison.compare(chess.Board(MATE_IN_2), random.Random(1))
    assert comparison.done["mates in 2"] == 1
    assert comparison.done["defences tried"] == 7
    assert can_mate(chess.Board(MATE_IN_2), 2)
    assert not can_mate(chess.Board(MATE_IN_2), 1)


def claims(mate: int, *pv: str) -> Any:
    """Return a search that claims a mate."""
    line = ScoredLine(2 * mate - 1, None, mate, bound="", pv=pv)
    return lambda limits: ([line] if "mate" in limits else [], ["bestmove (none)"])


@pytest.mark.parametrize(
    ("part", "says", "found"),
    [
        ("ours.divide", lambda: {"a1a2": 1}, "perft 3 differs in {'"),
        ("theirs.divide", lambda: {"a1a2": 1}, "perft 3 differs in {'"),
        ("theirs.pieces", lambda: "8/8 w", "Stockfish rejects "),
        ("ours.search", claims(1, "a1a2"), "no mate after "),
        ("ours.search", claims(2, "a1a2"), "avoids the mate in 1"),
        ("ours.search", lambda _: ([], ["no mate in 2 moves", "bestmove (none)"]), "a mate in 2"),
        ("ours.search", lambda _: ([parse_info(ILLEGAL)], ["bestmove h1h8"]), "illegal move h1h8"),
    ],
)
def test_what_is_wrong_is_found(
    part: str, says: Any, found: str, comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, method = part.split(".")
    monkeypatch.setattr(differential, "MATES", (2,))
    monkeypatch.setattr(getattr(comparison, engine), method, says)
    with pytest.raises(Finding, match=found):
        comparison.compare(chess.Board(MATE_IN_2), random.Random(1))
