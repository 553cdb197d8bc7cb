"""Typical uses of `chess.engine.SimpleEngine`: our class gives the same results as a process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import chess.variant
import pytest
from chess.engine import (
    INFO_NONE,
    INFO_SCORE,
    AnalysisComplete,
    EngineError,
    EngineTerminatedError,
    Limit,
    SimpleEngine,
)
from pythagoras import Engine

from engine.jit.kernel import COMPILED
from helpers.client import PYTHAGORAS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
]

OPENING = chess.Board("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
MATE_IN_2 = chess.Board("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1")
MATED = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
STALEMATE = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
CHESS960 = chess.Board("nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w HBhb - 0 1", chess960=True)
NODES = Limit(nodes=5000)


def plain(value: Any) -> Any:
    """Return a value without times and identities, so that two equal searches give the same."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k not in ("time", "nps", "string")}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, chess.engine.PlayResult):
        facts = value.move, value.ponder, value.info, value.draw_offered, value.resigned
        return "PlayResult", plain(facts)
    if isinstance(value, chess.engine.BestMove):
        return "BestMove", value.move, value.ponder
    return value


def shape(value: Any) -> Any:
    """Return the types of a value and of its elements."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        return {str(shape(each)) for each in value}
    return type(value)


def a_game(engine: SimpleEngine) -> list[Any]:
    board, moves = chess.Board(), []
    for _ in range(6):
        result = engine.play(board, NODES, game="one", info=INFO_SCORE)
        moves.append(result)
        assert result.move is not None
        board.push(result.move)
    return moves


def pondering(engine: SimpleEngine) -> list[Any]:
    board = OPENING.copy()
    first = engine.play(board, Limit(depth=5), ponder=True)
    assert first.move is not None
    assert first.ponder is not None
    board.push(first.move)
    board.push(first.ponder)
    second = engine.play(board, Limit(depth=1), ponder=True)
    engine.ping()
    return [first, second.move in board.legal_moves]


def an_analysis(engine: SimpleEngine) -> list[Any]:
    with engine.analysis(OPENING, Limit(depth=4), multipv=2) as analysis:
        infos = [info for info in analysis if "pv" in info]
        best = analysis.wait()
        return [infos, best, analysis.info, analysis.multipv, analysis.empty()]


def a_stopped_analysis(engine: SimpleEngine) -> list[Any]:
    with engine.analysis(OPENING) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 3:
                analysis.stop()
    return [shape(analysis.wait().move), "pv" in analysis.info, analysis.would_block()]


def an_exhausted_analysis(engine: SimpleEngine) -> None:
    analysis = engine.analysis(OPENING, Limit(depth=1))
    while True:
        analysis.get()


def options_of_one_search(engine: SimpleEngine) -> list[Any]:
    weak = engine.play(OPENING, Limit(depth=3), options={"UCI_AnalyseMode": True}, info=INFO_SCORE)
    return [weak, engine.analyse(OPENING, Limit(depth=3))]


def a_new_game(engine: SimpleEngine) -> list[Any]:
    return [engine.analyse(OPENING, NODES, game=game) for game in (1, 1, 2)]


SCENARIOS: dict[str, Callable[[SimpleEngine], Any]] = {
    "depth": lambda e: e.analyse(OPENING, Limit(depth=8)),
    "nodes": lambda e: e.analyse(OPENING, NODES),
    # A search that the clock ends may end with a lower bound.
    "time": lambda e: shape({**e.analyse(OPENING, Limit(time=0.2)), "lowerbound": True}),
    "multipv": lambda e: e.analyse(OPENING, NODES, multipv=3),
    "one line": lambda e: e.analyse(OPENING, NODES, multipv=1),
    "root moves": lambda e: e.analyse(OPENING, NODES, root_moves=[chess.Move.from_uci("a7a6")]),
    "some information": lambda e: e.analyse(OPENING, NODES, info=INFO_SCORE),
    "no information": lambda e: e.analyse(OPENING, NODES, info=INFO_NONE),
    "mate": lambda e: e.analyse(MATE_IN_2, Limit(mate=2)),
    "play": lambda e: e.play(OPENING, NODES, info=chess.engine.INFO_ALL),
    "play root moves": lambda e: e.play(OPENING, NODES, root_moves=[chess.Move.from_uci("a7a6")]),
    "clock": lambda e: shape(
        e.play(OPENING, Limit(white_clock=1, black_clock=0.5, white_inc=0.1, black_inc=0.1))
    ),
    "Chess960": lambda e: e.analyse(CHESS960, NODES),
    "standard after Chess960": lambda e: [e.analyse(b, NODES) for b in (CHESS960, OPENING)],
    "mated": lambda e: e.play(MATED, NODES),
    "mated, analysed": lambda e: e.analyse(MATED, NODES),
    "stalemate": lambda e: e.analyse(STALEMATE, NODES),
    "a game": a_game,
    "a new game": a_new_game,
    "pondering": pondering,
    "analysis": an_analysis,
    "stopped analysis": a_stopped_analysis,
    "exhausted analysis": an_exhausted_analysis,
    "options of one search": options_of_one_search,
    "configured": lambda e: [
        e.configure({"Hash": 32, "Clear Hash": None}),
        e.analyse(OPENING, NODES),
    ],
    "unknown option": lambda e: e.configure({"Tarrasch": 5}),
    "managed option": lambda e: e.configure({"MultiPV": 2}),
    "a value out of range": lambda e: e.configure({"Hash": 0}),
    "a value of the wrong kind": lambda e: e.configure({"Ponder": "maybe"}),
    "options": lambda e: dict(e.options),
    "id": lambda e: dict(e.id),
    "ping": lambda e: e.ping(),
    "another variant": lambda e: e.play(chess.variant.AtomicBoard(), NODES),
    "a result": lambda e: e.send_game_result(OPENING, chess.WHITE, "time forfeit"),
}

FAILURES = {
    "exhausted analysis": AnalysisComplete,
    "unknown option": EngineError,
    "managed option": EngineError,
    "a value out of range": EngineError,
    "a value of the wrong kind": EngineError,
    "another variant": EngineError,
}


def start_process(root: Path) -> SimpleEngine:
    engine = SimpleEngine.popen_uci(PYTHAGORAS, cwd=root)
    engine.configure({"UCI_ShowWDL": True})
    return engine


@pytest.fixture(scope="module")
def both(warm: Path) -> Iterator[tuple[SimpleEngine, SimpleEngine]]:
    """Yield our engine, and a process that gets the same commands."""
    with Engine() as ours, start_process(warm) as theirs:
        yield ours, theirs


def outcome(engine: SimpleEngine, scenario: Callable[[SimpleEngine], Any]) -> Any:
    """Return the result of a scenario with an empty table, or the error that it raises."""
    engine.protocol.loop.call_soon_threadsafe(engine.protocol.send_line, "ucinewgame")
    engine.ping()
    try:
        result = scenario(engine)
    except Exception as error:  # noqa: BLE001
        return type(error)
    return plain(result), shape(result)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_process_and_our_engine_agree(name: str, both: tuple[SimpleEngine, SimpleEngine]) -> None:
    ours, theirs = (outcome(engine, SCENARIOS[name]) for engine in both)
    assert ours == theirs
    assert (ours if isinstance(ours, type) else None) == FAILURES.get(name)


@pytest.mark.parametrize("end", ["quit", "close"])
def test_after_its_end_both_say_so(end: str, warm: Path) -> None:
    for engine in (Engine(), start_process(warm)):
        getattr(engine, end)()
        with pytest.raises(EngineTerminatedError):
            engine.ping()
        engine.close()
