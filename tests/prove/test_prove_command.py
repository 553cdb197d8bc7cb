"""``pythagoras prove``: arguments, files and exit status."""

import io
import json
import os
import signal
from pathlib import Path

import chess.pgn
import pytest

from engine.jit.kernel import COMPILED
from helpers.command import call
from helpers.mates import IN_TWO
from helpers.timing import PATIENCE
from uci.session import prover
from uci.session.prover import Stopped
from uci.session.worker import StopEvent

compiled = pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")


@compiled
def test_from_the_position_to_the_check(
    warm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [tmp_path / "mate.json", tmp_path / "mate.pgn"]
    files = [word for name in names for word in ("-o", name)]
    assert call("prove", *IN_TWO.split(), "--mate", 4, *files) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"White mates in at most 2 moves from {IN_TWO}",
        "1. Ra6 Bc7 2. Rxa7#",
        "checked: 8 positions, 7 replies",
    ]
    assert err.splitlines()[-2:] == [f"written: {name}" for name in names]
    game = chess.pgn.read_game(io.StringIO(names[1].read_text()))
    assert game is not None
    assert not game.errors
    assert (game.headers["Result"], len(game.variations[0].variations)) == ("1-0", 7)

    assert call("prove", "--check", names[0]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{names[0]}: valid, 8 positions, 7 replies\nWhite mates in at most 2 ")
    assert err == ""
    values = json.loads(names[0].read_text())
    values["positions"][0]["replies"].popitem()
    names[0].write_text(json.dumps(values))
    assert call("prove", "--check", names[0], names[1], tmp_path / "none.json") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"{names[0]}: position 0: the legal reply b7a6 is missing",
        f"{names[1]}: not valid JSON: Expecting value: line 1 column 2 (char 1)",
        f"{tmp_path / 'none.json'}: No such file or directory",
    ]
    assert call("prove", IN_TWO, "--mate", 2, "-o", names[0]) == 2
    assert "already exists; use --force to replace it" in capsys.readouterr().err
    assert call("prove", IN_TWO, "--mate", 2, "-o", names[0], "--force", "--quiet") == 0
    assert capsys.readouterr().err == ""
    assert call("prove", "--check", names[0]) == 0


@compiled
def test_no_mate(warm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = tmp_path / "mate.json"
    assert call("prove", IN_TWO, "--mate", 1, "-o", name) == 1
    searched = "every move of both sides was searched to that depth"
    assert capsys.readouterr().out == f"There is no mate in 1 for White: {searched}.\n"
    assert call("prove", "k1K5/ppb5/RP6/8/8/8/8/8 b - -", "--mate", -1) == 1
    assert capsys.readouterr().out == f"There is no mate in 1 for White: {searched}.\n"
    assert not name.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "expected a FEN and --mate N, or --check FILE"),
        ((IN_TWO,), "expected a FEN and --mate N, or --check FILE"),
        ((IN_TWO, "--mate", "two"), "argument --mate: invalid int value: 'two'"),
        (("8/8/8 w - -", "--mate", 2), "illegal FEN"),
        ((IN_TWO, "--mate", 2, "-o", "mate.txt"), "mate.txt: expected NAME.json or NAME.pgn"),
        (
            (IN_TWO, "--mate", 2, "-o", "none/mate.json"),
            "none/mate.json: the folder does not exist",
        ),
        ((IN_TWO, "--check", "mate.json"), "--fen cannot be used with --check"),
        (("--mate", 2, "--check", "mate.json"), "--mate cannot be used with --check"),
    ],
)
def test_wrong_arguments(
    words: tuple[object, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("prove", *words) == 2
    assert told in capsys.readouterr().err


@compiled
def test_ctrl_c_stops_the_search(
    warm: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_board: object, _mate: int, _hash: int, stop: StopEvent, _show: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(PATIENCE)
        raise Stopped

    monkeypatch.setattr(prover, "prove", interrupted)
    assert call("prove", IN_TWO, "--mate", 20) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == "stopped: a mate in 20 is neither proved nor ruled out"
