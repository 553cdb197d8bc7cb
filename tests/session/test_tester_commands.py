"""Commands for engine testers: ``speedtest`` and ``genfens``, with the real engine."""

import re
from pathlib import Path

import chess
import pytest

import uci.session.genfens as genfens_module
import uci.session.speedtest as speedtest_module
from engine.datagen.factory import Settings
from helpers.puppet_session import Client
from uci.chess_io.convert import new_game
from uci.protocol.commands import SetPosition, SpeedTest
from uci.session.speedtest import GAMES, filled_in


def openings(client: Client, line: str) -> list[str]:
    client.say(line)
    client.session.join()
    said, client.wire.lines = client.wire.lines, []
    return [text.removeprefix("info string genfens ") for text in said]


def test_openings_are_those_of_the_seed(real_client: Client) -> None:
    first = openings(real_client, "genfens 6 seed 5 book None")
    real_client.say("position startpos moves e2e4", "go depth 4").until("bestmove")
    assert openings(real_client, "genfens 6 seed 5 book none ignored words") == first
    assert len({*first, *openings(real_client, "genfens 6 seed 6 book None")}) == 12
    plies = Settings().random_plies
    for fen in first:
        board = chess.Board(fen)
        assert board.is_valid()
        assert board.ply() in (plies, plies + 1)


def test_openings_of_a_book(real_client: Client, tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text("# even\n4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - hmvc 0; fmvn 7;\n\n")
    found = openings(real_client, f"genfens 3 seed 1 book {path}")
    assert len(found) == 3
    assert all(chess.Board(fen).fullmove_number > 7 for fen in found)


def test_a_book_without_openings(
    real_client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(genfens_module, "MAX_REJECTED", 5)
    path = tmp_path / "book.epd"
    for content, message in {
        "": "no positions",
        "4k3/8/8/8/8/8/8/QQQ1K3 w - - 0 1\n": "no more openings after 0",
        "no position\n": "FEN",
    }.items():
        path.write_text(content)
        assert message in openings(real_client, f"genfens 2 seed 1 book {path}")[-1]
        assert not real_client.session.completed()
    path.unlink()
    assert "cannot read" in openings(real_client, f"genfens 2 seed 1 book {path}")[-1]


def test_the_games_of_the_speed_test() -> None:
    for game in GAMES:
        played = new_game().after(SetPosition(None, tuple(game.split())))
        assert len(played.moves) > 80


def test_the_defaults_of_the_speed_test() -> None:
    assert filled_in(SpeedTest(), 4) == (4, 512, 150)
    assert filled_in(SpeedTest(2, 64, 10), 4) == (2, 64, 10)


@pytest.mark.slow
def test_a_speed_test(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speedtest_module, "GAMES", ("e2e4 e7e5 g1f3", "d2d4"))
    said = real_client.say("speedtest 2 4 1").until("nodes per second")
    assert [line.split(":")[0] for line in said[:2]] == ["game 1/2", "game 2/2"]
    report = {line[:19].strip(): line[19:] for line in said[2:]}
    assert (report["threads"], report["hash"], report["positions"]) == ("2", "4 MiB", "3")
    nodes = sum(int(found[1]) for line in said if (found := re.search(r": (\d+) nodes", line)))
    assert int(report["nodes"]) == nodes > 1000
    assert 0.9 < float(report["time"].split()[0]) < 60


def test_a_speed_test_ends_when_it_is_stopped(real_client: Client) -> None:
    real_client.say("speedtest 1 1 3600").is_silent()
    assert "was ended" in real_client.say("stop").until("info string")[-1]
