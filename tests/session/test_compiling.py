"""Messages of a command that compiles, or loads compiled code."""

import subprocess
import sys

import pytest

from engine.jit import kernel
from uci.apps.engines.warm_up import compile_kernels
from uci.session.backend import COMPILING, EACH_TIME


@pytest.mark.parametrize(
    ("is_warm", "unkept", "told"),
    [
        (True, "", []),
        (False, "", [COMPILING]),
        (False, "no room", [EACH_TIME.format("no room")]),
    ],
)
def test_what_is_said(
    is_warm: bool, unkept: str, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(kernel, "is_warm", lambda: is_warm)
    monkeypatch.setattr(kernel, "unkept", lambda: unkept)
    monkeypatch.setattr(kernel, "warm", lambda: said.append("the kernels"))
    compile_kernels(said.append)
    assert said == [*told, "the kernels"]


@pytest.mark.slow
@pytest.mark.skipif(not kernel.COMPILED, reason="nothing is compiled")
def test_what_a_session_needs_is_known_before_it_is_compiled() -> None:
    script = (
        "from uci.session.backend import import_entry_points\n"
        "import_entry_points()\n"
        "from engine.jit.kernel import PLAY\n"
        "print(*(dispatcher.py_func.__module__ for dispatcher, _ in PLAY._known))\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    modules = {"engine.board.perft", "engine.evaluation.nnue", "engine.search.root_move"}
    assert modules <= set(told.stdout.split())
