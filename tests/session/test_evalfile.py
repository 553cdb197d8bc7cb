"""`EvalFile`: another network is used, and an invalid file changes nothing."""

from pathlib import Path

import pytest

from engine.evaluation.network import NetworkError, default_network, serialise
from helpers.networks import random_net
from helpers.puppet_session import Client
from uci.chess_io.convert import board_of
from uci.session.backend import Backend
from uci.session.bench import POSITIONS


def test_it_is_used_once_and_after_the_search() -> None:
    client = Client().say("isready")
    client.until("readyok")
    client.say("go infinite", "setoption name EvalFile value some net.nnue")
    assert client.engine.networks == []
    client.say("stop").until("bestmove")
    client.say("go depth 1").until("bestmove")
    client.say("go depth 1").until("bestmove")
    assert client.engine.networks == ["some net.nnue"]
    client.say("setoption name EvalFile value <empty>", "go depth 1").until("bestmove")
    assert client.engine.networks == ["some net.nnue", ""]


def test_a_wrong_file_gets_one_line() -> None:
    client = Client().say("isready")
    client.until("readyok")
    said = client.say("setoption name EvalFile value bad.nnue", "go depth 1").until("bestmove")
    lines = [line for line in said if line.startswith("info string")]
    reason = "not a Pythagoras network"
    assert lines == [
        f"info string could not load network bad.nnue: {reason}; keeping the current one"
    ]
    assert client.engine.networks == []
    assert "info string" not in " ".join(client.say("go depth 1").until("bestmove"))


def test_the_real_engine_reads_it(tmp_path: Path) -> None:
    engine, board = Backend(), board_of(POSITIONS[2])
    own = engine.evaluate(board)
    path = tmp_path / "other.nnue"
    path.write_bytes(serialise(random_net(9)))
    engine.use_network(str(path))
    other = engine.evaluate(board)
    assert other != own
    engine.use_network("")
    for around in ('"{}"', " '{}' "):
        engine.use_network(around.format(path))
        assert engine.evaluate(board) == other
        engine.use_network(around.format(""))
        assert engine.evaluate(board) == own
    engine.use_network(str(path))
    path.write_bytes(b"nonsense")
    with pytest.raises(NetworkError):
        engine.use_network(str(path))
    with pytest.raises(FileNotFoundError):
        engine.use_network(str(tmp_path / "missing"))
    assert engine.evaluate(board) == other
    engine.use_network("")
    assert engine.evaluate(board) == own
    assert default_network() is default_network()
