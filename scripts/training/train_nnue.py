"""Train a network on our own games: ``python -m scripts.training.train_nnue OUT GAMES...``.

It writes ``OUT.nnue`` for the engine, ``OUT.npz`` to resume from after every epoch, ``OUT.json``
with settings and losses, and ``OUT.png`` with their curves if matplotlib is installed.
"""

import argparse
import json
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.network import read_network, serialise
from scripts.training.dataset import load
from scripts.training.gradient import adamw, backward, outputs
from scripts.training.model import OUTPUT_CLIP, SIZE, Parameters, quantise
from scripts.training.positions import Samples
from scripts.training.scale import scale_of

LAST_RATE = 0.01
"""The learning rate decreases along half a cosine to this share of the initial one."""


class Trainer:
    """A network, its gradients and moments, and threads that share every batch."""

    def __init__(self, start: Parameters, threads: int, wdl: float) -> None:
        """Train from ``start``; ``wdl`` is the share of the result in the target."""
        self.parameters = start
        self.first, self.second = np.zeros((2, SIZE), np.float32)
        self.number = 0
        self._wdl = np.float32(wdl)
        self._gradients = np.zeros((threads, SIZE), np.float32)
        self._parts = [Parameters(flat).parts for flat in self._gradients]
        self._pool = ThreadPoolExecutor(threads)

    def loss(self, samples: Samples, order: NDArray[np.int32]) -> float:
        """Return the mean loss over ``samples[order]``; the gradients are kept for `step`."""
        shares = np.array_split(order, len(self._parts))
        work = [
            self._pool.submit(
                backward, samples, share, self._wdl, *self.parameters.parts, *gradients
            )
            for share, gradients in zip(shares, self._parts, strict=True)
        ]
        return float(sum(part.result() for part in work)) / len(order)

    def zero_gradients(self) -> None:
        """Drop the gradients of a `loss` without a `step`."""
        self._gradients[:] = 0

    def step(self, count: int, rate: float) -> None:
        """Make a step of AdamW along the gradients of the last ``count`` samples."""
        self.number += 1
        adamw(
            self.parameters.flat,
            self._gradients,
            self.first,
            self.second,
            count,
            np.float32(rate),
            self.number,
        )
        output = self.parameters.output
        np.clip(output, -OUTPUT_CLIP, OUTPUT_CLIP, out=output)

    def outputs(self, samples: Samples) -> NDArray[np.float32]:
        """Return the network's outputs, ``float32``."""
        result = np.zeros(len(samples), np.float32)
        outputs(samples, *self.parameters.parts, result)
        return result

    def save(self, path: Path, losses: list[tuple[float, float]]) -> None:
        """Write a checkpoint, replacing the file atomically."""
        draft = path.with_name(f"{path.stem}.draft.npz")
        np.savez(
            draft,
            flat=self.parameters.flat,
            moments=np.stack([self.first, self.second]),
            number=self.number,
            losses=np.array(losses),
        )
        draft.replace(path)

    def resume(self, path: Path) -> list[tuple[float, float]]:
        """Resume from a checkpoint; return the losses of its epochs."""
        with np.load(path) as saved:
            self.parameters.flat[:] = saved["flat"]
            self.first[:], self.second[:] = saved["moments"]
            self.number = int(saved["number"])
            return [(float(a), float(b)) for a, b in saved["losses"]]


def learning_rate(done: float, first: float) -> float:
    """Return the learning rate after the share ``done`` of all steps."""
    return first * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * done)))


def train(
    trainer: Trainer,
    samples: Samples,
    validation: Samples,
    options: argparse.Namespace,
    losses: list[tuple[float, float]],
) -> None:
    """Run the remaining epochs; print a line and write a checkpoint after each."""
    batch = min(options.batch, len(samples))
    steps = len(samples) // batch
    everything = np.arange(len(validation), dtype=np.int32)
    for epoch in range(len(losses), options.epochs):
        start = time.perf_counter()
        rng = np.random.default_rng([options.seed, epoch])
        order = rng.permutation(np.arange(len(samples), dtype=np.int32))
        total = 0.0
        for number in range(steps):
            chosen = order[number * batch : (number + 1) * batch]
            total += trainer.loss(samples, chosen)
            rate = learning_rate((epoch + number / steps) / options.epochs, options.rate)
            trainer.step(len(chosen), rate)
        checked = trainer.loss(validation, everything)
        trainer.zero_gradients()
        losses.append((total / steps, checked))
        seconds = time.perf_counter() - start
        print(
            f"epoch {epoch + 1}/{options.epochs}: loss {losses[-1][0]:.6f},"
            f" validation {checked:.6f}, {steps * batch / seconds:,.0f} positions/s",
            flush=True,
        )
        trainer.save(_with_suffix(options.out, ".npz"), losses)


