"""``pythagoras doctor``: each thing is broken alone, and its check alone tells."""

import ctypes
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import uci
from engine.jit import cache
from engine.jit.kernel import COMPILED, TESTED_VERSIONS
from helpers.client import PYTHAGORAS, run
from helpers.networks import random_net
from helpers.processes import hide
from uci.doctor import findings as findings_module
from uci.doctor import machine, own_process, starts
from uci.doctor.check import Check
from uci.doctor.examination import CHECKS, examine
from uci.doctor.findings import Findings, Probed
from uci.doctor.installed import TRIED
from uci.doctor.layout import lines
from uci.doctor.own_files import DISTRIBUTION
from uci.doctor.path_clashes import OURS
from uci.doctor.probe import STEPS
from uci.doctor.surroundings import EXTRAS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="there is no numba"),
]

Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A start may take as long as it does beside other tests."""
    with Patch.context() as patch:
        patch.setattr(starts, "LATE", math.inf)
        yield


@pytest.fixture(scope="module")
def sound(warm: Path) -> Findings:
    """What is found while nothing is broken, at a speed of which other tests take nothing."""
    findings = Findings({})
    nodes, leaves = findings.probe.step("speed")
    assert 0 < nodes < leaves
    findings.probe = Probed({**findings.probe.steps, "speed": [1_000_000, 170_000_000]}, "")
    return findings


@pytest.fixture(scope="module")
def before(sound: Findings) -> dict[str, Check]:
    """What each check told of it."""
    found = {check.name: check for check in examine(sound)}
    assert len(found) == len(CHECKS)
    assert [check for check in found.values() if check.status == "wrong"] == []
    return found


def told(findings: Findings, before: dict[str, Check]) -> Iterator[Check]:
    """Yield what is wrong or noted, and was not while nothing was broken."""
    for check in examine(findings):
        was = before.get(check.name)
        if check.status in ("wrong", "note") and (was is None or was.status != check.status):
            yield check


def again(sound: Findings, **steps: object) -> Findings:
    """Return findings as found before, but for what some steps of the probe told."""
    findings = Findings({})
    findings.probe = Probed({**sound.probe.steps, **steps}, "")
    findings.start = sound.start
    return findings


def break_package(package: str, patch: Patch, folder: Path, code: str) -> None:
    """Have processes of ours find a ``package`` that runs ``code`` and fails."""
    (folder / f"{package}.py").write_text(code)
    patch.setenv("PYTHONPATH", str(folder))


def copied_cache(patch: Patch, folder: Path) -> Path:
    """Copy the compiled code into another cache directory, and use that; return its folder."""
    ours = cache.open_folder()
    home = folder / "home"
    home.mkdir(mode=0o700)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(home))
    copy = cache.open_folder()
    shutil.copytree(ours, copy, dirs_exist_ok=True)
    return copy


# What the checks look at themselves


def old_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "version_info", (3, 10, 4, "final", 0))


def new_python(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "version_info", (3, 99, 0, "final", 0))


def ascii_terminal(patch: Patch, _: Path) -> None:
    patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))


def little_memory(patch: Patch, folder: Path) -> None:
    (folder / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  300000 kB\n")
    patch.setattr(machine, "MEMINFO", folder / "meminfo")


def small_container(patch: Patch, folder: Path) -> None:
    (folder / "memory.max").write_text(f"{512 << 20}\n")
    (folder / "memory.current").write_text(f"{200 << 20}\n")
    patch.setattr(machine, "GROUP", folder)


def open_cache(patch: Patch, folder: Path) -> None:
    copied_cache(patch, folder).parent.chmod(0o777)


def no_cache(patch: Patch, folder: Path) -> None:
    (folder / "pythagoras").write_text("a file where the folder should be")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        patch.setenv(name, str(folder))


def full_disk(patch: Patch, _: Path) -> None:
    usage = type(shutil.disk_usage("/"))(100 << 30, (100 << 30) - 1000, 1000)
    patch.setattr(shutil, "disk_usage", lambda _: usage)


def numba_settings(patch: Patch, _: Path) -> None:
    patch.setenv("NUMBA_OPT", "0")


def settings_file(patch: Patch, folder: Path) -> None:
    (folder / ".numba_config.yaml").write_text("opt: 0\n")
    patch.chdir(folder)


def changed_file(patch: Patch, folder: Path) -> None:
    """As pip has noted it, the sources are others."""
    (folder / "uci").symlink_to(own_process.ROOT / "uci")
    info = folder / f"{DISTRIBUTION.replace('-', '_')}-{uci.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {DISTRIBUTION}\nVersion: {uci.__version__}\n")
    (info / "RECORD").write_text("uci/__init__.py,sha256=AAAA,3\nuci/none.py,sha256=AAAA,3\n")
    patch.syspath_prepend(folder)


def slow_start(patch: Patch, _: Path) -> None:
    patch.setattr(starts, "LATE", 0.0)


@pytest.mark.parametrize(
    ("broken", "name", "status", "found"),
    [
        (old_python, "Python", "wrong", "3.10.4"),
        (new_python, "Python", "note", "3.99.0"),
        (changed_file, "files", "wrong", "uci/__init__.py and 1 more"),
        (ascii_terminal, "terminal", "wrong", "ascii"),
        (little_memory, "memory", "wrong", "292 MB"),
        (small_container, "memory", "wrong", "312 MB"),
        (open_cache, "cache folder", "wrong", "others can write to"),
        (no_cache, "cache folder", "wrong", "pythagoras"),
        (full_disk, "cache folder", "wrong", "0.0 GB free"),
        (numba_settings, "settings", "note", "NUMBA_OPT=0"),
        (settings_file, "settings", "note", ".numba_config.yaml"),
        (slow_start, "warm start", "note", "ready"),
    ],
)
def test_one_thing_is_broken(
    broken: Callable[[Patch, Path], None], name: str, status: str, found: str,
    sound: Findings, before: dict[str, Check], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        broken(patch, tmp_path)
        (check,) = told(again(sound), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.mend


def test_files_that_were_read_take_no_memory(tmp_path: Path, monkeypatch: Patch) -> None:
    small_container(monkeypatch, tmp_path)
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "none")
    (tmp_path / "memory.current").write_text(f"{500 << 20}\n")
    assert machine.available() == 12
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {300 << 20}\nfile 9\n")
    assert machine.available() == 312


@pytest.mark.parametrize("columns", [1, 20, 40])
def test_a_narrow_terminal(columns: int) -> None:
    check = Check("memory", "wrong", "300 MB free", "500 MB to compile", "end other programs")
    assert "".join("".join(lines(check, columns)).split()).count("free") == 1


@pytest.mark.parametrize("package", OURS)
def test_another_package_of_our_name(
    package: str, sound: Findings, before: dict[str, Check], tmp_path: Path, monkeypatch: Patch
) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    (check,) = told(again(sound), before)
    assert (check.name, check.status) == ("packages", "wrong")
    assert check.found == str(tmp_path / package)


# What the probe finds, in a process where it is broken


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
    """In a copy of the engine, as after a bad download."""
    for package in ("engine", "uci"):
        shutil.copytree(own_process.ROOT / package, folder / package)
    file = folder / "engine" / "evaluation" / "nets" / "default.nnue"
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    patch.setattr(own_process, "ROOT", folder)


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
    before: dict[str, Check], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    broken(monkeypatch, tmp_path)
    (check,) = told(Findings({}), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.mend


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
    before: dict[str, Check], tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    """Other code, which is not there yet; or no code, since it has no part in this."""
    nothing_compiled(monkeypatch, tmp_path)
    with monkeypatch.context() as patch:
        broken(patch, tmp_path)
        cold, check = sorted(told(Findings({}), before), key=lambda check: check.name != "cache")
    assert (cold.name, cold.status) == ("cache", "note")
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.mend


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has them")
def test_large_pages_are_refused(
    before: dict[str, Check], tmp_path: Path, monkeypatch: Patch
) -> None:
    if before["large pages"].status != "ok":
        pytest.skip("this system gives none anyway")
    nothing_compiled(monkeypatch, tmp_path)
    libc, disable = ctypes.CDLL(None), 41  # PR_SET_THP_DISABLE, which processes inherit
    assert libc.prctl(disable, 1, 0, 0, 0) == 0
    try:
        cold, check = told(Findings({}), before)
    finally:
        libc.prctl(disable, 0, 0, 0, 0)
    assert (cold.name, cold.status) == ("cache", "note")
    assert (check.name, check.status, check.found) == ("large pages", "note", "refused")


# What the engine answers


@pytest.mark.parametrize(
    ("step", "answer", "name", "status", "found"),
    [
        ("numba", {"version": "0.59.1"}, "numba", "wrong", "0.59.1"),
        ("numba", {"version": "0.99.0"}, "numba", "note", "0.99.0"),
        ("numpy", {"version": "1.25.2"}, "numpy", "wrong", "1.25.2"),
        ("numpy", {"version": "3.0.0rc1"}, "numpy", "note", "3.0.0rc1"),
        ("chess", {"version": "1.12.0"}, "chess", "wrong", "1.12.0"),
        ("kernels", {"compiled": True, "slower": "slower: it lacks a part"}, "numba", "note", "0."),
        ("processor", {"name": "core2", "features": ["sse2"]}, "processor", "note", "no AVX2"),
        ("load", {"error": "no memory"}, "compiler", "wrong", "no memory"),
        ("perft", [["8/8/8/8/8/8/8/8 w - - 0 1", 5, 20, 19]], "perft", "wrong", "19 for 20"),
        ("perft", {"error": "no memory"}, "perft", "wrong", "no memory"),
        ("bench", 123_456, "bench", "wrong", "123,456 nodes"),
        ("speed", [1_000_000, 10_000_000], "speed", "note", "1/10 of perft's"),
    ],
)
def test_a_wrong_answer(
    step: str, answer: object, name: str, status: str, found: str,
    sound: Findings, before: dict[str, Check], monkeypatch: Patch,
) -> None:  # fmt: skip
    if step == "processor":
        monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (check,) = told(again(sound, **{step: answer}), before)
    assert (check.name, check.status) == (name, status)
    assert found in check.found
    assert check.mend


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_crashes(step: str, sound: Findings, before: dict[str, Check]) -> None:
    """One check tells, whatever ends the process; those behind it are left out."""
    findings = again(sound)
    kept = {each: sound.probe.steps[each] for each in STEPS[: STEPS.index(step)]}
    findings.probe = Probed(kept, "the process ended with status -11")
    (check,) = told(findings, before)
    names = {"llvmlite": "numba", "rich": "extras", "jinja2": "extras", "settings": "processor"}
    engine = {"kernels": "compiler", "warm": "compiler", "load": "compiler"}
    assert (check.name, check.status) == ((names | engine).get(step, step), "wrong")
    assert "status -11" in check.found


def test_a_start_that_ends(sound: Findings, before: dict[str, Check], monkeypatch: Patch) -> None:
    findings = Findings({})
    findings.probe = sound.probe
    monkeypatch.setattr(own_process, "command", lambda _: [sys.executable, "-c", ""])
    (check,) = told(findings, before)
    assert (check.name, check.status) == ("warm start", "wrong")
    assert "ended" in check.found


def test_a_check_that_fails_itself(
    sound: Findings, before: dict[str, Check], monkeypatch: Patch
) -> None:
    def check_memory(_: Findings) -> Check:
        raise RuntimeError("a bug")

    checks = [check_memory if check is machine.check_memory else check for check in CHECKS]
    monkeypatch.setattr("uci.doctor.examination.CHECKS", checks)
    (check,) = told(again(sound), before)
    assert (check.name, check.status, check.found) == ("memory", "wrong", "RuntimeError: a bug")


# Files that options name


def option_files(folder: Path) -> dict[str, tuple[str, str]]:
    """Return values of options, good and bad."""
    (folder / "empty").mkdir()
    (folder / "text").write_text("no book, no network")
    book = folder / "book.bin"
    book.write_bytes(bytes(16))
    from engine.evaluation.network import serialise

    (folder / "net").write_bytes(serialise(random_net(1)))
    return {
        "Book File": (str(book), str(folder / "none")),
        "EvalFile": (str(folder / "net"), str(folder / "text")),
        "Debug Log File": (str(folder / "log"), str(folder / "none" / "log")),
        "SyzygyPath": ("", str(folder / "empty")),
        "Hash": ("64", "much"),
        "Nonsense": ("", "1"),
    }


@pytest.mark.parametrize(
    "name", ["Book File", "EvalFile", "Debug Log File", "SyzygyPath", "Hash", "Nonsense"]
)
def test_files_that_options_name(
    name: str, sound: Findings, before: dict[str, Check], tmp_path: Path
) -> None:
    values = option_files(tmp_path)
    values["SyzygyPath"] = ("<empty>", values["SyzygyPath"][1])  # as chess programs write it
    good = {other: good for other, (good, _) in values.items() if other not in (name, "Nonsense")}
    findings = again(sound)
    findings.given = {**good, name: values[name][1]}
    assert len(list(examine(findings))) == len(CHECKS) + len(findings.given)
    (check,) = told(findings, before)
    assert (check.name, check.status) == (name, "wrong")
    assert check.mend


# The command


def test_what_it_prints(warm: Path, before: dict[str, Check]) -> None:
    done = run(warm, "doctor")
    assert (done.returncode, done.stderr) == (0, "")
    *checks, verdict, line = done.stdout.splitlines()
    assert [name for name in before if not any(row[6:].startswith(name) for row in checks)] == []
    assert verdict.startswith("This installation is sound")
    for part in (f"Pythagoras {uci.__version__}", "numba 0.", "numpy ", "chess 1.", "nps 1/"):
        assert part in line
    assert line.endswith("wrong: nothing") or "wrong: nothing; notes: " in line


def test_json_and_the_exit_status(root: Path, before: dict[str, Check], tmp_path: Path) -> None:
    """With a rich that is broken, too."""
    (tmp_path / "rich.py").write_text("raise ImportError('rich is cut short')\n")
    words = ["doctor", "--json", "--option", f"Book File={tmp_path / 'none'}"]
    settings = dict.fromkeys(("PYTHONPATH", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(tmp_path))
    done = run(root, *words, **settings)
    assert (done.returncode, done.stderr) == (1, "")
    document = json.loads(done.stdout)
    assert not document["sound"]
    assert [check["name"] for check in document["checks"]] == [*before, "Book File"]
    for check in document["checks"]:
        assert check.keys() == {"name", "status", "found", "wanted", "mend"}
        assert check["found"]
        assert check["wanted"]
        assert bool(check["mend"]) == (check["status"] in ("wrong", "note"))
    wrong = [check["name"] for check in document["checks"] if check["status"] == "wrong"]
    assert wrong == ["extras", "Book File"]
    assert "wrong: extras, Book File" in document["line"]
    for place in (tmp_path, root, Path.home(), Path(sys.prefix)):
        assert str(place) not in document["line"]
    assert os.path.sep + "tmp" not in document["line"]


def test_a_reader_that_has_enough(warm: Path) -> None:
    with subprocess.Popen(
        [*PYTHAGORAS, "doctor"], cwd=warm, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith("ok    Python")
        process.stdout.close()
        assert process.stderr.read() == ""


def test_long_texts_are_folded() -> None:
    text = " ".join(["word"] * 40)
    rows = lines(Check("Debug Log File", "wrong", text, text, text), 80)
    assert max(map(len, rows)) <= 80
    assert rows[0].startswith("WRONG Debug Log File word ")
    assert " ".join(rows).count("word") == 120
    assert sum(row.strip().startswith("> ") for row in rows) == 1


def test_options_without_a_value(root: Path) -> None:
    done = run(root, "doctor", "--option", "Hash")
    assert done.returncode == 2
    assert "NAME=VALUE" in done.stderr


@pytest.mark.long
def test_cold(warm: Path) -> None:
    """It compiles somewhere else, and leaves nothing there, nor anything new at home."""
    kept = sorted(cache.open_folder().iterdir())
    done = run(warm, "doctor", "--cold")
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = [row for row in done.stdout.splitlines() if row[6:].startswith("cold start")]
    assert row.startswith("ok")
    assert "compiled in" in row
    assert sorted(cache.open_folder().iterdir()) == kept


def test_a_cold_start_that_goes_wrong(sound: Findings, tmp_path: Path) -> None:
    findings = Findings({}, tmp_path)
    for steps, status, found in (
        (sound.probe.steps, "ok", "compiled in"),
        ({**sound.probe.steps, "rich": {"missing": "rich"}}, "ok", "compiled in"),
        ({**sound.probe.steps, "bench": 7}, "wrong", "7 nodes for"),
        ({**sound.probe.steps, "load": {"error": "no compiler"}}, "wrong", "no compiler"),
    ):
        findings.cold_probe = Probed(steps, "")
        check = starts.check_cold_start(findings)
        assert check.status == status
        assert found in check.found


def test_what_was_tried_is_told_once(root: Path) -> None:
    """The same as in the kernel's list, and as pip is asked for."""
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    assert TRIED["numba"] == (TESTED_VERSIONS[0], TESTED_VERSIONS[-1])
    for name in ("numba", "numpy"):
        assert f'"{name}>={TRIED[name][0]}"' in project
    assert f'"chess>={TRIED["chess"][0]},<1.12"' in project
    assert f'requires-python = ">={TRIED["python"][0]}"' in project
    extras = tomllib.loads(project)["project"]["optional-dependencies"]
    needs = {name: [need.partition(">")[0] for need in extras[name]] for name in EXTRAS}
    assert {name: sorted(need) for name, need in EXTRAS.items()} == {
        name: sorted(need.replace("-", "_") for need in found) for name, found in needs.items()
    }
    tried = [row.split('"')[1] for row in project.splitlines() if "Python :: 3." in row]
    assert [row.split()[-1] for row in (tried[0], tried[-1])] == [*TRIED["python"]]


def test_another_process_is_ended_in_time() -> None:
    steps, end = own_process.steps_of("threading", {}, 60)
    assert (steps, "main" in end) == ({}, True)
    assert findings_module.WARM_SECONDS < findings_module.COLD_SECONDS
