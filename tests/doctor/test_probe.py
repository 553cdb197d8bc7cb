"""One thing at a time is broken in the doctor's processes, and only its check reports it."""

import ctypes
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.jit.kernel import COMPILED
from helpers.doctor_checks import Patch, again, copied_cache, failures
from helpers.processes import hide
from uci.apps.console import own_command
from uci.apps.doctor import check_search, child_process
from uci.apps.doctor import diagnostics as diagnostics_module
from uci.apps.doctor.diagnostics import Diagnostics, ProbeResults
from uci.apps.doctor.probe import STEPS
from uci.apps.doctor.result import Result

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="there is no numba"),
]


def break_package(package: str, patch: Patch, folder: Path, code: str) -> None:
    """Make our child processes find a ``package`` that runs ``code`` and fails."""
    (folder / f"{package}.py").write_text(code)
    patch.setenv("PYTHONPATH", str(folder))


def no_numba(patch: Patch, folder: Path) -> None:
    patch.setenv("PYTHONPATH", hide("numba", folder))


def broken_numba(patch: Patch, folder: Path) -> None:
    break_package("numba", patch, folder, "raise ImportError('numba needs another numpy')")


def no_numpy(patch: Patch, folder: Path) -> None:
    patch.setenv("PYTHONPATH", hide("numpy", folder))


def crashing_numpy(patch: Patch, folder: Path) -> None:
    break_package("numpy", patch, folder, "import os; os.abort()")


def no_chess(patch: Patch, folder: Path) -> None:
    patch.setenv("PYTHONPATH", hide("chess", folder))


def broken_chess(patch: Patch, folder: Path) -> None:
    break_package("chess", patch, folder, "raise ImportError('chess is cut short')")


