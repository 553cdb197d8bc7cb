"""Saves the analysis of each game as soon as it is complete, so that stopped work can be resumed.

Each game has one file, named by its moves, the settings and the engine's version. Files are written
atomically, whatever ends the process or the power.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from engine.files import replace_file
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.games.typed_json import from_json


def key_of(start: str, moves: Sequence[str], settings: str) -> str:
    """Return the name of a game's record, by its start, its moves and the settings."""
    facts = json.dumps([start, *moves, settings])
    return hashlib.sha256(facts.encode()).hexdigest()[:32]


class Journal:
    """The saved analyses of games in a folder, which is created with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> frozenset[str]:
        """Return the names of all records, including those of other settings and damaged ones."""
        return frozenset(path.stem for path in self._folder.glob("*.json"))

    def read(self, key: str) -> list[PositionAnalysis] | None:
        """Return the saved analysis of a game; None if there is none."""
        try:
            kept = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
            return [from_json(PositionAnalysis, each) for each in kept]
        except (OSError, ValueError, TypeError, AttributeError, LookupError):
            return None  # missing or damaged: the game is analysed again

    def keep(self, key: str, analyses: Sequence[PositionAnalysis]) -> None:
        """Save the analysis of a game. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps([_record(analysis) for analysis in analyses])
        path = self._folder / f"{key}.json"
        replace_file(path, text.encode())


def _record(analysis: PositionAnalysis) -> dict[str, object]:
    threat = analysis.threat and asdict(analysis.threat)
    return {"lines": [asdict(line) for line in analysis.lines], "threat": threat}
