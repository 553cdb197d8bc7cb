"""Files in the working directory with names of Python modules are never executed."""

import os
import subprocess
import sys
from pathlib import Path

import chess
import pytest

from helpers.client import installed
from helpers.fake_managers import CHECKOUT
from scripts.match import builds, spsa
from scripts.match.players import Player
from scripts.release import standalone


def call(*command: str | Path, **settings: str) -> str:
    done = subprocess.run(
        list(map(str, command)), env=os.environ | settings, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_the_engine_in_one_file(planted: Path, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "alone"
    assert standalone.main([str(file)]) == 0
    found = call(sys.executable, file, "go", "depth", "1", NUMBA_DISABLE_JIT="1")
    assert "bestmove" in found


@pytest.mark.slow
@installed
def test_a_player_of_the_arena(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    player = Player(CHECKOUT, 20, None)
    player.tell(f"start {chess.STARTING_FEN}")
    try:
        assert player.go()[0] > 0
    finally:
        player.close()


@installed
def test_the_parameters_of_a_build(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    assert spsa.read_parameters(CHECKOUT, [])


@pytest.mark.slow
def test_making_a_build(planted: Path, tmp_path: Path) -> None:
    builds._create(tmp_path / "environment")
    assert "pip" in call(
        *builds._module("pip", builds._python(tmp_path / "environment")), "--version"
    )
