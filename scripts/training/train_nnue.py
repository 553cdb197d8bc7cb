"""Train a network on our own games: ``python -m scripts.training.train_nnue OUT GAMES...``.

It writes ``OUT.nnue`` for the engine, ``OUT.npz`` to resume from every few minutes, ``OUT.json``
with settings and losses, and ``OUT.png`` with their curves if matplotlib is installed.
"""

import argparse
import json
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.network import read_network, serialise
from engine.memory.available import available
from scripts.training import checkpoint
from scripts.training.blocks import Blocks
from scripts.training.checkpoint import Run, State
from scripts.training.gradient import adamw, backward, outputs
from scripts.training.model import OUTPUT_CLIP, SIZE, Parameters, quantise
from scripts.training.positions import Samples
from scripts.training.scale import scale_of
from scripts.training.stream import Stream, chunks_of
from uci.apps.console.arguments import integer

LAST_RATE = 0.01
"""The learning rate decreases along half a cosine to this share of the initial one."""

SECONDS = 300.0
"""Maximum time between two checkpoints, as far as steps end."""


class Trainer:
    """A network, its gradients and moments, and threads that share every batch."""

    def __init__(self, start: Parameters, threads: int, wdl: float) -> None:
        """Train from ``start``; ``wdl`` is the share of the result in the target."""
        self.parameters = start
        self.wdl = wdl
        self.first, self.second = np.zeros((2, SIZE), np.float32)
        self.number = 0
        self._gradients = np.zeros((threads, SIZE), np.float32)
        self._parts = [Parameters(flat).parts for flat in self._gradients]
        self._pool = ThreadPoolExecutor(threads)

    def loss(self, samples: Samples, order: NDArray[np.int32]) -> float:
        """Return the mean loss over ``samples[order]``; the gradients are kept for `step`."""
        wdl = np.float32(self.wdl)
        shares = np.array_split(order, len(self._parts))
        work = [
            self._pool.submit(backward, samples, share, wdl, *self.parameters.parts, *gradients)
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

    def state(self) -> State:
        """Return the state of the network and the optimiser, for a checkpoint."""
        moments = np.stack([self.first, self.second])
        return State(self.parameters.flat, moments, np.array(self.number))

    def restore(self, state: State) -> None:
        """Restore a `state`. Raises `ValueError` for that of a network of another size."""
        if state.flat.shape != (SIZE,) or state.moments.shape != (2, SIZE):
            raise ValueError(f"the checkpoint has {state.flat.size} weights, expected {SIZE}")
        self.parameters.flat[:] = state.flat
        self.first[:], self.second[:] = state.moments
        self.number = int(state.number)


def learning_rate(done: float, first: float) -> float:
    """Return the learning rate after the share ``done`` of all steps."""
    return first * (LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * done)))


def result_share(done: float, first: float, last: float) -> float:
    """Return the share of the result in the target after the share ``done`` of all steps.

    It grows as the scores have less left to teach (after Alexandria).
    """
    return first + (last - first) * done


