"""Weak games, used to test verdicts: equal for the same seed, and of the wanted weakness."""

import random
from itertools import islice

import chess
import pytest

from engine.jit.kernel import COMPILED
from scripts.measure.weak_games import ELOS, as_pgn, weak_games

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
OPENINGS = [chess.STARTING_FEN, "r3k2r/8/8/8/8/8/4P3/R3K2R b KQkq - 0 1"]


def made(seed: int) -> list[str]:
    return [str(game) for game in islice(weak_games(OPENINGS, 8, seed), 3)]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games(warm: object) -> None:
    first = made(1)
    assert made(1) == first
    assert made(2) != first


def test_a_game_says_who_played(warm: object) -> None:
    for game in islice(weak_games(OPENINGS, 4, 1), 4):
        assert len([*game.mainline_moves()]) == 4
        elos = [int(game.headers[f"{side}Elo"]) for side in ("White", "Black")]
        assert all(ELOS[0] <= elo <= ELOS[1] for elo in elos)
        assert game.headers["Result"] == "*"
        assert game.headers["White"] == f"Pythagoras at {elos[0]}"


def test_castling_is_written_for_readers(seed: int) -> None:
    fen = "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 0 1"
    game = as_pgn(fen, ["e1h1", "e8a8"], random.Random(seed).sample(ELOS, 2))
    assert [move.uci() for move in game.mainline_moves()] == ["e1g1", "e8c8"]
    assert game.headers["FEN"] == fen


def test_a_game_that_is_over_has_its_result() -> None:
    game = as_pgn(chess.STARTING_FEN, ["f2f3", "e7e5", "g2g4", "d8h4"], ELOS)
    assert game.headers["Result"] == "0-1"
