"""Results of ``pythagoras epd``: compared, saved on the way, resumed and replaced."""

import errno
import json
import os
from pathlib import Path

import pytest

from helpers.epd_suite import SUITE, call, compiled, untimed
from uci.apps.epd import results_file


@compiled
@pytest.mark.slow
def test_two_results_are_compared(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def compared(one: Path, two: Path) -> str:
        capsys.readouterr()
        assert call("--compare", one, two) == 0
        out, err = capsys.readouterr()
        assert err == ""
        return out

    old, new = suite.with_name("old.json"), suite.with_name("new.json")
    assert call(suite, "--nodes", 3000, "--json", old) == 0
    assert "Newly" not in compared(old, old)
    document = json.loads(old.read_text())
    found = {position["id"]: position["outcomes"][0] for position in document["positions"]}
    found["Points.2"] |= {"solved": True, "points": 10, "san": "Ke2", "time": 1234}
    found["Mates.001"] |= {"solved": False, "san": "g3", "time": None, "spent": 5000}
    document["positions"].sort(key=lambda position: position["id"], reverse=True)
    document["limit"] = {"movetime": 5000}
    new.write_text(json.dumps(document))
    out = compared(old, new)
    assert out.startswith("Old: Pythagoras ")
    assert ", 3,000 nodes; new: Pythagoras " in out
    assert ", 5,000 ms; positions of both: 5\n" in out
    assert "| Mates    | 2 of 2 (100.0%) | 1 of 2 (50.0%)  | -1" in out
    assert "13 of 20 (65.0%) | 20 of 20 (100.0%) | +7" in out
    assert "Newly solved: 1\n" in out
    assert "| Points.2 | Ke2      | Nxd5 (" in out
    assert "Newly lost: 1\n" in out
    assert "| Mates.001 | Rd8#     | Rd8# (" in out
    del document["positions"][0]
    new.write_text(json.dumps(document))
    assert ": 4, only in the old results: 1, only in the new: 0\n" in compared(old, new)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ("\0\xff", "not valid JSON"),
        ("[]", "expected results of this version"),
        ('{"schema": "pythagoras epd 0"}', "expected results of this version"),
        ('{"schema": "pythagoras epd 1"}', "damaged: KeyError: 'engines'"),
        ('{"schema": "pythagoras epd 1", "engines": 3}', "damaged"),
        ("[" * 99_999, "not valid JSON"),
        (
            '{"schema": "pythagoras epd 1", "engines": [], "limit": {"x": 1}, "positions": []}',
            "damaged: ValueError: an unknown limit",
        ),
        (
            '{"schema": "pythagoras epd 1", "engines": [{"name": "x"}], "limit": {}, "positions":'
            ' [{"id": "x", "theme": "", "fen": "", "goal": {"dm": 1}, "outcomes": [{"move": 1}]}]}',
            "damaged: WrongJson: move must be text, not 1",
        ),
        (
            '{"schema": "pythagoras epd 1", "engines": [{"name": "x"}], "limit": {}, "positions":'
            ' [{"id": "x", "theme": "", "fen": "", "goal": {}, "outcomes": []}]}',
            "damaged: ValueError: an engine's answer is missing",
        ),
    ],
)
def test_results_that_cannot_be_read(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("x.json").write_bytes(text.encode("latin-1"))
    assert call("--compare", "x.json", "x.json") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"pythagoras: x.json: {reason}")
    assert err.count("\n") == 1


@compiled
@pytest.mark.slow
def test_results_that_cannot_be_written_are_told_all_the_same(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(results_file, "replace_file", full)
    assert call(suite, "--depth", 2, "--json", suite.with_name("x.json")) == 1
    out, err = capsys.readouterr()
    assert out.startswith("5 positions, 2 plies for each")
    assert err.endswith("x.json: No space left on device\n")


@compiled
@pytest.mark.slow
def test_the_same_command_goes_on(
    warm: Path, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite.with_name("x.json")
    words: list[object] = [suite, "--nodes", 3000, "--json", path]
    assert call(*words) == 0
    whole = json.loads(path.read_text())
    broken = json.loads(path.read_text()) | {"complete": False}
    del broken["positions"][1], broken["positions"][3]
    broken["positions"][0]["outcomes"][0]["nodes"] = 31415  # shows that it is not solved again
    begun = json.dumps(broken)

    def known(text: str, *others: object) -> str:
        path.write_text(text)
        capsys.readouterr()
        assert call(*words, *others) == 0
        said = capsys.readouterr().err.partition(" of 5 positions are already done")[0]
        return said.splitlines()[-1]

    assert known(begun) == "resuming, 3"
    found = json.loads(path.read_text())
    assert found["positions"][0]["outcomes"][0].pop("nodes") == 31415
    del whole["positions"][0]["outcomes"][0]["nodes"]
    assert untimed(found) == untimed(whole)
    assert known(begun, "--jobs", 2) == "resuming, 3"
    assert known(begun, "--hash", 2) != "resuming, 3"
    assert known(begun, "--nodes", 4000) != "resuming, 3"
    assert known(begun.replace('"complete": false', '"complete": true')) != "resuming, 3"
    assert known(begun.replace("Mates.001", "Mates.003")) != "resuming, 3"
    assert known(begun.replace('"outcomes": [{', '"outcomes": [3, {')) != "resuming, 3"


@pytest.mark.parametrize(
    "text", [SUITE, "{", "[]", "[" * 99_999, '{"schema": 1}', '{"schema": "pythagoras analysis 1"}']
)
def test_what_holds_no_results_is_not_replaced(
    suite: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = suite.with_name("x.json")
    path.write_text(text)
    assert call(suite, "--depth", 1, "--json", path) == 2
    err = capsys.readouterr().err
    assert "exists and does not contain results; choose another file for --json\n" in err
    assert err.count("\n") == 1
    assert path.read_text() == text


@pytest.mark.slow
@compiled
def test_what_holds_results_or_nothing_is_replaced(warm: Path, suite: Path) -> None:
    path = suite.with_name("x.json")
    for text in "", '{"schema": "pythagoras epd 0"}':
        path.write_text(text)
        assert call(suite, "--depth", 1, "--quiet", "--json", path) == 0
        assert json.loads(path.read_text())["complete"]


def test_results_are_kept_on_the_way(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = suite.with_name("x.json")
    file = results_file.ResultsFile(path, lambda outcomes: {"positions": len(outcomes)})
    file.keep({1: []})
    assert not path.exists()
    monkeypatch.setattr(results_file, "KEEP_EVERY", 0)
    file.keep({1: []})
    assert json.loads(path.read_text()) == {"positions": 1}
