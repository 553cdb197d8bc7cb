"""The command `analyse` in this process: three games for it, one of them bad, and its output."""

import io
import json
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from helpers import command

GAMES = """[Event "one"]
[White "Smith"]
[Black "Jones"]

{mine} 1. e4 (1. d4 d5) e5 2. Nf3 $14 {[%clk 0:09:58.5]} Nc6 3. Bb5 1-0

[Event "two"]
[White "Jones"]
[Black "Miller"]

1. Sf3 d5 *

[Event "three"]
[White "Miller"]
[Black "Smith"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 b - - 0 20"]
[SetUp "1"]

20... Kd7 21. e4 Kd6 1/2-1/2
"""


class Output:
    """A standard stream of text with bytes below."""

    def __init__(self, data: bytes = b"") -> None:
        self.buffer = io.BytesIO(data)


def call(*words: object) -> int:
    return command.call("analyse", *words)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def read(path: Path) -> list[chess.pgn.Game]:
    found = []
    with path.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            found.append(game)
    return found


def document(folder: Path) -> Any:
    return json.loads((folder / "games.analysis.json").read_text(encoding="utf-8"))
