"""The engine in another program's process, which it does not change, during and after its use."""

import gc
import json
import shutil
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from engine.jit.kernel import COMPILED
from helpers.processes import environment, run
from helpers.tiny_engine import tiny_engine
from uci.session.loader import Loader

STATE = """
import gc, signal, sys, warnings

def state():
    import numba
    from numba.core import event, types
    from numba.core.compiler import Flags
    from numba.core.typing.context import BaseContext
    return [
        gc.get_threshold(), gc.get_freeze_count(), gc.isenabled(), sys.getswitchinterval(),
        [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        list(map(str, warnings.filters)),
        sorted((k, repr(v)) for k, v in vars(numba.config).items() if k.isupper()),
        sorted(map(str, vars(Flags).items())), sorted(map(str, vars(types.Function).items())),
        sorted(map(str, vars(BaseContext).items())), str(event.start_event), str(event.end_event),
    ]
"""

USER = '''
import threading, types as python
import numba
from numba.core import event
from numba.extending import overload

class Heard(event.Listener):
    """What numba reports of compiling."""
    def __init__(self):
        self.names = []
    def on_start(self, event):
        self.names.append("+" + event.data["dispatcher"].__name__)
    def on_end(self, event):
        self.names.append("-" + event.data["dispatcher"].__name__)

def weigh(x):
    raise NotImplementedError

@overload(weigh)
def _weigh(x):
    if isinstance(x, numba.types.Integer):
        return lambda x: x * 10
    return lambda x: x + 0.5

def use(x, y):
    return weigh(x) + weigh(y) + (y if y > x else 0)

def compile_some(label, count):
    """Compile functions with overloads and a cache, as if no other code used numba."""
    answers = []
    for number in range(count):
        code = use.__code__.replace(co_firstlineno=number + 1)
        function = python.FunctionType(code, globals(), f"use_{label}_{number}")
        function.__qualname__ = function.__name__
        compiled = numba.njit(cache=True)(function)
        found = compiled(2, 3.5), compiled(3, 2)
        answers.append([found, sum(compiled.stats.cache_misses.values())])
    return answers
'''

MAIN = """
import json, pathlib, threading
from state import state
import user
from numba.core import event

heard, before = user.Heard(), state()
with event.install_listener("numba:compile", heard):
    answers = [user.compile_some("before", 2)]
    if ENGINE:
        import engine.tiny
        assert state() == before, "importing"
        cold = threading.Thread(target=engine.tiny.kernel.warm)
        cold.start()
    answers.append(user.compile_some("during", 8))
    if ENGINE:
        cold.join()
        assert state() == before, "compiling"
        assert int(engine.tiny.entries[3](5)) == 5 * 2**3 + 3
    answers.append(user.compile_some("after", 2))
    if ENGINE:
        assert state() == before, "playing"
folder = pathlib.Path(user.numba.config.CACHE_DIR)
files = sorted(path.name for path in folder.rglob("*") if path.is_file())
print(json.dumps([answers, files, heard.names]))
"""

MANY = """
from engine.jit import kernel

def power(x):
    y = x
    for _ in range(n):
        y = y + y
    return y

def add(x):
    return power(x) + n

def entry(number):
    inner = kernel.kernel(kernel.instance(power, f"power_{number}", n=number))
    return kernel.entry("int64")(kernel.instance(add, f"add_{number}", power=inner, n=number))

entries = [entry(number) for number in range(12)]
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_users_own_code_is_compiled_as_without_us(root: Path, tmp_path: Path) -> None:
    """A program's own numba code has the same results, files and reports around our cold start."""
    package = tiny_engine(root, tmp_path / "package")
    (package / "engine" / "tiny.py").write_text(MANY)
    (package / "state.py").write_text(STATE)
    (package / "user.py").write_text(USER)
    told = []
    for engine in (False, True):
        kept = tmp_path / f"kept_{engine}"
        home = tmp_path / f"home_{engine}"
        home.mkdir(mode=0o700)
        settings = environment(home, NUMBA_CACHE_DIR=str(kept))
        told.append(json.loads(run(package, f"ENGINE = {engine}\n{MAIN}", settings)))
        shutil.rmtree(package / "__pycache__", ignore_errors=True)
    (answers, files, heard), (with_us, files_with_us, heard_with_us) = told
    assert answers == with_us
    assert files == files_with_us
    assert len(files) == 12 * 3, "an index and two signatures each"
    assert heard == heard_with_us
    assert len(list((tmp_path / "home_True").rglob("*.code"))) == 12


@pytest.mark.slow
def test_importing_leaves_no_trace(root: Path, home: Path) -> None:
    code = f"""{STATE}
if COMPILED:
    before = state()
from engine.jit import cache
for name in ("digest", "folder", "prune"):
    setattr(cache, name, None)
import engine.datagen.root, engine.lab.laboratory, engine.search.searcher, uci.session.session
if COMPILED:
    assert state() == before
print("fine")
"""
    assert run(root, f"COMPILED = {COMPILED}\n{code}", environment(home)) == "fine"
    assert not any(home.iterdir())


@pytest.mark.slow
def test_a_process_that_loads_the_engine_stays_as_it_is() -> None:
    def state() -> list[Any]:
        return [
            gc.get_threshold(),
            gc.get_freeze_count(),
            sys.getswitchinterval(),
            [signal.getsignal(each) for each in sorted(signal.valid_signals())],
            list(warnings.filters),
        ]

    before = state()
    loaders = [Loader(), Loader()]
    for loader in loaders:
        loader.start()
    for loader in loaders:
        assert loader.done.wait(300)
        assert loader.backend is not None
    assert state() == before
