"""An engine with an evaluation of the user's own, or with another network, in a program."""

from pathlib import Path
from typing import Any

import chess
import pytest
from chess.engine import Cp, EngineError, Limit
from pythagoras import Engine

from engine.jit.kernel import COMPILED
from uci.session.own_evaluation import read_function

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "uci" / "library" / "my_eval.py"
NETWORK = ROOT / "engine" / "evaluation" / "nets" / "default.nnue"
UP_A_QUEEN = chess.Board("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]


def fails(board: Any, by_type: Any, by_colour: Any, side: Any) -> Any:
    return 1 // side


def test_an_engine_plays_with_a_function(warm: Path) -> None:
    function = read_function(f"{EXAMPLE}:evaluate")
    with Engine(evaluate=function) as engine:
        assert engine.id["name"].endswith("(evaluate)")
        assert engine.evaluate(chess.Board()).relative == Cp(0)
        assert engine.evaluate(UP_A_QUEEN).relative == Cp(950)
        assert engine.play(UP_A_QUEEN, Limit(nodes=5000)).move in UP_A_QUEEN.legal_moves
        limit = Limit(nodes=500)
        (found,) = engine.analyse_many([UP_A_QUEEN], limit, jobs=1)
        assert found["score"] == engine.analyse(UP_A_QUEEN, limit, game=object())["score"]
        with pytest.raises(EngineError, match="evaluates, not a network"):
            engine.configure({"EvalFile": str(NETWORK), "Hash": 2})
        assert engine._options()["Hash"] == 2
        (again,) = engine.analyse_many([UP_A_QUEEN], limit, jobs=1)
        assert again["score"] == found["score"]
    with Engine() as engine:
        assert engine.evaluate(UP_A_QUEEN).relative != Cp(950)


def test_an_error_of_the_function_is_raised(warm: Path) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        Engine(evaluate=fails)
    assert any(entry.name == "fails" for entry in caught.traceback)


def test_an_engine_plays_with_a_network(warm: Path, tmp_path: Path) -> None:
    with Engine() as engine, Engine(network=NETWORK) as other:
        assert other.evaluate(UP_A_QUEEN) == engine.evaluate(UP_A_QUEEN)
    for content, told in (
        (b"nonsense", "not a Pythagoras network"),
        (NETWORK.read_bytes()[:-1], "the network file has the wrong length"),
    ):
        path = tmp_path / "bad.nnue"
        path.write_bytes(content)
        with pytest.raises(EngineError, match=rf"could not load network .*bad\.nnue: {told}"):
            Engine(network=path)
    with pytest.raises(EngineError, match="No such file"):
        Engine(network=str(tmp_path / "none.nnue"))
    with pytest.raises(ValueError, match="cannot be used together"):
        Engine(evaluate=fails, network=NETWORK)