def interpreted(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_DISABLE_JIT", "1")


def another_processor(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_CPU_NAME", "generic")
    patch.setenv("NUMBA_CPU_FEATURES", "")


def damaged_code(patch: Patch, folder: Path) -> None:
    for code in copied_cache(patch, folder).glob("engine.board.perft*.code"):
        code.write_bytes(code.read_bytes()[:1000])


def nothing_compiled(patch: Patch, folder: Path) -> None:
    (folder / "home").mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(folder / "home"))


def damaged_network(patch: Patch, folder: Path) -> None:
    """Damage the network in a copy of the engine, as a bad download does."""
    for package in ("engine", "uci"):
        shutil.copytree(own_command.ROOT / package, folder / package)
    file = folder / "engine" / "evaluation" / "nets" / "default.nnue"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    patch.setattr(own_command, "ROOT", folder)


@pytest.mark.parametrize(
    ("broken", "name", "status", "found"),
    [
        (no_numba, "numba", "wrong", "missing"),
        (broken_numba, "numba", "wrong", "broken: numba needs another numpy"),
        (no_numpy, "numpy", "wrong", "missing"),
        (crashing_numpy, "numpy", "wrong", "broken: "),
        (no_chess, "chess", "wrong", "missing"),
        (broken_chess, "chess", "wrong", "broken: chess is cut short"),
        (interpreted, "compiler", "wrong", "switched off"),
        (damaged_code, "cache", "note", "parts are missing or damaged"),
        (nothing_compiled, "cache", "note", "nothing yet"),
    ],
)
def test_one_thing_is_broken_for_all_processes(
    broken: Callable[[Patch, Path], None], name: str, status: str, found: str,
    before: dict[str, Result], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    broken(monkeypatch, tmp_path)
    (check,) = failures(Diagnostics({}), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.fix


def broken_rich(patch: Patch, folder: Path) -> None:
    break_package("rich", patch, folder, "raise ImportError('rich is cut short')")


@pytest.mark.parametrize(
    ("broken", "name", "status", "found"),
    [
        (another_processor, "processor", "wrong", "code is for generic"),
        (damaged_network, "network", "wrong", "checksum"),
        (broken_rich, "extras", "wrong", "rich is broken: rich is cut short"),
    ],
)
def test_one_thing_is_broken_and_nothing_compiled(
    broken: Callable[[Patch, Path], None], name: str, status: str, found: str,
    before: dict[str, Result], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    """With nothing compiled, the fault is found too, and the empty cache is only a note."""
    nothing_compiled(monkeypatch, tmp_path)
    with monkeypatch.context() as patch:
        broken(patch, tmp_path)
        cold, check = sorted(
            failures(Diagnostics({}), before), key=lambda check: check.name != "cache"
        )
    assert (cold.name, cold.status) == ("cache", "note")
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.fix


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_large_pages_are_refused(
    before: dict[str, Result], tmp_path: Path, monkeypatch: Patch
) -> None:
    if before["large pages"].status != "ok":
        pytest.skip("this system gives none anyway")
    nothing_compiled(monkeypatch, tmp_path)
    libc, disable = ctypes.CDLL(None), 41  # PR_SET_THP_DISABLE, which processes inherit
    assert libc.prctl(disable, 1, 0, 0, 0) == 0
    try:
        cold, check = failures(Diagnostics({}), before)
    finally:
        libc.prctl(disable, 0, 0, 0, 0)
    assert (cold.name, cold.status) == ("cache", "note")
    assert (check.name, check.status, check.found) == ("large pages", "note", "refused")


# What the engine answers


@pytest.mark.parametrize(
    ("step", "answer", "name", "status", "found"),
    [
        ("numba", {"version": "0.59.1"}, "numba", "wrong", "0.59.1"),
        ("numpy", {"version": "1.25.2"}, "numpy", "wrong", "1.25.2"),
        ("numpy", {"version": "3.0.0rc1"}, "numpy", "note", "3.0.0rc1"),
        ("chess", {"version": "1.12.0"}, "chess", "wrong", "1.12.0"),
        ("kernels", {"compiled": True, "slower": "slower: it lacks a part"}, "numba", "note", "0."),
        ("processor", {"name": "core2", "features": ["sse2"]}, "processor", "note", "no AVX2"),
        ("load", {"error": "no memory"}, "compiler", "wrong", "no memory"),
        ("perft", [["8/8/8/8/8/8/8/8 w - - 0 1", 5, 20, 19]], "perft", "wrong", "19 instead of 20"),
        ("perft", {"error": "no memory"}, "perft", "wrong", "no memory"),
        ("bench", 123_456, "bench", "wrong", "123,456 nodes"),
        ("speed", [1_000_000, 10_000_000], "speed", "note", "1/10 of perft's"),
    ],
)
def test_a_wrong_answer(
    step: str, answer: object, name: str, status: str, found: str,
    sound: Diagnostics, before: dict[str, Result], monkeypatch: Patch,
) -> None:  # fmt: skip
    if step == "processor":
        monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (check,) = failures(again(sound, **{step: answer}), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.fix


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_crashes(step: str, sound: Diagnostics, before: dict[str, Result]) -> None:
    """However the process ends, one check reports it, and later ones are left out."""
    diagnostics = again(sound)
    kept = {each: sound.probe.steps[each] for each in STEPS[: STEPS.index(step)]}
    diagnostics.probe = ProbeResults(kept, "the process ended with status -11")
    (check,) = failures(diagnostics, before)
    names = {"llvmlite": "numba", "rich": "extras", "jinja2": "extras", "settings": "processor"}
    engine = {"kernels": "compiler", "warm": "compiler", "load": "compiler"}
    assert (check.name, check.status) == ((names | engine).get(step, step), "wrong")
    assert "status -11" in check.found


def test_a_start_that_ends(
    sound: Diagnostics, before: dict[str, Result], monkeypatch: Patch
) -> None:
    diagnostics = Diagnostics({})
    diagnostics.probe = sound.probe
    monkeypatch.setattr(child_process, "own_command", lambda **_: [sys.executable, "-c", ""])
    (check,) = failures(diagnostics, before)
    assert (check.name, check.status) == ("warm start", "wrong")
    assert "ended" in check.found


def test_a_cold_start_that_goes_wrong(sound: Diagnostics, tmp_path: Path) -> None:
    diagnostics = Diagnostics({}, tmp_path)
    for steps, status, found in (
        (sound.probe.steps, "ok", "compiled in"),
        ({**sound.probe.steps, "rich": {"missing": "rich"}}, "ok", "compiled in"),
        ({**sound.probe.steps, "bench": 7}, "wrong", "7 nodes instead of"),
        ({**sound.probe.steps, "load": {"error": "no compiler"}}, "wrong", "no compiler"),
    ):
        diagnostics.cold_probe = ProbeResults(steps, "")
        check = check_search.cold_start.run(diagnostics)
        assert check.status == status
        assert found in check.found


def test_another_process_is_ended_in_time() -> None:
    steps, end = child_process.json_lines("threading", {}, 60)
    assert (steps, "main" in end) == ({}, True)
    assert diagnostics_module.WARM_SECONDS < diagnostics_module.COLD_SECONDS
