"""Checkpoints: all that training needs to resume with the same result as if it had not ended."""

import io
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from engine.files import replace_file
from scripts.training.blocks import Extent


class State(NamedTuple):
    """The weights (n), the optimiser's moments (2, n), and its number of steps."""

    flat: NDArray[np.float32]
    moments: NDArray[np.float32]
    number: NDArray[np.int64]


@dataclass
class Run:
    """What determines the order of the positions, and how far training has come."""

    seed: int
    batch: int
    shuffle: int
    chunks: int = 0
    """Number of chunks an epoch; 0 before the positions are counted."""

    extents: list[Extent] = field(default_factory=list)
    """The parts of the files that are used; none before they are listed."""

    losses: list[tuple[float, float]] = field(default_factory=list)
    """Mean losses in training and validation of each completed epoch."""

    chunk: int = 0
    step: int = 0
    """Number of the next chunk in the epoch, and of the next step in the chunk."""

    positions: int = 0
    loss: float = 0.0
    """Number of positions of this epoch that were trained on, and the sum of their losses."""


def save(path: Path, state: State, run: Run) -> None:
    """Write a checkpoint, replacing the file atomically."""
    data = io.BytesIO()
    text = np.array(json.dumps(asdict(run)))
    np.savez(data, run=text, flat=state.flat, moments=state.moments, number=state.number)
    replace_file(path, data.getvalue())


def resume(path: Path) -> tuple[State, Run]:
    """Return the content of a checkpoint. Raises `OSError`, or `ValueError` for any other file."""
    try:
        with np.load(path) as saved:
            state = State(saved["flat"], saved["moments"], saved["number"])
            run = Run(**json.loads(str(saved["run"])))
        run.extents = [Extent(*extent) for extent in run.extents]
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a checkpoint of this version of train_nnue") from error
    return state, run
