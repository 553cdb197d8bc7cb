"""The name of the folder for compiled code: what changes it, and what does not."""

import os
import platform
import shutil
import sys
import zipfile
from importlib import metadata, util
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.processes import environment, run
from helpers.tiny_engine import tiny_engine


def copy_engine(root: Path, to: Path) -> Path:
    shutil.copytree(root / "engine", to / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    return to


@pytest.mark.slow
def test_an_edit_in_any_source_is_noticed(root: Path, tmp_path: Path, home: Path) -> None:
    package = copy_engine(root, tmp_path / "copy")
    code = """
        import pathlib
        from engine.jit import cache
        names, first, lab = set(), cache.digest(), cache.digest(everything=True)
        engine = pathlib.Path(cache.__file__).parents[1]
        sources = sorted(engine.rglob("*.py"))
        apart = {*engine.glob("lab/**/*.py"), *engine.glob("custom/**/*.py")}
        for source in sources:
            content = source.read_bytes()
            source.write_bytes(content + b"#")
            assert (cache.digest() == first) == (source in apart)
            assert cache.digest(everything=True) != lab
            names.add(cache.digest())
            source.write_bytes(content)
            assert (cache.digest(), cache.digest(everything=True)) == (first, lab)
        (sources[0].parent / "board" / "one_more.py").touch()
        names.add(cache.digest())
        print(len(sources) - len(apart) + 2, len(names | {first}))
    """
    expected, different = run(package, "if True:" + code, environment(home)).split()
    assert int(expected) > 10
    assert different == expected


@pytest.mark.slow
@pytest.mark.skipif(util.find_spec("numba") is None, reason="numba is not installed")
def test_an_edit_in_a_kernel_elsewhere_is_noticed(root: Path, tmp_path: Path, home: Path) -> None:
    """An edited kernel outside the engine, as in tests, is noticed without another folder."""
    package = tiny_engine(root, tmp_path / "one")
    elsewhere = "from engine.jit.kernel import entry\n\n@entry('i8')\ndef after(x): return x + {}\n"
    for step in (1, 22, 22):  # of different lengths, which Python's own cache notices
        (package / "elsewhere.py").write_text(elsewhere.format(step))
        found = run(package, "from elsewhere import after; print(after(5))", environment(home))
        assert int(found) == 5 + step
    assert len(list((home / "pythagoras").rglob("*.code"))) == 2


@pytest.mark.slow
def test_the_name_covers_all_that_playing_loads(root: Path) -> None:
    """The name covers all modules that play loads, or an edit would run old machine code."""
    code = """if True:
        import sys
        import uci.session.backend
        uci.session.backend.load(print)
        from engine.jit import cache
        for name, module in sys.modules.items():
            if name.startswith("engine."):
                path = module.__file__.replace("\\\\", "/").rsplit("/engine/", 1)[1]
                assert not path.startswith(cache._APART), path
        print("fine")
    """
    assert run(root, code, dict(os.environ)).endswith("fine")


def test_a_package_inside_a_zip_has_a_name_too(root: Path, tmp_path: Path, home: Path) -> None:
    names = set()
    for edit in ("", "#"):
        with zipfile.ZipFile(tmp_path / "engine.zip", "w") as file:
            for source in (root / "engine").rglob("*.py"):
                content = source.read_text(encoding="utf-8")
                file.writestr(str(source.relative_to(root)), content + edit)
        code = "from engine.jit import cache; print(cache.digest()); cache.folder()"
        names.add(run(tmp_path / "engine.zip", code, environment(home)))
    assert len(names) == 2
    assert names <= {path.name for path in (home / "pythagoras").iterdir()}


def test_settings_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    first = cache.digest()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    assert cache.digest() == first
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    second = cache.digest()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    third = cache.digest()
    monkeypatch.setenv("PYTHAGORAS_TUNE", "1")
    assert len({first, second, third, cache.digest()}) == 4


def test_a_file_of_settings_is_part_of_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings that numba reads from the working directory change the folder's name."""
    monkeypatch.chdir(tmp_path)
    names, file = {cache.digest()}, tmp_path / ".numba_config.yaml"
    for content in ("opt: 0", "boundscheck: 1"):
        file.write_text(content)
        names.add(cache.digest())
    assert len(names) == 3
    file.unlink()
    file.mkdir()
    assert cache.digest() in names


@pytest.mark.parametrize("package", ["numba", "numpy", "llvmlite"])
def test_versions_are_part_of_the_name(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, version = cache.digest(), metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: version(name) + "+" * (name == package))
    assert cache.digest() != first


def test_python_and_the_machine_are_part_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {cache.digest()}
    monkeypatch.setattr(sys, "version", "3.99")
    names.add(cache.digest())
    monkeypatch.setattr(platform, "machine", lambda: "abacus")
    names.add(cache.digest())
    assert len(names) == 3


def test_the_cache_needs_no_numba(root: Path) -> None:
    code = "from engine.jit import cache; cache.digest(); print('numba' in sys.modules)"
    assert run(root, code, dict(os.environ)) == "False"
