"""The blocks of files of games, and the positions of any of them.

Files may be larger than memory, and may grow while they are read: the blocks are listed and their
positions counted once, and later blocks are ignored.
"""

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice, repeat, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cores import cores
from engine.datagen.game_file import (
    Block,
    FormatError,
    block_at,
    encode_header,
    fingerprint,
    open_games,
    read_header,
    split,
)
from engine.files import open_file
from scripts.training.dataset import read
from scripts.training.positions import SAMPLE, UNKNOWN, Samples
from scripts.training.scale import MOST, logistic, scales_of_files

Numbers = NDArray[np.int64]
"""Numbers of blocks, over all files."""

VALIDATION_POSITIONS = 2_000_000
"""Maximum number of positions for validation: they stay in memory."""

_GROUP = 64
"""Number of blocks that a thread reads at once."""

_BLOCK = np.dtype(
    [
        ("file", np.int32),
        ("start", np.int64),
        ("training", np.int64),
        ("validation", np.int64),
        ("known", np.int64),
        ("fingerprint", "V16"),
    ]
)
"""A block: its file's index and first byte, the numbers of positions for training and for
validation, how many of the former have a known result, and the `fingerprint` of its games."""


class Extent(NamedTuple):
    """The part of a file that is used: its size in bytes, and a checksum of its content."""

    size: int
    checksum: int


class Blocks:
    """All blocks of some files, and threads that read positions from them."""

    def __init__(self, paths: Sequence[Path], extents: Sequence[Extent] = ()) -> None:
        """List the blocks of the files, or only those within the ``extents`` of an earlier run.

        Every game is replayed once; a block that is read again must be the same to the byte. The
        expected points of a score are fitted for each file, since evaluations differ in their
        centipawns. Raises `OSError` or `ValueError` for a file that cannot be used, or has changed
        within its extent.
        """
        self._paths = paths
        self._scales: NDArray[np.float64] | None = None
        self._pool = ThreadPoolExecutor(cores())
        try:
            if extents and len(extents) != len(paths):
                raise ValueError(
                    f"--resume needs the same {len(extents)} files of games, found {len(paths)}"
                )
            limits = extents or repeat(None)
            rows, found = zip(*map(self._list, range(len(paths)), limits), strict=True)
            self._blocks = np.concatenate(rows)
            self.extents: list[Extent] = list(found)
            """The extent of each file."""
            self.training = np.flatnonzero(self._blocks["training"])
            """The numbers of the blocks with positions for training."""
            self.total = int(self._blocks["training"].sum())
            """The number of positions for training."""
            self._scales = self._fit()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the threads; what is being read is abandoned."""
        self._pool.shutdown(cancel_futures=True)

    def counts(self, numbers: Numbers) -> NDArray[np.int64]:
        """Return the number of training positions in each of these blocks."""
        counts: NDArray[np.int64] = self._blocks["training"][numbers]
        return counts

    def positions(self, numbers: Numbers) -> Samples:
        """Return the training positions of these blocks, in the order of the files.

        Raises `OSError` or `FormatError` if a block cannot be read any more.
        """
        return self._positions(numbers, "training")

    def validation(self) -> Samples:
        """Return the positions for validation, or evenly drawn ones if they are too many.

        Raises `ValueError` if there are none.
        """
        numbers = np.flatnonzero(self._blocks["validation"])
        if not len(numbers):
            raise ValueError("too few games, no validation positions")
        return self._positions(
            self._drawn(numbers, "validation", VALIDATION_POSITIONS), "validation"
        )

    def newest(self) -> Samples:
        """Return the last training positions, at least `MOST` of them with a known result."""
        known = np.cumsum(self._blocks["known"][self.training[::-1]])
        return self.positions(self.training[-1 - int(np.searchsorted(known, MOST)) :])

    def _list(self, index: int, extent: Extent | None) -> tuple[NDArray[np.void], Extent]:
        path = self._paths[index]
        facts, size = read_header(path)
        checksum = zlib.crc32(encode_header(facts))
        limit = path.stat().st_size if extent is None else extent.size
        blocks = takewhile(lambda block: block.end <= limit, open_games(path))
        rows: list[tuple[int | bytes, ...]] = []
        while group := list(islice(blocks, _GROUP * cores())):
            for block, row in zip(group, self._pool.map(_describe, group), strict=True):
                rows.append((index, block.start, *row))
                checksum = zlib.crc32(row[-1], checksum)
            size = group[-1].end
        found = Extent(size, checksum)
        if extent not in (None, found):
            raise FormatError(
                f"{path} has changed since training began; start again without --resume"
            )
        listed = np.array(rows, _BLOCK)
        if not listed["training"].any():
            raise ValueError(f"{path}: too few games, no training positions")
        return listed, found

    def _fit(self) -> NDArray[np.float64]:
        """Return the scale of each file's scores, from evenly drawn positions."""
        files = []
        for index in range(len(self._paths)):
            own = self.training[self._blocks["file"][self.training] == index]
            drawn = self.positions(self._drawn(own, "training", MOST))
            files.append((drawn["expected"], drawn["result"]))
        return scales_of_files(files)

    def _drawn(self, numbers: Numbers, kind: str, limit: int) -> Numbers:
        """Return every n-th of the blocks, so that they have about ``limit`` positions or fewer."""
        return numbers[:: max(1, -(-int(self._blocks[kind][numbers].sum()) // limit))]

    def _positions(self, numbers: Numbers, kind: str) -> Samples:
        numbers = np.sort(numbers)  # the order of the files, for sequential reads
        ends = np.cumsum(self._blocks[kind][numbers])
        samples = np.empty(ends[-1], SAMPLE)
        places = range(0, len(numbers), _GROUP)

        def read_group(place: int) -> None:
            group = slice(place, place + _GROUP)
            for number, end in zip(numbers[group], ends[group], strict=True):
                found = self._read(number, kind)
                samples[end - len(found) : end] = found

        for _ in self._pool.map(read_group, places):
            pass
        return samples

    def _read(self, number: int, kind: str) -> Samples:
        """Return the positions of a block; ``expected`` is in centipawns until scales are known."""
        row = self._blocks[number]
        path, start = self._paths[row["file"]], int(row["start"])
        with open_file(path) as file:
            block = block_at(path, file, start)
        if block is None or fingerprint(block.words) != row["fingerprint"].tobytes():
            raise FormatError(f"{path} has changed since training began, at byte {start}")
        training, validation = read(block)
        found = training if kind == "training" else validation
        if self._scales is not None:
            scale = np.float32(self._scales[row["file"]])
            found["expected"] = logistic(found["expected"] / scale)
        return found


def _describe(block: Block) -> tuple[int, int, int, bytes]:
    """Return the last four fields of `_BLOCK`. Raises `FormatError` if a game is not legal."""
    split(block)
    training, validation = read(block)
    known = training["result"] < UNKNOWN
    return len(training), len(validation), int(known.sum()), fingerprint(block.words)


def load(paths: Sequence[Path]) -> tuple[Samples, Samples]:
    """Return all positions for training, and those for validation.

    Raises `OSError` or `ValueError` for a file that cannot be used, and `ValueError` if no
    positions are found.
    """
    with closing(Blocks(paths)) as blocks:
        return blocks.positions(blocks.training), blocks.validation()
