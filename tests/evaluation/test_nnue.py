"""The network: incremental accumulators and integer outputs agree with the definition."""

import hashlib
import random
import struct
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.board.makemove import make, make_null, unmake, unmake_null
from engine.board.movegen import generate
from engine.board.position import POSITION
from engine.board.types import ALL_MOVES, MAX_MOVES
from engine.evaluation import network
from engine.evaluation.features import FEATURES
from engine.evaluation.network import NetworkError, parse, serialise
from engine.evaluation.nnue import (
    EVALUATION,
    MAX_SCORE,
    evaluate,
    evaluate_from_scratch,
    push_move,
    push_null,
    start,
)
from engine.evaluation.shape import BUCKETS, HIDDEN, NETWORK
from engine.jit.kernel import COMPILED, kernel
from engine.memory.records import new_record
from helpers import naive, naive_nnue
from helpers.entries import entry
from helpers.naive_search import random_positions
from helpers.networks import evaluator, random_net
from scripts.measure import eval_speed
from uci.chess_io.convert import board_of
from uci.session.bench import POSITIONS

GAMES = 40 if COMPILED else 1
STRIDE = np.uint64(3)


@kernel
def _walk(pos: Any, th: Any, scratch: Any, ply: Any, depth: Any) -> Any:
    """Return how many nodes were evaluated; a negative number if one score was wrong.

    Only every third node is evaluated, so that updates span one to many plies.
    """
    scored = np.int64(0)
    if depth == 0 or pos.key % STRIDE == 0:
        start(pos, scratch)
        expected = evaluate(pos, scratch, np.int64(0))
        if evaluate(pos, th, ply) != expected:
            return np.int64(-1)
        scored = np.int64(1)
    if depth > 0:
        if pos.checkers == 0:
            push_null(pos, th, ply)
            make_null(pos)
            below = _walk(pos, th, scratch, ply + 1, depth - 1)
            unmake_null(pos)
            if below < 0:
                return below
            scored += below
        first = ply * MAX_MOVES
        for index in range(first, generate(pos, first, np.int64(ALL_MOVES))):
            move = np.int64(pos.moves[index])
            push_move(pos, th, ply, move)
            make(pos, move)
            below = _walk(pos, th, scratch, ply + 1, depth - 1)
            unmake(pos)
            if below < 0:
                return below
            scored += below
    return scored


@entry(POSITION, EVALUATION, EVALUATION, np.int64)
def walk(pos: Any, th: Any, scratch: Any, depth: Any) -> Any:
    start(pos, th)
    return _walk(pos, th, scratch, np.int64(0), depth)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_accumulators_equal_a_refresh() -> None:
    th, scratch = evaluator(random_net(1)), evaluator(random_net(1))
    scored = 0
    for board in random_positions(3, 4 if COMPILED else 1):
        counted = walk(naive.position(board), th, scratch, 3 if COMPILED else 1)
        assert counted >= 0, board.fen()
        scored += counted
    assert scored > (100_000 if COMPILED else 20)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_scores_are_those_of_the_definition() -> None:
    net = random_net(2)
    scratch = evaluator(net)
    met = set()
    for board in random_positions(4, GAMES):
        if naive_nnue.is_evaluated_by_rule(board):
            continue
        score = evaluate_from_scratch(naive.position(board), scratch)
        assert score == naive_nnue.output(net, board), board.fen()
        met.add(naive_nnue.bucket(board))
    assert len(met) >= (8 if COMPILED else 3)


def test_the_extremes_do_not_overflow() -> None:
    """The largest weights that a file may hold, all of one sign, do not overflow."""
    net = new_record(NETWORK)
    net.weights[:], net.scale = 505, 250
    board = chess.Board(chess960=True)
    for sign in (1, -1):
        net.output[..., ::2], net.output[..., 1::2] = 127 * sign, 2 * sign
        net.output[:, 1, ::2] = 126 * sign
        network.prove_no_overflow(net)
        score = evaluate_from_scratch(naive.position(board), evaluator(net))
        assert score == max(min(naive_nnue.output(net, board), MAX_SCORE), -MAX_SCORE)


def test_a_file_holds_the_network() -> None:
    net = random_net(3)
    again = parse(serialise(net))
    assert again.tobytes() == net.tobytes()


def test_networks_of_version_1_know_no_threats() -> None:
    net = random_net(3)
    halves = net.weights.reshape(4, FEATURES // 4, HIDDEN)
    halves[1::2] = halves[::2]
    body = bytearray(serialise(net)[60:])
    weights = halves[::2].astype("<i2").tobytes()
    body[: 2 * len(weights)] = weights
    head = struct.pack("<8s5I", b"PYTHANET", 1, FEATURES // 2, HIDDEN, BUCKETS, net.scale)
    data = head + hashlib.sha256(body).digest() + body
    assert parse(data).tobytes() == net.tobytes()


@pytest.mark.parametrize("byte", [0, 8, 12, 20, 30, 70, -1])
def test_a_changed_byte_is_noticed(byte: int) -> None:
    data = bytearray(serialise(random_net(3)))
    data[byte] ^= 1
    with pytest.raises(NetworkError):
        parse(bytes(data))


@pytest.mark.parametrize("scale", [0, 10_001, 1 << 31, (1 << 32) - 1])
def test_a_scale_that_is_none_is_refused(scale: int) -> None:
    data = bytearray(serialise(random_net(3)))
    data[24:28] = scale.to_bytes(4, "little")
    with pytest.raises(NetworkError, match=f"scale {scale} is out of range"):
        parse(bytes(data))


@pytest.mark.parametrize("length", [0, 7, 59, 60, 1000, -1])
def test_a_short_file_is_no_network(length: int) -> None:
    with pytest.raises(NetworkError):
        parse(serialise(random_net(3))[:length])


def test_a_body_of_another_length_is_no_network() -> None:
    data = serialise(random_net(3))
    body = data[60:] + b"\0"
    with pytest.raises(NetworkError, match="length"):
        parse(data[:28] + hashlib.sha256(body).digest() + body)


@pytest.mark.parametrize(("part", "value"), [("weights", 1024), ("bias", -32768), ("output", 129)])
def test_numbers_that_could_overflow_are_refused(part: str, value: int) -> None:
    net = random_net(3)
    net[part][..., 0] = value
    with pytest.raises(NetworkError, match="overflow"):
        serialise(net)


def test_the_default_network_is_small_and_sound() -> None:
    assert network.default_network().weights.shape == (FEATURES, HIDDEN)
    folder = Path(network.__file__).parent / "nets"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 2_000_000


def test_random_games_reach_every_kind_of_change() -> None:
    kinds = set()
    for seed in range(4):
        for board in naive.random_boards(random.Random(seed), True, 120):
            kinds |= {code >> 12 for code in naive.codes(board)}
    assert kinds >= {0, 1, 2, 4, 5, 8, 11, 12, 15}


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="a measurement of machine code")
def test_the_speed_is_that_of_whole_trees(capsys: pytest.CaptureFixture[str]) -> None:
    fens = POSITIONS[:: eval_speed.EVERY]
    positions = sum(1 + board_of(fen).legal_moves.count() for fen in fens)
    assert eval_speed.main(["--depth", "1"]) == 0
    assert f"({positions:,} positions;" in capsys.readouterr().out
