"""The same network in PyTorch, to verify our kernels and to compare their speed.

``python -m scripts.training.reference GAMES...`` trains both on the same positions and prints their
positions per second.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from uci.apps.console.extras import missing

try:
    import torch
    from torch.nn.functional import embedding_bag
except ImportError:
    sys.exit(missing("PyTorch", "train"))

from engine.evaluation.shape import BUCKETS, HIDDEN
from engine.jit.kernel import kernel
from scripts.training.blocks import load
from scripts.training.gradient import inputs_of
from scripts.training.model import Parameters
from scripts.training.positions import UNKNOWN, Samples
from scripts.training.train_nnue import Trainer

BATCH = 16384


class Network(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """`Parameters` as a PyTorch module."""

    def __init__(self, start: Parameters) -> None:
        """Copy ``start``."""
        super().__init__()
        copies = (torch.nn.Parameter(torch.from_numpy(part.copy())) for part in start.parts)
        self.weights, self.bias, self.output, self.output_bias = copies

    def forward(
        self, views: torch.Tensor, starts: torch.Tensor, buckets: torch.Tensor
    ) -> torch.Tensor:
        """Return the outputs; ``starts`` are the first inputs of each sample in ``views``."""
        total = self.output_bias[buckets]
        for place, rows in enumerate(views):
            hidden = embedding_bag(rows, self.weights, starts, mode="sum") + self.bias
            active = hidden.clamp(0, 1) ** 2
            total = total + (active * self.output[buckets, place]).sum(dim=1)
        return total


@kernel
def _inputs(samples: Any, views: Any, starts: Any, buckets: Any) -> Any:
    rows = np.empty((2, 32), np.int64)
    used = np.int64(0)
    for index in range(len(samples)):
        count = inputs_of(samples[index], rows)
        starts[index] = used
        buckets[index] = (count - 1) * BUCKETS // 32
        for i in range(count):
            views[0, used + i] = rows[0, i]
            views[1, used + i] = rows[1, i]
        used += count
    return used


def batch_of(samples: Samples) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the arguments of `Network.forward` for an array of samples."""
    views = np.zeros((2, 32 * len(samples)), np.int64)
    starts, buckets = np.zeros((2, len(samples)), np.int64)
    used = _inputs(samples, views, starts, buckets)
    views = np.ascontiguousarray(views[:, :used])
    return torch.from_numpy(views), torch.from_numpy(starts), torch.from_numpy(buckets)


def summed_loss(network: Network, samples: Samples, wdl: float) -> torch.Tensor:
    """Return the loss summed over ``samples``, ready for ``backward``."""
    results = torch.from_numpy(samples["result"].astype(np.float32) / 2)
    share = torch.from_numpy(np.where(samples["result"] >= UNKNOWN, 0, wdl).astype(np.float32))
    target = share * results + (1 - share) * torch.from_numpy(samples["expected"].copy())
    return ((torch.sigmoid(network(*batch_of(samples))) - target) ** 2).sum()


def _speed_of_reference(samples: Samples, batches: int) -> float:
    network = Network(Parameters.random(1))
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.001, weight_decay=0.01)
    start = time.perf_counter()
    for number in range(batches):
        chosen = samples[number * BATCH : (number + 1) * BATCH]
        optimiser.zero_grad()
        (summed_loss(network, chosen, 0.3) / len(chosen)).backward()
        optimiser.step()
    return batches * BATCH / (time.perf_counter() - start)


def _speed_of_ours(samples: Samples, batches: int, threads: int) -> float:
    trainer = Trainer(Parameters.random(1), threads, 0.3)
    order = np.arange(len(samples), dtype=np.int32)
    start = time.perf_counter()
    for number in range(batches):
        chosen = order[number * BATCH : (number + 1) * BATCH]
        trainer.loss(samples, chosen)
        trainer.step(len(chosen), 0.001)
    return batches * BATCH / (time.perf_counter() - start)


def main(arguments: list[str] | None = None) -> int:
    """Compare the speeds; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="reference", description="Compare the training with PyTorch's."
    )
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--batches", type=int, default=20)
    options = parser.parse_args(arguments)
    samples, _ = load(options.games)
    batches = min(options.batches, len(samples) // BATCH)
    if not batches:
        print(f"reference: expected at least {BATCH} positions", file=sys.stderr)
        return 1
    threads = torch.get_num_threads()
    _speed_of_ours(samples, 1, threads)
    _speed_of_reference(samples, 1)
    ours, reference = [], []
    for _ in range(3):
        ours.append(_speed_of_ours(samples, batches, threads))
        reference.append(_speed_of_reference(samples, batches))
    fast, slow = float(np.median(ours)), float(np.median(reference))
    print(f"{HIDDEN} neurons, {threads} threads, batches of {BATCH}, medians of three:")
    print(f"ours {fast:,.0f} positions/s, PyTorch {slow:,.0f}: {fast / slow:.1f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
