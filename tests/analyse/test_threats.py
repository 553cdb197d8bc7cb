"""Threats: the opponent's line after a pass, where it is one, from the search to the outputs."""

import io
import json
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from engine.jit.kernel import COMPILED
from helpers.command import call
from helpers.documents import random_games
from helpers.inline_executor import Inline, analyse_inline, stop_after
from uci.apps.analyse.analysis_settings import threat_limit_of
from uci.apps.analyse.analyst import (
    OPTIONS,
    Chunk,
    PositionAnalysis,
    analyse_backwards,
    search_threats,
    threat_requests,
)
from uci.apps.analyse.lichess import THRESHOLDS
from uci.apps.analyse.threats import threat_in
from uci.apps.engines.client import OURS, EngineClient
from uci.apps.games.passing import after_pass
from uci.protocol.scored_line import ScoredLine

OPERA = "rn1qkbnr/ppp2ppp/8/4p3/2B1P3/5Q2/PPP2PPP/RNB1K2R b KQkq - 1 6"
"""White threatens Qxf7#."""

FORK = "4k3/8/8/3n4/4P3/8/8/4K3 b - - 0 1"
"""White threatens exd5."""


def test_a_pass_ends_en_passant() -> None:
    board = chess.Board("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1")
    assert after_pass(board).fen() == "4k3/8/8/8/3pP3/8/8/4K3 w - - 1 2"
    assert board.ep_square == chess.E3


def test_positions_in_which_a_move_was_made_are_searched_after_a_pass() -> None:
    chunk = Chunk(chess.STARTING_FEN, ("f2f4", "e7e5", "g2g4", "d8h4"), 1, 3, "nodes 70", "nodes 7")
    third, second, first = threat_requests(chunk)
    assert [at for at, _ in (third, second, first)] == [2, 1, 0]
    fen = "rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR w KQkq - 1 2"
    one = ["setoption name MultiPV value 1", f"position fen {fen}", "go nodes 7"]
    assert first == (0, one)
    check = ("e2e4", "f7f5", "d1h5", "g7g6", "h5g6", "h7g6")
    chunk = Chunk(chess.STARTING_FEN, check, 0, 6, "nodes 70", "nodes 7")
    assert [at for at, _ in threat_requests(chunk)] == [4, 2, 1, 0]


@pytest.mark.parametrize(
    ("fen", "last", "best", "threat", "found"),
    [
        (OPERA, None, ("d8d7", -140), ("f3f7", "mate"), True),
        (FORK, None, ("d5f6", 200), ("e4d5", 150), True),
        (FORK, None, ("d5f6", 200), ("e1f2", 150), False),  # a pass costs time, not material
        (FORK, None, ("d5f6", 200), ("e4d5", -170), False),  # a pass costs next to nothing
        (FORK, None, ("d5f6", 200), ("e4d5", 0), False),  # the score does not confirm the gain
        (FORK, None, ("e8e7 e4d5", 200), ("e4d5", 250), False),  # the best line loses it, too
        (FORK, None, ("d5f6", -900), ("e4d5", 1200), False),  # the game is decided already
        ("4k3/8/4p3/3P4/8/8/8/4K3 b - - 0 1", "e4d5", ("e6d5", 200), ("d5e6", 150), False),
        ("4k3/8/4p3/3P4/8/8/8/4K3 b - - 0 1", "e1e2", ("e6d5", 200), ("d5e6", 150), True),
    ],
)
def test_what_a_threat_is(
    fen: str, last: str | None, best: tuple[str, int], threat: tuple[str, Any], found: bool
) -> None:
    pv, score = threat
    cp, mate = (None, 1) if score == "mate" else (score, None)
    line = ScoredLine(9, cp, mate, "", tuple(pv.split()))
    first = ScoredLine(9, best[1], None, "", tuple(best[0].split()))
    move = chess.Move.from_uci(last) if last else None
    analysis = PositionAnalysis((first,), threat=line)
    assert threat_in(chess.Board(fen), move, analysis, THRESHOLDS) == (line if found else None)
    assert threat_in(chess.Board(fen), move, PositionAnalysis((first,)), THRESHOLDS) is None


