"""Output files appear complete, once all work is done."""

import contextlib
import errno
from io import BytesIO
from pathlib import Path

import pytest

from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.outputs import Outputs, Place, write_text
from uci.errors import UciError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(outputs: Outputs) -> None:
    write_text(outputs.pgn, "games ♘")
    write_text(outputs.json, "{}")


def test_drafts_become_files(tmp_path: Path) -> None:
    place = Place(tmp_path / "new" / "folder", "a")
    with place.open(None) as outputs:
        write(outputs)
        assert names(place.folder) == ["a.analysis.part"]
    assert names(place.folder) == ["a.analysed.pgn", "a.analysis.json"]
    assert place.pgn.read_text(encoding="utf-8") == "games ♘"
    assert place.json.read_text() == "{}"


def test_a_page(tmp_path: Path) -> None:
    place = Place(tmp_path, "a")
    with place.open(None, html=True) as outputs:
        write(outputs)
        write_text(outputs.html, "<p>♘")
    assert names(tmp_path) == ["a.analysed.pgn", "a.analysis.json", "a.html"]
    assert place.html.read_text(encoding="utf-8") == "<p>♘"
    place.json.unlink()
    place.pgn.unlink()
    with pytest.raises(UciError, match=r"a\.html already exists"):
        place.check(json=True, html=True, force=False)
    place.check(json=True, force=False)


def test_a_document_on_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, replace = Place(tmp_path, "a", tmp_path / "b.json"), Path.replace

    def refuse(path: Path, target: Path) -> Path:
        if path.parent == place.part and target == place.json:
            raise OSError(errno.EXDEV, "another file system")
        return replace(path, target)

    with monkeypatch.context() as patch, place.open(None) as outputs:
        write(outputs)
        patch.setattr(Path, "replace", refuse)
    assert names(tmp_path) == ["a.analysed.pgn", "b.json"]
    assert place.json.read_text() == "{}"


def test_json_for_a_stream(tmp_path: Path) -> None:
    stream = BytesIO()
    with Place(tmp_path, "a").open(stream) as outputs:
        write(outputs)
    assert stream.getvalue() == b"{}"
    assert names(tmp_path) == ["a.analysed.pgn"]


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    place = Place(tmp_path, "a")
    place.json.write_text("mine")
    with pytest.raises(UciError, match=r"a\.analysis\.json already exists; use --force"):
        place.check(json=True, force=False)
    place.check(json=False, force=False)
    place.check(json=True, force=True)


def break_off(place: Place, *kept: str) -> None:
    with contextlib.suppress(KeyError), place.open(None) as outputs:
        write(outputs)
        for game in kept:
            assert outputs.journal is not None
            outputs.journal.keep(game, [PositionAnalysis(())])
        raise KeyError


def test_broken_work_keeps_its_records_only(tmp_path: Path) -> None:
    place = Place(tmp_path, "a")
    place.pgn.write_text("old")
    break_off(place)
    assert names(tmp_path) == ["a.analysed.pgn"]
    assert place.pgn.read_text() == "old"
    break_off(place, "game")
    assert names(tmp_path) == ["a.analysed.pgn", "a.analysis.part"]
    with place.open(None) as outputs:
        assert outputs.journal is not None
        assert outputs.journal.read("game") == [PositionAnalysis(())]
        write(outputs)
    assert names(tmp_path) == ["a.analysed.pgn", "a.analysis.json"]


def test_without_a_game_records_stay(tmp_path: Path) -> None:
    place = Place(tmp_path, "a")
    break_off(place, "game")
    with place.open(None) as outputs:
        write_text(outputs.json, "{}")
    assert names(tmp_path) == ["a.analysis.part"]
    assert place.journal.keys() == {"game"}


def test_broken_off_between_the_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If only one file was put in its place, the same command can resume."""
    place, replace = Place(tmp_path, "a"), Path.replace

    def fail_at_json(path: Path, target: Path) -> Path:
        if target.suffix == ".json":
            raise OSError
        return replace(path, target)

    with monkeypatch.context() as patch, pytest.raises(OSError), place.open(None) as outputs:  # noqa: PT011, PT012
        assert outputs.journal is not None
        outputs.journal.keep("game", [PositionAnalysis(())])
        write(outputs)
        patch.setattr(Path, "replace", fail_at_json)
    assert place.pgn.exists()
    place.check(json=True, force=False)
    with place.open(None) as outputs:
        write(outputs)
    assert names(tmp_path) == ["a.analysed.pgn", "a.analysis.json"]


def test_broken_off_while_it_tidies_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If all files are in their place, the same command does not start over without its journal."""
    place = Place(tmp_path, "a")

    def fail(folder: Path, **_: object) -> None:
        (folder / "records").rmdir()
        raise KeyError

    with monkeypatch.context() as patch, pytest.raises(KeyError), place.open(None) as outputs:  # noqa: PT012
        (place.part / "records").mkdir()
        write(outputs)
        patch.setattr("shutil.rmtree", fail)
    with pytest.raises(UciError, match="already exists"):
        place.check(json=True, force=False)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    place = Place(tmp_path, "a")
    with place.open(None) as outputs:
        with pytest.raises(UciError, match="another process is writing"), place.open(None):
            pass
        write(outputs)
    assert names(tmp_path) == ["a.analysed.pgn", "a.analysis.json"]
