"""Training: the compiled gradient equals its definition, and a network learns."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from engine.datagen.game_file import open_games, split
from engine.datagen.game_record import NO_SCORE
from engine.evaluation.network import default_network, parse, serialise
from engine.evaluation.nnue import evaluate_from_scratch
from engine.jit.kernel import COMPILED
from helpers import naive, naive_nnue
from helpers.cases import at_least
from helpers.games import lines_of, move_of, plies_of, result_of, start_of
from helpers.networks import evaluator
from helpers.samples import boards, flat, samples
from scripts.training import judge, rescale
from scripts.training.blocks import load
from scripts.training.gradient import adamw, backward, outputs
from scripts.training.model import CLIP, OUTPUT_CLIP, SIZE, Parameters, quantise
from scripts.training.positions import SAMPLE, UNKNOWN, UNPLAYED, pack
from scripts.training.scale import logistic, scale_of, scale_of_scores, scales_of_files
from scripts.training.train_nnue import Trainer, main

pytestmark = pytest.mark.skipif(not COMPILED, reason="training is compiled or it is nothing")


@pytest.mark.slow
def test_outputs_are_those_of_the_definition() -> None:
    positions = boards(5, 20)
    network = Parameters(flat(naive_nnue.random_network(4)))
    packed = samples(positions, 1)
    found = np.zeros(len(packed), np.float32)
    outputs(packed, *network.parts, found)
    for board, value in zip(positions, found, strict=True):
        loss = naive_nnue.loss(network.parts, [board], [0.5], [2], 1.0)
        assert (1 / (1 + np.exp(-float(value))) - 1) ** 2 == pytest.approx(loss, abs=1e-5)


@pytest.mark.slow
def test_gradients_are_those_of_the_definition() -> None:
    """Gradients equal central differences of the loss in double precision at the largest slopes."""
    positions = boards(6, 2)
    packed = samples(positions, 2)
    expected, results = packed["expected"].tolist(), packed["result"].tolist()
    network = Parameters(flat(naive_nnue.random_network(5)))
    gradients = Parameters()
    order = np.arange(len(packed), dtype=np.int32)
    loss = backward(packed, order, np.float32(0.3), *network.parts, *gradients.parts)
    assert loss == pytest.approx(
        naive_nnue.loss(network.parts, positions, expected, results, 0.3), rel=1e-4
    )
    for part, gradient in zip(network.parts, gradients.parts, strict=True):
        for index in np.argsort(-np.abs(gradient), axis=None)[:12]:
            where = np.unravel_index(index, part.shape)
            value = part[where]
            losses = []
            for step in (1e-3, -1e-3):
                part[where] = value + step
                losses.append(naive_nnue.loss(network.parts, positions, expected, results, 0.3))
            part[where] = value
            slope = (losses[0] - losses[1]) / 2e-3
            assert gradient[where] == pytest.approx(slope, rel=0.03, abs=1e-5)


@pytest.mark.slow
def test_the_first_step_of_adamw_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1, SIZE).astype(np.float32)
    gradients = rng.normal(0, 1, (2, SIZE)).astype(np.float32)
    mean = gradients.astype(np.float64).sum(axis=0) / 10
    expected = values - 0.001 * (mean / (np.abs(mean) + 1e-8) + 0.01 * values.astype(np.float64))
    moments = np.zeros((2, SIZE), np.float32)
    adamw(values, gradients, moments[0], moments[1], 10, np.float32(0.001), 1)
    assert np.allclose(values, np.clip(expected, -CLIP, CLIP), atol=1e-6)
    assert not gradients.any()
    assert np.allclose(moments[0], 0.1 * mean, atol=1e-6)
    assert np.allclose(moments[1], 0.001 * mean**2, atol=1e-6)


@pytest.mark.slow
def test_the_loss_falls_and_the_quantised_network_agrees() -> None:
    positions = boards(7, 30)
    packed = samples(positions, 3)
    packed["result"] = packed["score"] // 200 + 1  # a rule that can be learned exactly
    np.clip(packed["result"], 0, 2, out=packed["result"])
    network, gradients = Parameters.random(1), Parameters()
    moments = np.zeros((2, SIZE), np.float32)
    order = np.arange(len(packed), dtype=np.int32)
    losses = []
    for step in range(60):
        loss = backward(packed, order, np.float32(0.3), *network.parts, *gradients.parts)
        losses.append(loss / len(order))
        stacked = gradients.flat.reshape(1, -1)
        adamw(network.flat, stacked, *moments, len(order), np.float32(0.003), step + 1)
    assert losses[-1] < losses[0] / 4
    net = quantise(network, 400)
    scratch = evaluator(net)
    found = np.zeros(len(packed), np.float32)
    outputs(packed, *network.parts, found)
    values = zip(positions, found, strict=True)
    by_the_net = (each for each in values if not naive_nnue.is_evaluated_by_rule(each[0]))
    for board, value in at_least(200, by_the_net):
        score = evaluate_from_scratch(naive.position(board), scratch)
        assert score == naive_nnue.output(net, board)
        assert score == pytest.approx(400 * value, abs=25), board.fen()


def test_output_weights_stay_where_they_can_be_quantised() -> None:
    packed = samples(boards(7, 30), 3)
    packed["expected"], packed["result"] = 1, 2
    start = Parameters()
    start.bias[:], start.output[:] = 0.05, OUTPUT_CLIP  # all neurons active, all weights to grow
    trainer = Trainer(start, 1, 0.3)
    trainer.loss(packed, np.arange(len(packed), dtype=np.int32))
    trainer.step(len(packed), 0.01)
    assert start.bias.max() > 0.05
    assert start.output.max() == np.float32(OUTPUT_CLIP)
    assert quantise(start, 400).output.max() == 127


def test_the_scale_says_where_half_of_the_games_are_won() -> None:
    rng = np.random.default_rng(2)
    out = rng.normal(0, 1, 200_000)
    chance = 1 / (1 + np.exp(-(out - 0.4) / 0.3))
    results = np.where(rng.random(len(out)) < chance, 2, 1)
    assert scale_of(out, results) == pytest.approx(250, abs=5)
    with pytest.raises(ValueError, match="say nothing"):
        scale_of(out, np.ones(len(out)))


def test_the_scale_of_scores_is_that_of_their_games() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 150, 200_000)
    results = rng.binomial(2, logistic(scores / 130))
    assert scale_of_scores(scores, results) == pytest.approx(130, abs=2)
    results[::3] = UNKNOWN
    assert scale_of_scores(scores, results) == pytest.approx(130, abs=2)


def test_files_without_all_results_take_the_scale_of_the_others() -> None:
    rng = np.random.default_rng(4)
    files = []
    for scale in (130, 80, 110):
        scores = rng.normal(0, 150, 200_000)
        files.append((scores, rng.binomial(2, logistic(scores / scale))))
    files[1][1][::3] = UNKNOWN
    assert scales_of_files(files) == pytest.approx([130, 120, 110], abs=2)
    assert scales_of_files(files[1:2]) == pytest.approx([80], abs=2)


@pytest.mark.slow
def test_the_loader_keeps_what_is_quiet(games: Path) -> None:
    """The loader keeps quiet positions of games, and of lines from ply 2 to the last but two."""
    learned, checked = load([games])
    expected: dict[bool, list[tuple[str, int, int]]] = {True: [], False: []}
    outlooks: dict[bool, list[float]] = {True: [], False: []}

    def learn(board: chess.Board, word: int, score: int, result: int, outlook: float) -> None:
        move = move_of(board, word)
        if board.is_check() or board.is_capture(move) or move.promotion:
            return
        if not naive_nnue.is_evaluated_by_rule(board):
            turned = board if board.turn else board.mirror()
            expected[held_out].append((turned.board_fen(), score, result))
            outlooks[held_out].append(outlook)

    played = [words for block in open_games(games) for words in split(block)]
    for number, words in enumerate(played):
        board, held_out = start_of(words), number % 50 == 0
        scores = [score for _, score in plies_of(words)]
        outlook, lines = outlooks_of(scores), lines_of(words)
        for ply, (word, score) in enumerate(plies_of(words)):
            if abs(score) < 10_000 and int(words[15]) + ply >= 16:
                result = result_of(words) if board.turn else 2 - result_of(words)
                result = UNKNOWN if NO_SCORE in scores[ply:] else result
                learn(board, word, score, result, outlook[ply])
                ahead, clear = board.copy(stack=False), max(-1000, min(score, 1000))
                for index, later in enumerate(lines[ply][:-1]):
                    sign = 1 if index % 2 == 0 else -1
                    if index >= 2:
                        learn(ahead, later, sign * clear, UNPLAYED, sign * clear)
                    ahead.push(move_of(ahead, later))
            board.push(move_of(board, word))
    assert 0.2 < np.mean(learned["result"] == UNKNOWN) < 0.8
    assert np.mean(learned["result"] == UNPLAYED) > 0.05
    scale = scale_of_scores(np.array(outlooks[False]), learned["result"])
    for held_out, kept in ((False, learned), (True, checked)):
        found = [(placement(s), int(s["score"]), int(s["result"])) for s in kept]
        assert found == expected[held_out]
        shares = logistic(np.array(outlooks[held_out]) / scale)
        assert kept["expected"] == pytest.approx(shares, abs=1e-5)


def outlooks_of(scores: list[int]) -> list[float]:
    """Return the expected target of each position, from a game's scores in order.

    A random move ends the look-ahead; it has no score itself.
    """
    if NO_SCORE in scores:
        cut = scores.index(NO_SCORE)
        return [*outlooks_of(scores[:cut]), 0.0, *outlooks_of(scores[cut + 1 :])]
    clipped = [max(-1000, min(score, 1000)) for score in scores]
    return [
        sum((1 - 0.6) * 0.6**k * (-1) ** k * score for k, score in enumerate(clipped[ply:-1]))
        + 0.6 ** (len(clipped) - 1 - ply) * (-1) ** (len(clipped) - 1 - ply) * clipped[-1]
        for ply in range(len(clipped))
    ]


def placement(sample: Any) -> str:
    """Return the pieces of a packed position as FEN has them."""
    board = chess.Board(None)
    for index, square in enumerate(chess.scan_forward(int(sample["occupied"]))):
        code = int(sample["pieces"][index >> 1]) >> 4 * (index & 1) & 15
        board.set_piece_at(square, chess.Piece(code % 6 + 1, code < 6))
    return board.board_fen()


@pytest.mark.slow
def test_a_network_comes_out(games: Path, tmp_path: Path) -> None:
    out = tmp_path / "net 0.3"
    words = [str(out), str(games), "--batch", "512", "--threads", "2"]
    assert main([*words, "--epochs", "2"]) == 0
    report = json.loads(out.with_name("net 0.3.json").read_text())
    assert len(report["losses"]) == 2
    assert report["losses"][1][0] < report["losses"][0][0]
    assert parse(out.with_name("net 0.3.nnue").read_bytes()).scale == report["scale"] > 0
    assert out.with_name("net 0.3.png").read_bytes().startswith(b"\x89PNG")
    assert main([*words, "--epochs", "3", "--resume"]) == 0
    again = json.loads(out.with_name("net 0.3.json").read_text())
    assert again["losses"][:2] == report["losses"]
    assert len(again["losses"]) == 3


@pytest.mark.slow
def test_a_network_can_be_improved(games: Path, tmp_path: Path) -> None:
    """Training improves a network; at a rate of nearly zero only its scale is fitted again."""
    net = default_network()
    (start := tmp_path / "start.nnue").write_bytes(serialise(net))
    out = tmp_path / "improved"
    words = [str(out), str(games), "--epochs", "1", "--rate", "1e-9", "--start", str(start)]
    assert main(words) == 0
    found = parse(out.with_suffix(".nnue").read_bytes())
    for name in ("weights", "bias", "output", "output_bias"):
        assert (found[name] == net[name]).all()
    random = Parameters.random(1)
    assert Parameters.of(quantise(random, 1)).flat == pytest.approx(random.flat, abs=0.5 / 64)


@pytest.mark.slow
def test_the_share_of_the_result_changes_step_by_step(games: Path, tmp_path: Path) -> None:
    """The mean loss of a network that does not change, over all shares, is Simpson's: the loss is
    quadratic in the share."""
    (start := tmp_path / "start.nnue").write_bytes(serialise(default_network()))
    words = [str(games), "--epochs", "1", "--rate", "1e-9", "--batch", "64", "--start", str(start)]

    def losses(first: str, last: str) -> tuple[float, float]:
        out = tmp_path / f"{first}-{last}"
        assert main([str(out), *words, "--wdl", first, "--last-wdl", last]) == 0
        ((trained, checked),) = json.loads(out.with_name(f"{out.name}.json").read_text())["losses"]
        return trained, checked

    at = {share: losses(share, share) for share in ("0", "0.5", "1")}
    simpson = (at["0"][0] + 4 * at["0.5"][0] + at["1"][0]) / 6
    rising, checked = losses("0", "1")
    assert at["1"][0] > 1.3 * at["0"][0]
    assert rising == pytest.approx(simpson, rel=0.05)
    assert checked == pytest.approx(at["0"][1], rel=1e-4)


@pytest.mark.slow
def test_a_share_of_the_start_is_kept(games: Path, tmp_path: Path) -> None:
    start = default_network()
    (path := tmp_path / "start.nnue").write_bytes(serialise(start))
    words = [str(games), "--epochs", "1", "--rate", "0.05", "--start", str(path), "--keep"]
    learned, blend = (
        parse((tmp_path / f"keep{share}.nnue").read_bytes())
        for share in ("0", "0.75")
        if main([str(tmp_path / f"keep{share}"), *words, share]) == 0
    )
    for name in ("weights", "output"):
        mean = 0.75 * start[name] + 0.25 * learned[name]
        assert abs(blend[name] - mean).max() < 1
        assert (blend[name] != start[name]).mean() > 0.5
    for wrong in ([*words, "1.5"], [str(games), "--keep", "0.5"], [str(games), "--batch", "0"]):
        with pytest.raises(SystemExit):
            main([str(tmp_path / "net"), *wrong])


@pytest.mark.slow
def test_what_cannot_be_written_or_resumed_is_said_before_the_work(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "narrow.npz", flat=np.zeros(7, np.float32))
    (tmp_path / "torn.npz").write_bytes(b"PK\3\4")
    for name in ("nowhere/net", "narrow", "torn"):
        assert main([str(tmp_path / name), str(games), "--resume"]) == 1
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("train_nnue: ")
        assert len(told.err.splitlines()) == 1


@pytest.mark.slow
def test_a_network_is_rescaled_by_its_own_games(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.nnue"
    net = quantise(Parameters.random(1), 100)
    path.write_bytes(serialise(net))
    assert rescale.main([str(path), str(games)]) == 0
    found = parse(path.read_bytes())
    learned, _ = load([games])
    assert found.scale == scale_of(learned["score"] / 100, learned["result"]) != 100
    assert (found.weights == net.weights).all()
    assert rescale.main([str(path), str(tmp_path / "missing")]) == 1
    assert capsys.readouterr().err.startswith("rescale: ")


@pytest.mark.slow
def test_a_network_that_cannot_be_rewritten_stays(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.nnue"
    path.write_bytes(before := serialise(quantise(Parameters.random(1), 100)))

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert rescale.main([str(path), str(games)]) == 1
    assert path.read_bytes() == before


@pytest.mark.slow
def test_the_nearer_network_is_found(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The nearer network is found: one agrees with itself at any scale, and not with another."""
    learned, _ = load([games])
    nets = [quantise(Parameters.random(seed), 100) for seed in (1, 2)]
    found = np.zeros(len(learned), np.float32)
    outputs(learned, *Parameters.of(nets[0]).parts, found)
    expected = logistic(found * np.float32(0.8))
    assert judge.error_of(nets[0], learned, expected) < 1e-9
    outputs(learned, *Parameters.of(nets[1]).parts, found)
    far = float(np.mean((logistic(found) - expected) ** 2))
    assert 0.3 * far < judge.error_of(nets[1], learned, expected) <= far
    (path := tmp_path / "net.nnue").write_bytes(serialise(nets[0]))
    assert judge.main([str(games), str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(f"{path}: 0.")
    assert judge.main([str(games), str(tmp_path / "missing")]) == 1
    assert capsys.readouterr().err.startswith("judge: ")


def test_what_cannot_be_trained_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("no games")
    assert main([str(tmp_path / "net"), str(tmp_path / "text")]) == 1
    assert main([str(tmp_path / "net"), str(tmp_path / "missing")]) == 1
    assert main([str(tmp_path / "net"), "games", "--start", str(tmp_path / "text")]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert all(line.startswith("train_nnue: ") for line in told)


def test_positions_are_turned_to_the_mover() -> None:
    for board in boards(8, 5):
        twin = board.mirror()
        records = [np.zeros(1, SAMPLE) for _ in range(2)]
        for record, side in zip(records, (board, twin), strict=True):
            pack(naive.position(side), record[0])
        assert records[0].tobytes() == records[1].tobytes()
        assert chess.popcount(int(records[0]["occupied"][0])) == chess.popcount(board.occupied)
