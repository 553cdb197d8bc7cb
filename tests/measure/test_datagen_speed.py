"""The speed of generating games: the repeated searches are those of the games."""

import numpy as np
import pytest

from engine.datagen.factory import Player, Settings
from engine.datagen.game_record import MOVES, moves_end
from scripts.measure import datagen_speed


def test_the_moves_of_a_game_are_played_and_not_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(Settings(nodes=20, hash=1, keep_pvs=1))
    game = player.play(0)
    assert game is not None
    end = int(moves_end(game.words, 0))
    assert end < len(game.words)
    played: list[int] = []
    monkeypatch.setattr(datagen_speed, "make", lambda pos, move: played.append(move))
    assert datagen_speed.search_again([player], [game.words], 0.0) > 0
    assert np.array_equal(played, game.words[MOVES:end:2])
