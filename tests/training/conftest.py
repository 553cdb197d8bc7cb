"""Games to train on."""

from pathlib import Path

import pytest

from engine.datagen.factory import Player, Settings
from engine.datagen.game_file import Appender


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of a few quick games, in blocks of eight."""
    path = tmp_path_factory.mktemp("games") / "some.games"
    player = Player(Settings(nodes=200, hash=1, random_moves=20, keep_pvs=1))
    file = Appender(path, {"evaluation": "any"})
    played = [player.play(number) for number in range(80)]
    words = [game.words for game in played if game is not None]
    for first in range(0, len(words), 8):
        file.append(words[first : first + 8])
    file.close()
    return path
