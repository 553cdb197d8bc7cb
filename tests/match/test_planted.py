"""Files in the working directory with names of Python modules are never executed."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers.processes import environment
from scripts.match import builds, spsa
from scripts.match.arena import Player
from scripts.match.builds import Build
from scripts.release import standalone
from uci.session.bench import CHECK_DEPTH, CHECK_NODES

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).with_name("pythagoras.exe" if os.name == "nt" else "pythagoras")
MADE = Build("this", COMMAND, ROOT / "scripts" / "match" / builds.PLAYER)
installed = pytest.mark.skipif(not COMMAND.exists(), reason="the engine is not installed here")


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Enter a folder with a file for each of Python's modules and each that we import."""
    folder, ran = tmp_path / "planted", tmp_path / "ran"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, "chess", "engine", "llvmlite", "numba", "numpy", "uci"):
        code = f"open({str(ran)!r}, 'a').write('{name} ')\nraise SystemExit"
        (folder / f"{name}.py").write_text(code)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    yield
    assert not ran.exists(), ran.read_text()


def call(*command: str | Path, **settings: str) -> str:
    done = subprocess.run(
        list(map(str, command)), env=os.environ | settings, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@installed
@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_cold_and_a_warm_start(planted: None, home: Path) -> None:
    """The second process loads the first one's code.

    It would crash or count differently if kernels called each other, or a recursive one with a
    literal.
    """
    for _ in ("cold", "warm"):
        told = call(COMMAND, "bench", str(CHECK_DEPTH), **environment(home))
        assert told.splitlines()[-1].startswith(f"{CHECK_NODES} nodes ")
        assert [*home.rglob("*.code")]


@pytest.mark.slow
def test_the_engine_in_one_file(planted: None, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "alone"
    assert standalone.main([str(file)]) == 0
    found = call(sys.executable, file, "go", "depth", "1", NUMBA_DISABLE_JIT="1")
    assert "bestmove" in found


@installed
def test_a_player_of_the_arena(planted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    player = Player(MADE, 20, None)
    player.tell(f"start {chess.STARTING_FEN}")
    try:
        assert player.go()[0] > 0
    finally:
        player.close()


@installed
def test_the_parameters_of_a_build(planted: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    assert spsa.read_parameters(MADE, [])


@pytest.mark.slow
def test_making_a_build(planted: None, tmp_path: Path) -> None:
    builds._create(tmp_path / "environment")
    assert "pip" in call(
        *builds._module("pip", builds._python(tmp_path / "environment")), "--version"
    )
