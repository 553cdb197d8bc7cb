"""The places of a user's cache and saved files on each system."""

from pathlib import Path

import pytest

from engine.user_folders import cache_folder, cache_variable, state_folder

DEFAULTS = {
    "linux": (".cache", ".local/state"),
    "freebsd14": (".cache", ".local/state"),
    "darwin": ("Library/Caches", "Library/Application Support"),
    "win32": ("AppData/Local", "AppData/Local"),
}


@pytest.mark.parametrize("system", DEFAULTS)
def test_folders_of_a_home(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, "not/absolute")
    cache, state = DEFAULTS[system]
    assert cache_folder() == tmp_path / cache / "pythagoras"
    assert state_folder("games") == tmp_path / state / "pythagoras" / "games"


@pytest.mark.parametrize("system", DEFAULTS)
def test_folders_that_are_named(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", system)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / (name if system != "win32" else "nobody")))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    cache, state = ("local",) * 2 if system == "win32" else ("XDG_CACHE_HOME", "XDG_STATE_HOME")
    assert cache_folder() == tmp_path / cache / "pythagoras"
    assert state_folder("games") == tmp_path / state / "pythagoras" / "games"
    monkeypatch.setenv(cache_variable(), str(tmp_path / "another"))
    assert cache_folder() == tmp_path / "another" / "pythagoras"


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_page_names_the_folders(
    system: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has the folders of each system, and the variables that move them."""
    page = (root / "uci" / "cli" / "README.md").read_text(encoding="utf-8")
    table = page.split("## Files")[1].split("## Uninstalling")[0]
    column = 2 + ("linux", "darwin", "win32").index(system)
    cells = [row.split("|")[column].strip(" `") for row in table.splitlines() if "|" in row]
    monkeypatch.setattr("sys.platform", system)
    home = Path("/home/user")
    monkeypatch.setattr(Path, "home", lambda: home)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for folder in (cache_folder(), state_folder("play")):
        place = f"~/{folder.relative_to(home).as_posix()}"
        if system == "win32":
            place = place.replace("~/AppData/Local", "%LOCALAPPDATA%").replace("/", "\\")
        assert place in cells
    assert cache_variable() in cells


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    for find in (cache_folder, lambda: state_folder("games")):
        with pytest.raises(RuntimeError):
            find()
