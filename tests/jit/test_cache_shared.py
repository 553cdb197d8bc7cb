"""Compiled code that several processes share, one after the other and all at once."""

import json
import subprocess
import time
from collections.abc import Callable
from importlib import util
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.processes import environment, result, start
from helpers.tiny_engine import tiny_engine

pytestmark = [
    pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed"),
]

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def tiny(home: Path) -> Start:
    """Return a function that starts a `tiny_engine` with more variables in its environment."""

    def run_tiny(package: Path, **more: str) -> subprocess.Popen[str]:
        return start(package, "import engine.tiny", environment(home, **more))

    return run_tiny


@pytest.mark.slow
def test_two_revisions_that_play_each_other_never_recompile(
    root: Path, tmp_path: Path, tiny: Start
) -> None:
    revisions = [tiny_engine(root, tmp_path / name, comment=name) for name in ("one", "two")]
    reports = [json.loads(result(tiny(revision))) for _ in range(2) for revision in revisions]
    assert {report["answer"] for report in reports} == {42}
    assert len({report["folder"] for report in reports}) == 2
    assert [report["compiled"] for report in reports] == [1, 1, 0, 0]
    assert [report["loaded"] for report in reports] == [0, 0, 1, 1]


@pytest.mark.slow
def test_of_several_started_cold_one_compiles(root: Path, tmp_path: Path, tiny: Start) -> None:
    package = tiny_engine(root, tmp_path / "one")
    processes = [tiny(package) for _ in range(4)]
    reports = [json.loads(result(process)) for process in processes]
    assert sorted(report["compiled"] for report in reports) == [0, 0, 0, 1]
    assert len({report["folder"] for report in reports}) == 1
    assert cache.is_complete(Path(reports[0]["folder"]), [])


@pytest.mark.slow
def test_an_edit_in_an_imported_file_recompiles(root: Path, tmp_path: Path, tiny: Start) -> None:
    package = tiny_engine(root, tmp_path / "one")
    assert json.loads(result(tiny(package)))["compiled"] == 1
    assert json.loads(result(tiny(package)))["compiled"] == 0
    with (package / "engine" / "__init__.py").open("a") as file:
        file.write("# edited\n")
    assert json.loads(result(tiny(package)))["compiled"] == 1


@pytest.mark.slow
def test_another_takes_over_from_the_killed(root: Path, tmp_path: Path, tiny: Start) -> None:
    package = tiny_engine(root, tmp_path / "one")
    with tiny(package, STALL="1") as first:
        assert first.stdout
        assert first.stdout.readline() == "compiling\n"
        second = tiny(package)
        first.kill()
    assert json.loads(result(second))["compiled"] == 1


@pytest.mark.slow
def test_where_nothing_can_be_kept_all_compile(
    root: Path, tmp_path: Path, home: Path, tiny: Start
) -> None:
    """Without a usable cache all processes compile, and leave no files, not even temporary ones."""
    (home / "pythagoras").touch()  # a file where a folder should be
    (tmp_path / "tmp").mkdir()
    package = tiny_engine(root, tmp_path / "one")
    for _ in range(2):
        report = json.loads(result(tiny(package, TMPDIR=str(tmp_path / "tmp"))))
        assert (report["answer"], report["compiled"], report["folder"]) == (42, 1, "None")
    assert not any((tmp_path / "tmp").iterdir())


@pytest.mark.slow
def test_another_processor_compiles_for_itself(
    root: Path, tmp_path: Path, home: Path, tiny: Start
) -> None:
    """In a home that two machines share, another processor compiles with the lock and a notice."""
    package = tiny_engine(root, tmp_path / "one")
    for cpu in ("nehalem", "haswell"):
        for compiled, told in ((1, ["triple", ""]), (0, [])):
            report = json.loads(result(tiny(package, CPU=cpu)))
            assert (report["compiled"], report["told"]) == (compiled, told), cpu


@pytest.mark.slow
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"", bytes])
def test_damaged_code_is_compiled_anew(
    damage: Callable[[bytes], bytes], root: Path, tmp_path: Path, home: Path, tiny: Start
) -> None:
    package = tiny_engine(root, tmp_path / "one")
    result(tiny(package))
    files = list((home / "pythagoras").rglob("*.code"))
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    if damage is bytes:  # a single bit
        data = bytearray(files[0].read_bytes())
        data[len(data) // 2] ^= 1
        files[0].write_bytes(data)
    assert [json.loads(result(tiny(package)))["compiled"] for _ in range(2)] == [1, 0]


@pytest.mark.external
def test_killed_at_any_moment(root: Path, tmp_path: Path, tiny: Start) -> None:
    package = tiny_engine(root, tmp_path / "one")
    delay = 0.2
    finished = False
    while not finished:
        with tiny(package) as process:
            time.sleep(delay)
            finished = process.poll() is not None
            process.kill()
        delay *= 1.3
    report = json.loads(result(tiny(package)))
    assert report["answer"] == 42
    assert report["compiled"] == 0
