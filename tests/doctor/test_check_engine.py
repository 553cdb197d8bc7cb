"""One thing at a time is broken in the packages or the engine, and only its check reports it."""

import ctypes
import shutil
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.jit import kernel
from helpers.doctor_checks import Patch, failures, own_cache
from helpers.processes import hide
from uci.apps.console import own_command
from uci.apps.doctor import check_engine
from uci.apps.doctor.check import DEPENDS, Result
from uci.apps.doctor.check_engine import CHECKS, PERFT, fits
from uci.apps.doctor.run_checks import WARM_SECONDS, run_apart

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not kernel.COMPILED, reason="there is no numba"),
]


def hidden(package: str, patch: Patch, folder: Path) -> None:
    patch.setenv("PYTHONPATH", hide(package, folder))


def replaced(package: str, code: str, patch: Patch, folder: Path) -> None:
    """Make our child processes find a ``package`` that runs ``code`` and fails."""
    (folder / f"{package}.py").write_text(code)
    patch.setenv("PYTHONPATH", str(folder))


def interpreted(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_DISABLE_JIT", "1")


def another_processor(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_CPU_NAME", "generic")
    patch.setenv("NUMBA_CPU_FEATURES", "")


def damaged_code(patch: Patch, folder: Path) -> None:
    for code in own_cache(patch, folder, copied=True).glob("engine.board.perft*.code"):
        code.write_bytes(code.read_bytes()[:1000])


def nothing_compiled(patch: Patch, folder: Path) -> None:
    own_cache(patch, folder)


def damaged_network(patch: Patch, folder: Path) -> None:
    """Damage the network in a copy of the engine, as a bad download does."""
    for package in ("engine", "uci"):
        shutil.copytree(own_command.ROOT / package, folder / package)
    shutil.copy(own_command.ROOT / "pyproject.toml", folder)
    file = folder / "engine" / "evaluation" / "nets" / "default.nnue"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    patch.setattr(own_command, "ROOT", folder)


INCOMPLETE = ("cache", "note", "incomplete")


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        (partial(hidden, "numba"), [("numba", "wrong", "No module named 'numba'")]),
        (partial(hidden, "numpy"), [("numpy", "wrong", "No module named 'numpy'")]),
        (partial(hidden, "chess"), [("chess", "wrong", "No module named 'chess'")]),
        (partial(replaced, "numba", "raise OSError('no LLVM')"), [("numba", "wrong", "no LLVM")]),
        (
            partial(replaced, "numpy", "import os; os.abort()"),
            [("numpy", "wrong", "ended with status ")],
        ),
        (interpreted, [("compiler", "wrong", "switched off")]),
        (damaged_code, [INCOMPLETE]),
        (nothing_compiled, [INCOMPLETE]),
        (another_processor, [("processor", "wrong", "code is for generic"), INCOMPLETE]),
        (damaged_network, [("network", "wrong", "checksum"), INCOMPLETE]),
    ],
)
def test_one_thing_is_broken(
    broken: Callable[[Patch, Path], None], expected: Sequence[tuple[str, str, str]],
    before: dict[str, Result], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    broken(monkeypatch, tmp_path)
    results = list(run_apart(CHECKS, WARM_SECONDS))
    assert [result.name for result in results] == [check.name for check in CHECKS]
    for result, (name, status, text) in zip(failures(results, before), expected, strict=True):
        assert (result.name, result.status) == (name, status)
        assert text in result.found
        assert result.fix


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_large_pages_are_refused(before: dict[str, Result]) -> None:
    if before["large pages"].status != "ok":
        pytest.skip("this system gives none anyway")
    libc, disable = ctypes.CDLL(None), 41  # PR_SET_THP_DISABLE, which processes inherit
    assert libc.prctl(disable, 1, 0, 0, 0) == 0
    try:
        (check,) = (check for check in CHECKS if check.name == "large pages")
        (result,) = run_apart([check], WARM_SECONDS)
    finally:
        libc.prctl(disable, 0, 0, 0, 0)
    assert (result.status, result.found) == ("note", "refused")


def test_checks_that_take_too_long() -> None:
    slow, *later = run_apart(CHECKS, 0.01)
    assert (slow.status, slow.found) == ("wrong", "it took more than 0 s")
    assert {(result.status, result.found) for result in later} == {("skipped", DEPENDS)}


def no_memory(*_: object) -> None:
    raise MemoryError


@pytest.mark.parametrize(
    ("place", "value", "name", "status", "found"),
    [
        ("numba.__version__", "0.59.1", "numba", "wrong", "0.59.1"),
        ("numpy.__version__", "1.25.2", "numpy", "wrong", "1.25.2"),
        ("chess.__version__", "1.12.0", "chess", "wrong", "1.12.0"),
        ("engine.jit.kernel.slower", lambda: "slower", "numba", "note", "0."),
        ("llvmlite.binding.get_host_cpu_features", dict, "processor", "note", "neither AVX2"),
        ("engine.jit.kernel.warm", no_memory, "compiler", "wrong", "MemoryError"),
        ("uci.apps.doctor.check_engine.find_spec", lambda _: None, "extras", "note", "not in"),
        ("uci.apps.doctor.check_engine.PERFT", [(*PERFT[0][:2], 20)], "perft", "wrong", " 20"),
        ("uci.apps.doctor.check_engine.CHECK_NODES", 7, "bench", "wrong", " nodes"),
        ("uci.apps.doctor.check_engine.SLOWEST", 0, "speed", "note", "of perft's"),
        ("uci.apps.doctor.check_engine.SLOW_START", 0.0, "warm start", "note", "ready in"),
        ("uci.apps.engines.client.own_command", lambda: [sys.executable, "-c", ""], "warm start",
         "wrong", "has ended"),
    ],
)  # fmt: skip
def test_a_wrong_answer(
    place: str, value: Any, name: str, status: str, found: str, warm: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(place, value)
    (check,) = (check for check in CHECKS if check.name == name)
    result = check.run()
    assert (result.name, result.status) == (name, status)
    assert found in result.found
    assert result.fix


@pytest.mark.parametrize(
    ("version", "specifier", "expected"),
    [
        ("1.9.4", "<1.12,>=1.10", False),
        ("1.11.2", "<1.12,>=1.10", True),
        ("1.12.0", "<1.12,>=1.10", False),
        ("0.60.0rc1", ">=0.60", True),
        ("2.0", "", True),
    ],
)
def test_versions(version: str, specifier: str, expected: bool) -> None:
    assert fits(version, specifier) == expected


def test_a_cold_start_that_goes_wrong(warm: Path, monkeypatch: Patch) -> None:
    assert check_engine.cold_start.run().found.startswith("compiled in ")
    monkeypatch.setattr(check_engine, "CHECK_NODES", 7)
    result = check_engine.cold_start.run()
    assert (result.status, result.found.partition(" ")[2]) == ("wrong", "nodes")
