"""The streaming of positions: chunks, their order, and runs that are killed and resumed."""

import json
from pathlib import Path

import numpy as np
import pytest

from engine.datagen.game_file import (
    Appender,
    FormatError,
    encode_block,
    encode_header,
    open_games,
    read_header,
    split,
)
from engine.jit.kernel import COMPILED
from scripts.training import blocks as blocks_module
from scripts.training import train_nnue
from scripts.training.blocks import Blocks, load
from scripts.training.stream import Stream, chunks_of
from scripts.training.train_nnue import Trainer, main

pytestmark = pytest.mark.skipif(not COMPILED, reason="training is compiled or it is nothing")

KEYS = ["occupied", "pieces", "score", "result", "expected"]


def copy_of(games: Path, folder: Path) -> Path:
    path = folder / "copy.games"
    path.write_bytes(games.read_bytes())
    return path


def grow(path: Path) -> None:
    """Append a block, as a generator does meanwhile."""
    words = split(next(iter(open_games(path))))
    file = Appender(path, read_header(path)[0])
    file.append(words)
    file.close()


@pytest.mark.slow
def test_every_epoch_has_every_position_in_another_order(games: Path) -> None:
    everything, _ = load([games, games])
    blocks = Blocks([games, games])
    stream = Stream(blocks, 1, 3)
    seen = []
    for epoch in range(2):
        chunks = list(stream.chunks(epoch, 0, epoch + 1))
        assert [chunk.number for chunk in chunks] == [0, 1, 2]
        sizes = [len(chunk.samples) for chunk in chunks]
        assert max(sizes) < 1.5 * min(sizes)
        seen.append(np.concatenate([chunk.samples[chunk.order] for chunk in chunks]))
        assert all(np.ptp(chunk.order[:50]) > min(sizes) / 2 for chunk in chunks)
        for part in stream.parts(epoch):  # the blocks of the second file are the last ten
            assert 0 < (part < 10).sum() < len(part)
    for order in seen:
        assert (np.sort(order, order=KEYS) == np.sort(everything, order=KEYS)).all()
    assert (seen[0] != seen[1]).mean() > 0.9
    later = next(stream.chunks(1, 2, 2))
    assert (later.samples[later.order] == seen[1][-len(later.order) :]).all()
    blocks.close()


@pytest.mark.slow
def test_what_fits_is_read_once(games: Path) -> None:
    blocks = Blocks([games])
    chunks = list(Stream(blocks, 1, 1).chunks(0, 0, 3))
    assert len(chunks) == 3
    assert chunks[0].samples is chunks[1].samples is chunks[2].samples
    assert (chunks[0].order != chunks[1].order).mean() > 0.9
    blocks.close()


def test_the_number_of_chunks_follows_from_positions_and_memory() -> None:
    assert chunks_of(100, 100, None) == 1
    assert chunks_of(101, 100, None) == 2
    assert chunks_of(1000, 100, None) == 10
    assert chunks_of(10**9, 10**8, 24_000) == 10
    assert chunks_of(10**8, 10**8, 6_000) == 1
    assert chunks_of(10**8, 10**8, 4_000) == 3  # two of them fit


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_network(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copy_of(games, tmp_path)
    words = [str(path), "--shuffle", "1500", "--batch", "400", "--threads", "2", "--epochs", "2"]
    assert main([str(tmp_path / "whole"), *words]) == 0
    assert "\nshuffling 1," in capsys.readouterr().out
    steps = int(np.load(tmp_path / "whole.npz")["number"])
    step = Trainer.step
    killed = [steps // 3, steps // 2 + 1, steps - 1]

    def step_or_die(trainer: Trainer, count: int, rate: float) -> None:
        if killed and trainer.number == killed[0]:
            del killed[0]
            raise KeyboardInterrupt
        step(trainer, count, rate)

    monkeypatch.setattr(Trainer, "step", step_or_die)
    monkeypatch.setattr(train_nnue, "SECONDS", 0.0)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            main([str(tmp_path / "killed"), *words, "--resume"])
        grow(path)
    assert main([str(tmp_path / "killed"), *words, "--resume"]) == 0
    whole, resumed = (tmp_path / f"{name}.nnue" for name in ("whole", "killed"))
    assert whole.read_bytes() == resumed.read_bytes()
    reports = [json.loads(each.with_suffix(".json").read_text()) for each in (whole, resumed)]
    assert reports[0]["losses"] == reports[1]["losses"]
    # Other games or another order cannot be resumed.
    capsys.readouterr()
    for more in (["--seed", "2"], ["--shuffle", "7"], ["--batch", "7"]):
        assert main([str(tmp_path / "killed"), *words, *more, "--resume"]) == 1
        assert f"was written with {more[0]} " in capsys.readouterr().err
    assert main([str(tmp_path / "killed"), str(path), *words, "--resume"]) == 1
    assert "needs the same 1 files of games, found 2" in capsys.readouterr().err
    content, header = games.read_bytes(), read_header(games)[1]
    for changed in (content[:-1], encode_header({"evaluation": "other"}) + content[header:]):
        path.write_bytes(changed)
        assert main([str(tmp_path / "killed"), *words, "--resume"]) == 1
        assert f"{path} has changed since training began" in capsys.readouterr().err


@pytest.mark.slow
def test_a_file_that_changes_meanwhile_ends_the_run(games: Path, tmp_path: Path) -> None:
    path = copy_of(games, tmp_path)
    blocks = Blocks([path])
    data = path.read_bytes()
    first, *_ = open_games(path)
    one, two, three, *rest = split(first)
    block = encode_block(first.first, [one, three, two, *rest])
    other = data[: first.start] + block + data[first.end :]
    for changed in (data[: len(data) // 2], other):
        path.write_bytes(changed)
        with pytest.raises(FormatError, match="has changed since training began, at byte"):
            list(Stream(blocks, 1, 2).chunks(0, 0, 1))
    blocks.close()


@pytest.mark.slow
def test_samples_are_drawn_from_everywhere(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything, _ = load([games])
    blocks = Blocks([games] * 4)
    limit = len(blocks.validation()) // 4
    monkeypatch.setattr(blocks_module, "VALIDATION_POSITIONS", limit)
    assert limit / 2 < len(blocks.validation()) < limit * 2
    monkeypatch.setattr(blocks_module, "MOST", 500)
    newest = blocks.newest()
    known = np.count_nonzero(newest["result"] <= 2)
    assert 500 <= known < 1500
    assert (newest["occupied"] == everything["occupied"][-len(newest) :]).all()
    blocks.close()
