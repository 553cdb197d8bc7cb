"""The commands in messages, for each way of installing the engine."""

import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from importlib import util
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from uci.apps.console import extras
from uci.apps.console.extras import install_command, missing, project, reinstall_command

Patch = pytest.MonkeyPatch


def pip(_: Path, __: Patch) -> None:
    pass


def managed(folder: Path, patch: Patch) -> None:
    """Set up Debian's own Python, into which pip installs only with --break-system-packages."""
    (folder / "EXTERNALLY-MANAGED").touch()
    patch.setattr(sys, "base_prefix", str(folder))
    patch.setattr(sysconfig, "get_path", lambda _: str(folder))


def managed_below(folder: Path, patch: Patch) -> None:
    """Set up an environment that was made with Debian's Python."""
    (folder / "EXTERNALLY-MANAGED").touch()
    patch.setattr(sysconfig, "get_path", lambda _: str(folder))


def pipx(folder: Path, _: Patch) -> None:
    (folder / "pipx_metadata.json").touch()


def uv(folder: Path, patch: Patch) -> None:
    (folder / "pyvenv.cfg").write_text("home = /usr\nuv = 0.9.1\n")
    without_pip(patch)


def uv_tool(folder: Path, patch: Patch) -> None:
    (folder / "uv-receipt.toml").touch()
    without_pip(patch)


def uv_with_pip(folder: Path, _: Patch) -> None:
    (folder / "pyvenv.cfg").write_text("uv = 0.9.1\n")


def without_pip(patch: Patch) -> None:
    real = util.find_spec
    patch.setattr(
        "uci.apps.console.extras.find_spec", lambda name: real(name) if name != "pip" else None
    )


@pytest.mark.skipif(sys.platform == "win32", reason="another shell")
@pytest.mark.parametrize(
    ("made", "adds", "again"),
    [
        (pip, "'{python}' -m pip install", None),
        (managed, "'{python}' -m pip install --break-system-packages", None),
        (managed_below, "'{python}' -m pip install", None),
        (pipx, "pipx inject a-name", "pipx runpip a-name install"),
        (uv, "uv pip install --python '{python}'", None),
        (uv_tool, "uv pip install --python '{python}'", None),
        (uv_with_pip, "'{python}' -m pip install", None),
    ],
)
def test_how_packages_are_added(
    made: Callable[[Path, Patch], None],
    adds: str,
    again: str | None,
    tmp_path: Path,
    monkeypatch: Patch,
) -> None:
    """Each command names the running Python, and is quoted for a shell."""
    folder = tmp_path / "a-name"
    folder.mkdir()
    python = folder / "my python"
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(python))
    made(folder, monkeypatch)
    adds = adds.format(python=python)
    again = adds if again is None else again
    assert install_command("a>=1", "b") == f"{adds} 'a>=1' b"
    assert reinstall_command("a>=1,<2") == f"{again} --force-reinstall 'a>=1,<2'"
    assert missing("rich", "tools") == (
        f"rich is missing; install it with: {adds} 'matplotlib>=3.7' 'rich>=13.0'"
    )


def test_a_command_that_is_named_runs(tmp_path: Path) -> None:
    words = install_command("--help").replace("'", "").split()
    if words[0] != sys.executable:
        pytest.skip("this environment has no pip")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "install [options]" in done.stdout


@pytest.mark.parametrize("installed", [True, False])
def test_requirements_are_those_of_the_project(
    installed: bool, root: Path, monkeypatch: Patch
) -> None:
    """Requirements are found from pip's metadata, and without it, as in a one-file build."""
    if not installed:
        monkeypatch.setattr(extras, "installed", lambda: None)
    elif extras.installed() is None:
        pytest.skip("not installed by pip")
    found = project.__wrapped__()
    expected = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert found.python == expected["requires-python"]
    assert found.classifiers == expected["classifiers"]
    needs = {"": found.packages} | found.extras
    wanted = {"": expected["dependencies"]} | expected["optional-dependencies"]
    assert needs.keys() == wanted.keys()
    for extra in wanted:
        assert {*map(Requirement, needs[extra])} == {*map(Requirement, wanted[extra])}