def _with_suffix(out: Path, suffix: str) -> Path:
    """Return ``out`` with a suffix, even if its name contains dots."""
    return out.with_name(out.name + suffix)


def plot_losses(path: Path, losses: list[tuple[float, float]]) -> None:
    """Plot the losses of the epochs, if matplotlib is installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots()
    epochs = range(1, len(losses) + 1)
    axes.plot(epochs, [pair[0] for pair in losses], label="training")
    axes.plot(epochs, [pair[1] for pair in losses], label="validation")
    axes.set(xlabel="epoch", ylabel="loss")
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)


def positive(text: str) -> int:
    """Return ``text`` as a number of at least 1. Raises `ValueError`."""
    if (value := int(text)) < 1:
        raise ValueError
    return value


def share(text: str) -> float:
    """Return ``text`` as a number from 0 to 1. Raises `ValueError`."""
    if not 0 <= (value := float(text)) <= 1:
        raise ValueError
    return value


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    result = argparse.ArgumentParser(prog="train_nnue", description=__doc__.splitlines()[0])
    result.add_argument("out", type=Path, help="name of the output files, without a suffix")
    result.add_argument(
        "games", type=Path, nargs="+", help="files of games from pythagoras datagen"
    )
    result.add_argument("--epochs", type=positive, default=30)
    result.add_argument("--batch", type=positive, default=16384)
    result.add_argument("--rate", type=float, default=0.001, help="initial learning rate")
    result.add_argument("--wdl", type=float, default=0.3, help="share of the result in the target")
    result.add_argument("--seed", type=int, default=1)
    result.add_argument("--start", type=Path, help="network to start from, instead of a random one")
    result.add_argument(
        "--keep", type=share, default=0.0, help="share of --start in the mean with the result"
    )
    result.add_argument("--threads", type=positive, default=os.cpu_count() or 1)
    result.add_argument("--resume", action="store_true", help="resume from OUT.npz")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit status."""
    words = parser()
    options = words.parse_args(arguments)
    if options.keep and not options.start:
        words.error("--keep requires --start")
    checkpoint = _with_suffix(options.out, ".npz")
    try:
        if not options.out.parent.is_dir():
            raise NotADirectoryError(f"{options.out.parent} is not a folder")
        start = (
            Parameters.of(read_network(options.start))
            if options.start
            else Parameters.random(options.seed)
        )
        kept = start.flat * np.float32(options.keep)
        trainer = Trainer(start, options.threads, options.wdl)
        losses = trainer.resume(checkpoint) if options.resume and checkpoint.exists() else []
        samples, validation = load(options.games)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        print(f"train_nnue: {error}", file=sys.stderr)
        return 1
    print(f"{len(samples):,} training positions, {len(validation):,} for validation", flush=True)
    train(trainer, samples, validation, options, losses)
    # The mean is better than either network (Mitchell Wortsman and others, 2022).
    trainer.parameters.flat[:] = kept + trainer.parameters.flat * np.float32(1 - options.keep)
    try:
        scale = scale_of(trainer.outputs(samples), samples["result"])
    except ValueError as error:
        print(f"train_nnue: {error}", file=sys.stderr)
        return 1
    net = quantise(trainer.parameters, scale)
    _with_suffix(options.out, ".nnue").write_bytes(serialise(net))
    settings = {name: str(value) for name, value in vars(options).items()}
    report = {"settings": settings, "positions": len(samples), "scale": scale, "losses": losses}
    _with_suffix(options.out, ".json").write_text(json.dumps(report, indent=1))
    plot_losses(_with_suffix(options.out, ".png"), losses)
    print(f"scale: an output of 1 is {scale} centipawns; at 100, half of the games are won")
    return 0


if __name__ == "__main__":
    sys.exit(main())
