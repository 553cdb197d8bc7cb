"""The second process that compiles: whatever happens, the first gets its code and it ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.jit import background
from engine.jit.background import SecondCompiler
from engine.jit.kernel import COMPILED

posix = pytest.mark.skipif(os.name != "posix", reason="asks for a process by its number")


def test_what_cannot_be_imported_is_left_to_the_first() -> None:
    SecondCompiler("no.such.module", "search").wait()


def test_one_core_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "cores", lambda: 1)
    alone = SecondCompiler("engine.board.makemove", "make")
    assert alone._process is None
    alone.wait()


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_it_fills_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It compiles the sources of the first process, whatever lies in the working directory."""
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "__init__.py").write_text("raise SystemExit('another engine')")
    for name in ("contextlib", "threading", "subprocess"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('no module of Python')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    SecondCompiler("engine.board.makemove", "make").wait()
    assert any("make" in path.name for path in tmp_path.rglob("*.code"))


@pytest.mark.slow
@posix
def test_it_ends_with_the_first(root: Path, tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text("import time; time.sleep(60)")
    code = """
from engine.jit.background import SecondCompiler
print(SecondCompiler("sleeper", "dream")._process.pid, flush=True)
"""
    path = os.pathsep.join([str(tmp_path), str(root)])
    first = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    for _ in range(100):
        try:
            os.kill(int(first.stdout), 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("it stayed behind")
