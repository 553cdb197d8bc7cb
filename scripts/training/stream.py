"""The order of training: chunks of blocks drawn at random, each shuffled as a whole.

An epoch is a permutation of the blocks of all files, cut into chunks of equally many positions. Two
chunks are in memory: one is trained on while the next is read. If one chunk holds everything, it is
read once. The order follows from the seed, the files and the number of chunks.
"""

import math
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scripts.training.blocks import Blocks, Numbers
from scripts.training.positions import SAMPLE, Samples

_BYTES = SAMPLE.itemsize + 4
"""Memory of a position: its sample, and its place in the order."""

_SHARE = 0.8
"""Maximum share of the available memory that is used."""


class Chunk(NamedTuple):
    """Positions of an epoch, and the order to train on them; ``number`` counts its chunks."""

    epoch: int
    number: int
    samples: Samples
    order: NDArray[np.int32]


def chunks_of(total: int, shuffle: int, megabytes: int | None) -> int:
    """Return the number of chunks of at most about ``shuffle`` positions, of ``total`` altogether.

    Two of them, or a single one, fit in ``megabytes`` of memory.
    """
    room = math.inf if megabytes is None else max(2.0, megabytes * _SHARE * 2**20 / _BYTES)
    if total <= min(shuffle, room):
        return 1
    return math.ceil(total / min(shuffle, room / 2))


class Stream:
    """The chunks of every epoch, in an order that depends on nothing but the arguments."""

    def __init__(self, blocks: Blocks, seed: int, chunks: int) -> None:
        """Stream the training positions of ``blocks``, in ``chunks`` parts an epoch."""
        self._blocks = blocks
        self._seed = seed
        self._chunks = chunks
        self._whole: Samples | None = None

    def parts(self, epoch: int) -> list[Numbers]:
        """Return the numbers of the blocks of each chunk of an epoch."""
        rng = np.random.default_rng([self._seed, epoch])
        numbers = rng.permutation(self._blocks.training)
        ends = np.cumsum(self._blocks.counts(numbers))
        targets = ends[-1] * np.arange(1, self._chunks) // self._chunks
        parts = np.split(numbers, np.searchsorted(ends, targets, side="right"))
        return [part for part in parts if len(part)]

    def chunks(self, epoch: int, first: int, epochs: int) -> Iterator[Chunk]:
        """Yield the chunks from number ``first`` of an epoch to the end of the last epoch.

        Raises `OSError` or `FormatError` if a file cannot be read any more.
        """
        places = (
            (each, number, part)
            for each in range(epoch, epochs)
            for number, part in enumerate(self.parts(each))
        )
        reader = ThreadPoolExecutor(1)
        coming: Future[Chunk] | None = None
        try:
            for place in islice(places, first, None):
                following = reader.submit(self._read, *place)
                if coming is not None:
                    yield coming.result()
                coming = following
            if coming is not None:
                yield coming.result()
        finally:
            reader.shutdown(wait=False, cancel_futures=True)

    def _read(self, epoch: int, number: int, part: Numbers) -> Chunk:
        samples = self._blocks.positions(part) if self._whole is None else self._whole
        if self._chunks == 1:
            self._whole = samples
        order = np.arange(len(samples), dtype=np.int32)
        np.random.default_rng([self._seed, epoch, 1 + number]).shuffle(order)
        return Chunk(epoch, number, samples, order)