@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
@pytest.mark.slow
def test_a_search_for_threats_changes_no_line(warm: Path) -> None:
    engine = EngineClient(OURS, {**OPTIONS, "Hash": "1", "MultiPV": "2"})
    chunk = Chunk(OPERA, ("g8f6", "f3b3"), 0, 2, "nodes 3000", "nodes 300")
    plain = [each.lines for each in analyse_backwards(engine, chunk)]
    for _ in range(2):
        lines = analyse_backwards(engine, chunk)
        found = search_threats(engine, chunk, lines, "2")
        assert [[line.pv for line in each.lines] for each in found] == [
            [line.pv for line in lines] for lines in plain
        ]
    assert [each.threat is not None for each in found] == [True, True, False]
    assert found[0].threat
    assert (found[0].threat.mate, found[0].threat.pv) == (1, ("f3f7",))
    engine.close()


def test_limits() -> None:
    assert threat_limit_of(("nodes", 2_000_000)) == ("nodes", 200_000)
    assert threat_limit_of(("depth", 14)) == ("depth", 10)
    assert threat_limit_of(("movetime", 5)) == ("movetime", 1)


@pytest.fixture
def games(inline: Inline, tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text("\n\n".join(map(str, random_games(5, 24)[3:])))  # one of them Chess960
    return path


def analyse(path: Path, *words: object) -> Any:
    assert call("analyse", path, "--quiet", "--force", "--no-html", *words) == 0
    return json.loads(path.with_suffix(".analysis.json").read_text())


def test_outputs_with_and_without(inline: Inline, games: Path) -> None:
    plain = analyse(games)
    text = games.with_suffix(".analysis.json").read_text()
    assert "threat" not in text
    assert inline.chunks[-1].go_threat == ""
    found = analyse(games, "--threats")
    assert inline.chunks[-1].go_threat == "nodes 200000"
    assert found.pop("threat_limit") == {"nodes": 200000}
    pgns, threats = [], 0
    for game, before in zip(found["games"], plain["games"], strict=True):
        pgns.append(game.pop("pgn"))
        annotated = chess.pgn.read_game(io.StringIO(pgns[-1]))
        assert annotated is not None
        words = [" ".join(node.comment.split()) for node in annotated.mainline()]
        for at, position in enumerate(game["positions"]):
            threat = position.pop("threat", None)
            threats += bool(threat)
            if threat:
                passed = after_pass(chess.Board(position["fen"], chess960=game["chess960"]))
                san = passed.san(passed.parse_uci(threat["uci"][0]))
                assert threat["san"] == passed.variation_san([passed.parse_san(san)])
                side = "White" if passed.turn else "Black"
                bad = bool(game["moves"][at]["verdict"])
                assert (f" {side} threatened {san}." in words[at]) == bad
        assert game == {name: value for name, value in before.items() if name != "pgn"}
    assert threats > 2
    again = games.with_name("again.pgn")
    again.write_text("\n\n".join(pgns))
    assert [game["pgn"] for game in analyse(again)["games"]] == [
        game["pgn"] for game in plain["games"]
    ]


def test_stopped_work_is_resumed_with_its_threats(inline: Inline, games: Path) -> None:
    whole = analyse(games, "--threats")
    for path in games.parent.glob("games.[ah]*"):
        path.unlink()
    inline.analyse_chunk = stop_after(3, KeyboardInterrupt)
    assert call("analyse", games, "--quiet", "--no-html", "--threats") == 130
    inline.analyse_chunk = analyse_inline
    inline.chunks.clear()
    assert analyse(games, "--threats") == whole
    assert 0 < len(inline.chunks) < 6


@pytest.mark.slow
def test_verify_finds_a_changed_a_missing_and_a_false_threat(
    games: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = json.dumps(analyse(games, "--threats"))
    path = games.with_suffix(".analysis.json")

    def verify(document: Any) -> str:
        path.write_text(json.dumps(document))
        found = call("verify", path, "--sample", 1000, "--quiet")
        out = capfd.readouterr().out
        assert found == (1 if out else 0)
        return out

    assert verify(json.loads(whole)) == ""
    document = json.loads(whole)
    number, position = next(
        (number, position)
        for number, game in enumerate(document["games"], 1)
        for position in game["positions"]
        if "threat" in position
    )
    position["threat"]["depth"] = 6
    out = verify(document)
    assert out.startswith(f"game {number}, before ")
    assert out.endswith(", threat: depth: recorded 6, computed 5\n")
    threat = position.pop("threat")
    assert ", threat: depth: recorded null, computed 5\n" in verify(document)
    position["threat"] = threat | {"depth": 5, "cp": -threat["cp"]}
    assert ": threat: recorded " in verify(document)
    for limit, status in ({}, 2), ({"movetime": 5}, 3):
        path.write_text(json.dumps(document | {"threat_limit": limit}))
        assert call("verify", path, "--quiet") == status
