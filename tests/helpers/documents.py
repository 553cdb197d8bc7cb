"""Documents of analysed games, made by the command from games of random moves."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from helpers.command import call
from helpers.inline_executor import inline_executor
from helpers.pgn_games import random_game
from uci.apps.games.analysis_document import (
    NO_LINE,
    AnalysedGame,
    AnalysedLine,
    AnalysedMove,
    AnalysedPosition,
    AnalysisDocument,
    Side,
    read_document,
)
from uci.apps.games.phases import Phases


def annotated_game(seed: int, plies: int, start: chess.Board | None = None) -> chess.pgn.Game:
    """Return a random game with a NAG on every fifth move; every third game has clocks."""
    game = random_game(random.Random(seed), plies, start, Event=f"Game {seed}")
    for ply, node in enumerate(game.mainline()):
        if ply % 5 == seed % 5:
            node.nags.add(1 + ply % 6)
        if seed % 3 == 0:
            node.set_clock(600 - 3 * ply)
    return game


def random_games(count: int, plies: int = 40) -> list[chess.pgn.Game]:
    """Return games, every fifth of them Chess960."""
    starts = [
        chess.Board.from_chess960_pos(17 * seed % 960) if seed % 5 == 4 else None
        for seed in range(count)
    ]
    return [annotated_game(seed, plies, start) for seed, start in enumerate(starts)]


def analyse(path: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> AnalysisDocument:
    """Analyse the games of a file with made-up analyses; return the document."""
    with monkeypatch.context() as patch:
        inline_executor(patch)
        call("analyse", path, "--quiet", "--force", *words)
    return read_document(path.with_suffix(".analysis.json"))


def document_of(
    games: list[chess.pgn.Game], folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str
) -> AnalysisDocument:
    """Write games to ``games.pgn`` in ``folder`` and analyse them; return the document."""
    path = folder / "games.pgn"
    path.write_text("\n\n".join(map(str, games)), encoding="utf-8")
    return analyse(path, monkeypatch, *words)


def made_line(uci: Sequence[str] = (), **fields: Any) -> AnalysedLine:
    """Return a line of a position, with ``cp``, ``mate`` or ``win``."""
    return replace(NO_LINE, uci=tuple(uci), **fields)


def made_move(color: Side, **fields: Any) -> AnalysedMove:
    """Return a blunder of a side."""
    facts: dict[str, Any] = {
        "ply": 1, "uci": "", "san": "", "win": 50.0, "points_lost": 20.0, "verdict": "blunder",
        "best": None, "only": False,
    }  # fmt: skip
    return AnalysedMove(color=color, **(facts | fields))


def made_game(
    positions: Iterable[tuple[str, AnalysedLine | None]], moves: Iterable[AnalysedMove], **more: Any
) -> AnalysedGame:
    """Return a game from the FEN and the best line of each position, and the moves."""
    facts: dict[str, Any] = {
        "number": 1, "offset": 0, "headers": {}, "chess960": False, "opening": None,
        "phases": Phases(None, None), "white": None, "black": None, "pgn": "",
    }  # fmt: skip
    return AnalysedGame(
        positions=tuple(
            AnalysedPosition(fen=fen, lines=(line,) if line else ()) for fen, line in positions
        ),
        moves=tuple(moves),
        **(facts | more),
    )