def train(
    trainer: Trainer,
    blocks: Blocks,
    validation: Samples,
    options: argparse.Namespace,
    run: Run,
) -> None:
    """Run the remaining steps; write checkpoints, and print a line after each chunk.

    The validation loss is that of the first share of the result, so that epochs can be compared.
    Raises `OSError` or `FormatError` if the games cannot be read any more.
    """
    path = _with_suffix(options.out, ".npz")
    total = blocks.total
    everything = np.arange(len(validation), dtype=np.int32)
    start = saved = time.monotonic()
    stream = Stream(blocks, run.seed, run.chunks)
    for chunk in stream.chunks(len(run.losses), run.chunk, options.epochs):
        first = run.positions
        steps = np.array_split(chunk.order, -(-len(chunk.order) // run.batch))
        for chosen in steps[run.step :]:
            done = (chunk.epoch + run.positions / total) / options.epochs
            trainer.wdl = result_share(done, options.wdl, options.last_wdl)
            loss = trainer.loss(chunk.samples, chosen)
            trainer.step(len(chosen), learning_rate(done, options.rate))
            run.loss += loss * len(chosen)
            run.positions += len(chosen)
            run.step += 1
            if time.monotonic() - saved >= SECONDS:
                checkpoint.save(path, trainer.state(), run)
                saved = time.monotonic()
        rate = (run.positions - first) / (time.monotonic() - start)
        run.chunk, run.step = chunk.number + 1, 0
        line = f"epoch {chunk.epoch + 1}/{options.epochs}"
        if run.positions < total:
            line += f", {run.positions / total:.0%}: loss {run.loss / run.positions:.6f}"
        else:
            trainer.wdl = options.wdl
            checked = trainer.loss(validation, everything)
            trainer.zero_gradients()
            line += f": loss {run.loss / total:.6f}, validation {checked:.6f}"
            run.losses.append((run.loss / total, checked))
            run.chunk, run.positions, run.loss = 0, 0, 0.0
        print(f"{line}, {rate:,.0f} positions/s", flush=True)
        checkpoint.save(path, trainer.state(), run)
        start = saved = time.monotonic()


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
    result.add_argument("--epochs", type=integer(), default=30)
    result.add_argument("--batch", type=integer(), default=16384)
    result.add_argument(
        "--shuffle",
        type=integer(),
        default=100_000_000,
        help="number of positions that are in memory and shuffled at a time (100,000,000)",
    )
    result.add_argument("--rate", type=float, default=0.001, help="initial learning rate")
    result.add_argument(
        "--wdl", type=share, default=0.3, help="share of the result in the target (%(default)s)"
    )
    result.add_argument(
        "--last-wdl",
        type=share,
        help="share at the end; it changes by as much at each step (--wdl)",
    )
    result.add_argument("--seed", type=int, default=1)
    result.add_argument("--start", type=Path, help="network to start from, instead of a random one")
    result.add_argument(
        "--keep", type=share, default=0.0, help="share of --start in the mean with the result"
    )
    result.add_argument("--threads", type=integer(), default=os.cpu_count() or 1)
    result.add_argument("--resume", action="store_true", help="resume from OUT.npz")
    return result


def begin(trainer: Trainer, options: argparse.Namespace) -> Run:
    """Return a new run, or with ``--resume`` that of the checkpoint, whose state is restored.

    Raises `OSError` or `ValueError` if the checkpoint cannot be used with these options.
    """
    path = _with_suffix(options.out, ".npz")
    if not options.resume or not path.exists():
        return Run(options.seed, options.batch, options.shuffle)
    state, run = checkpoint.resume(path)
    for name in ("seed", "batch", "shuffle"):
        if getattr(options, name) != (value := getattr(run, name)):
            raise ValueError(f"{path} was written with --{name} {value}; --resume needs the same")
    trainer.restore(state)
    return run


def main(arguments: list[str] | None = None) -> int:
    """Train; return the exit status."""
    words = parser()
    options = words.parse_args(arguments)
    if options.keep and not options.start:
        words.error("--keep requires --start")
    if options.last_wdl is None:
        options.last_wdl = options.wdl
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
        run = begin(trainer, options)
        with closing(Blocks(options.games, run.extents)) as blocks:
            validation = blocks.validation()
            print(
                f"{blocks.total:,} training positions, {len(validation):,} for validation",
                flush=True,
            )
            run.extents = blocks.extents
            run.chunks = run.chunks or chunks_of(blocks.total, run.shuffle, available())
            if run.chunks > chunks_of(blocks.total, run.shuffle, None):
                print(f"not enough memory for --shuffle {run.shuffle}", flush=True)
            if run.chunks > 1:
                print(f"shuffling {blocks.total // run.chunks:,} at a time", flush=True)
            train(trainer, blocks, validation, options, run)
            newest = blocks.newest()
        # The mean is better than either network (Mitchell Wortsman and others, 2022).
        trainer.parameters.flat[:] = kept + trainer.parameters.flat * np.float32(1 - options.keep)
        scale = scale_of(trainer.outputs(newest), newest["result"])
    except (OSError, ValueError) as error:
        print(f"train_nnue: {error}", file=sys.stderr)
        return 1
    net = quantise(trainer.parameters, scale)
    _with_suffix(options.out, ".nnue").write_bytes(serialise(net))
    settings = {name: str(value) for name, value in vars(options).items()}
    report = {
        "settings": settings,
        "positions": blocks.total,
        "scale": scale,
        "losses": run.losses,
    }
    _with_suffix(options.out, ".json").write_text(json.dumps(report, indent=1))
    plot_losses(_with_suffix(options.out, ".png"), run.losses)
    print(f"scale: an output of 1 is {scale} centipawns; at 100, half of the games are won")
    return 0


if __name__ == "__main__":
    sys.exit(main())
