"""Joined networks: the mean of two networks, with the neurons of both."""

import hashlib
import struct
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.evaluation.features import FEATURES
from engine.evaluation.network import VERSION, read_network
from engine.evaluation.shape import BUCKETS, HIDDEN
from helpers import naive_nnue
from helpers.networks import random_net
from scripts.training.join import main

HALF = HIDDEN // 2


def narrow(seed: int) -> tuple[bytes, Any]:
    """Return a network of half the width as a file, and at full width padded with zeros."""
    net = random_net(seed)
    net.weights[:, HALF:] = net.bias[HALF:] = net.output[..., HALF:] = 0
    parts = (
        net.weights[:, :HALF].astype("<i2"),
        net.output[..., :HALF].astype("<i2"),
        net.bias[:HALF].astype("<i2"),
        net.output_bias.astype("<i4"),
    )
    body = b"".join(part.tobytes() for part in parts)
    shape = (VERSION, FEATURES, HALF, BUCKETS, 100 * seed)
    return struct.pack("<8s5I32s", b"PYTHANET", *shape, hashlib.sha256(body).digest()) + body, net


def test_the_output_is_the_mean(tmp_path: Path) -> None:
    nets = []
    for seed in (1, 2):
        data, net = narrow(seed)
        (tmp_path / str(seed)).write_bytes(data)
        nets.append(net)
    out = tmp_path / "out"
    assert main([str(out), str(tmp_path / "1"), str(tmp_path / "2")]) == 0
    joined = read_network(out)
    assert joined.scale == 150
    for fen in (chess.STARTING_FEN, "8/2k5/8/1Pb1p3/4P3/7K/8/1R4q1 w - - 0 66"):
        board = chess.Board(fen)
        # Divided by the scales, the joined network's output is the sum of both networks' outputs.
        one, other, both = (naive_nnue.output(net, board) / net.scale for net in (*nets, joined))
        assert both == pytest.approx(one + other, abs=0.02)
    assert np.array_equal(joined.bias, np.concatenate([net.bias[:HALF] for net in nets]))


def test_networks_of_another_width_are_refused(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "narrow").write_bytes(narrow(1)[0])
    net = root / "engine" / "evaluation" / "nets" / "default.nnue"
    assert main([str(tmp_path / "out"), str(tmp_path / "narrow"), str(net)]) == 1
    assert (
        f"the network has {FEATURES}×{HIDDEN}×8, expected {FEATURES}×{HALF}×8"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "out").exists()
