"""The comparison of verdicts: its table from the scores of two engines, and resuming."""

import re
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from engine.jit.kernel import COMPILED
from scripts.match.exit_status import ERROR
from scripts.measure import verdicts
from scripts.measure.verdicts import Observer, Pair, Seen, differing, pairs_of
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.parallel import GameJob
from uci.protocol.scored_line import ScoredLine

GAME = GameJob(3, chess.STARTING_FEN, ("f2f3", "e7e5", "g2g4", "d8h4"))


def analysis(move: str, cp: int | None, mate: int | None = None) -> PositionAnalysis:
    return PositionAnalysis((ScoredLine(9, cp, mate, "", (move,) if move else ()),))


MILD = [
    analysis("e2e4", 30),
    analysis("e7e5", 20),
    analysis("d2d4", -30),
    analysis("d8h4", None, 1),
]
STRICT = [
    analysis("e2e4", 30),
    analysis("e7e5", 100),
    analysis("d2d4", -90),
    analysis("d8h4", None, 1),
]
END = analysis("", None, 0)


def pairs() -> list[Pair]:
    return list(pairs_of(GAME, [*MILD, END], [*STRICT, END]))


def test_moves_are_paired() -> None:
    assert [pair.severities for pair in pairs()] == [(0, 2), (0, 0), (3, 3), (0, 0)]
    assert [pair.text for pair in pairs()] == ["1. f3", "1… e5", "2. g4", "2… Qh4#"]


def test_what_differs_is_listed() -> None:
    assert list(differing(pairs())) == [
        ("3", "1. f3", "+0.30 → -0.20", "4.6", "", "+0.30 → -1.00", "11.9", "?")
    ]


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts.report(pairs(), ("one", "the other"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "verdicts of one (rows) and of the other (columns):"
    table = [line.split() for line in lines[1:7]]
    assert table == [
        ["none", "?!", "?", "??", "all"],
        ["none", "2", "0", "1", "0", "3"],
        ["?!", "0", "0", "0", "0", "0"],
        ["?", "0", "0", "0", "0", "0"],
        ["??", "0", "0", "0", "1", "1"],
        ["all", "2", "0", "1", "1", "4"],
    ]
    assert lines[7] == "mistakes and blunders: 1 and 2, 1 the same"
    assert lines[8].startswith("recall 100.0% (")
    assert "precision 50.0% (" in lines[8]
    assert lines[9] == "weighted kappa 0.636"
    assert lines[10] == "the same best move in 100.0% of 4 positions"


def test_only_what_was_not_seen_is_looked_at(tmp_path: Path) -> None:
    other = GameJob(4, chess.STARTING_FEN, ("e2e4",))
    asked = []

    def see(games: Sequence[GameJob]) -> Seen:
        for game in games:
            asked.append(game.number)
            yield game, [END] * (len(game.moves) + 1)

    observer = Observer("one", "nodes 1", see)
    assert observer.see([GAME], tmp_path) == [[END] * 5]
    assert observer.see([GAME, other], tmp_path) == [[END] * 5, [END] * 2]
    assert asked == [3, 4]
    Observer("one", "nodes 2", see).see([other], tmp_path)
    assert asked == [3, 4, 4]


@pytest.mark.parametrize(
    ("text", "told"),
    [('[Event "?"]\n\n1. Sf3 *\n', "'Sf3' does not use English piece letters"), ("", "no games")],
)
def test_a_file_that_is_no_use_is_told(
    text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "games.pgn").write_text(text, encoding="utf-8")
    monkeypatch.setattr(verdicts, "find_engine", lambda name: name)
    assert verdicts.main(["--folder", str(tmp_path)]) == ERROR
    assert told in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")
def test_both_engines_look_and_nothing_is_looked_at_twice(
    stockfish: str, warm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    words = ["--folder", str(tmp_path), "--moves", "12", "--plies", "6", "--jobs", "2"]
    words += ["--nodes", "3000", "--stockfish-nodes", "2000", "--differing"]
    assert verdicts.main(words) == 0
    told = capsys.readouterr().out
    assert re.search(r"^2 games in ", told)
    assert re.search(r"^all .* 12$", told, re.MULTILINE)
    monkeypatch.setattr(verdicts, "ThreadPool", None)
    monkeypatch.setattr(verdicts, "make_games", None)
    assert verdicts.main(words) == 0
    assert capsys.readouterr().out == told
