"""Checks of the files that clients write: saved games and logs; missing programs."""

from pathlib import Path

import pytest

from scripts.clients import run
from scripts.clients.workplace import Failed, Workplace, run_to_end, whole_game

MATE = '[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


def saved(folder: Path, text: str) -> Path:
    file = folder / "game.pgn"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_whole_game(tmp_path: Path) -> None:
    assert whole_game(saved(tmp_path, MATE)) == "0-1 by checkmate in 2 moves"


@pytest.mark.parametrize(
    "text",
    [
        "",
        MATE.replace("0-1", "1-0"),
        MATE.replace("Qh4#", "Qh4# 3. Kd1"),
        MATE.replace(" 2. g4 Qh4#", ""),
        MATE.replace("0-1", "*"),
    ],
    ids=["empty", "another result", "an illegal move", "broken off", "unfinished"],
)
def test_what_is_no_whole_game(tmp_path: Path, text: str) -> None:
    with pytest.raises(Failed):
        whole_game(saved(tmp_path, text))


def test_a_client_that_never_ends_is_ended(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run_to_end(["sh", "-c", "echo said; exit 3"], tmp_path, {}, log, 60) == 3
    assert log.read_text("utf-8") == "said\n"
    with pytest.raises(Failed, match="not finished within 0 s"):
        run_to_end(["sh", "-c", "sleep 1000 & wait"], tmp_path, {}, log, 0.1)


def test_what_is_missing_fails_only_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(place: Workplace) -> str:
        return str(place.clone("no-such-program"))

    def failing(place: Workplace) -> str:
        raise Failed("an illegal move")

    clients = {"missing": missing, "failing": failing, "served": lambda place: "a game"}
    monkeypatch.setattr(run, "CLIENTS", clients)
    place = Workplace(tmp_path, tmp_path, None)
    assert run.try_all(["missing", "served"], place, required=False) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [
        "missing: not run: set SOURCES= to a folder with a clone of no-such-program",
        "served: a game",
    ]
    assert said[2].startswith("1 passed, 0 failed, 1 not run")
    assert run.try_all(["missing", "served"], place, required=True) == 1
    assert run.try_all(["failing", "served"], place, required=False) == 1
