"""The judgement of networks on endgames in tablebases."""

import random
from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest

from engine.evaluation.network import default_network, serialise
from helpers import naive_nnue
from helpers.networks import random_net
from helpers.syzygy import FOLDER, needs_four_men
from scripts.training import known_endings
from scripts.training.known_endings import draw, is_quiet, judge, positions, scores


def test_what_is_drawn_for_a_table() -> None:
    rng = random.Random(1)
    boards = [draw("KRPvKR", rng) for _ in range(200)]
    men = {"".join(sorted(map(str, board.piece_map().values()))) for board in boards}
    assert men == {"KPRkr", "KRkpr"}
    turns = Counter(board.turn for board in boards)
    assert min(turns.values()) > 60


@pytest.mark.parametrize(
    ("fen", "quiet"),
    [
        ("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", True),
        ("8/8/8/4k3/4P3/4K3/8/8 b - - 0 1", True),
        ("8/8/8/3k4/4P3/8/4K3/8 w - - 0 1", False),  # captures
        ("8/8/8/3k4/4P3/8/4K3/8 b - - 0 1", False),
        ("8/4P3/2k5/8/8/4K3/8/8 w - - 0 1", False),  # promotes
        ("8/8/8/4k3/8/4K3/8/3R4 b - - 0 1", False),  # evaluated by rule
        ("8/8/8/1r2k3/8/4K3/8/3R4 w - - 0 1", True),
        ("8/8/8/4k3/r7/4K3/4R3/8 w - - 0 1", True),
        ("8/8/8/8/r3k3/8/4R3/4K3 b - - 0 1", False),  # in check
        ("P7/8/4k3/8/4K3/8/8/8 w - - 0 1", False),  # not a valid position
    ],
)
def test_what_is_quiet(fen: str, quiet: bool) -> None:
    assert is_quiet(chess.Board(fen)) is quiet


def test_scores_are_the_networks() -> None:
    boards = [chess.Board(fen) for fen in ("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", chess.STARTING_FEN)]
    net = random_net(3)
    expected = [naive_nnue.output(net, board) for board in boards]
    assert scores(net, boards).tolist() == expected


def test_shares() -> None:
    found = np.array([300, -299, -300, 299, 0, 50, -51, 400])
    results = np.array([2, -2, -2, 2, 0, 1, -1, -2])
    assert judge(found, results) == (2 / 5, 2 / 3)


def test_no_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert known_endings.main([str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"known_endings: {tmp_path}: no Syzygy tables")


@needs_four_men
def test_a_network_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The engine's network judges endgames better than a random one; seeds choose the positions."""
    known = list(positions(Path(FOLDER), 30, 1))
    assert len(known) > 100
    assert {result for _, result in known} >= {-2, 0, 2}
    assert [board.fen() for board, _ in positions(Path(FOLDER), 30, 2)] != [
        board.fen() for board, _ in known
    ]
    boards, results = [board for board, _ in known], np.array([result for _, result in known])
    ours, random_one = (
        judge(scores(net, boards), results) for net in (default_network(), random_net(1))
    )
    assert sum(ours) > sum(random_one)
    assert ours[0] > 0.3
    assert ours[1] > 0.4
    (net := tmp_path / "net.nnue").write_bytes(serialise(default_network()))
    assert known_endings.main([FOLDER, str(net), "--each", "30"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"{len(known)} positions, ")
    assert told[1] == (
        f"{net}: {ours[0]:.1%} of decided ones beyond ± 300,"
        f" {ours[1]:.1%} of drawn ones within ± 50"
    )
