"""The network during training: 32-bit floats, and their quantisation to the engine's integers."""

import math

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.features import FEATURES
from engine.evaluation.shape import BUCKETS, HIDDEN, NETWORK, ONE, OUTPUT_ONE, Network
from engine.memory.records import new_record

CLIP = 1.98
"""Weights and biases are clamped to ± this, so that sums of 33 of them fit 16 bits."""

OUTPUT_CLIP = 127 / OUTPUT_ONE
"""Output weights are clamped to ± this, so that 255 times their quantised values fit 16 bits."""


_SHAPES = ((FEATURES, HIDDEN), (HIDDEN,), (BUCKETS, 2, HIDDEN), (BUCKETS,))
SIZE = sum(math.prod(shape) for shape in _SHAPES)


class Parameters:
    """The weights and biases, or their gradients: one ``float32`` array ``flat``, and its parts.

    ``weights`` (FEATURES, HIDDEN), ``bias`` (HIDDEN), ``output`` (BUCKETS, 2, HIDDEN) with the
    mover's perspective first, ``output_bias`` (BUCKETS).
    """

    def __init__(self, flat: NDArray[np.float32] | None = None) -> None:
        """Create the views of the parts of ``flat``, by default zeros."""
        self.flat = np.zeros(SIZE, np.float32) if flat is None else flat
        ends = np.cumsum([math.prod(shape) for shape in _SHAPES])
        parts = np.split(self.flat, ends[:-1])
        self.parts = [part.reshape(shape) for part, shape in zip(parts, _SHAPES, strict=True)]
        self.weights, self.bias, self.output, self.output_bias = self.parts

    @classmethod
    def random(cls, seed: int) -> "Parameters":
        """Return random initial parameters, the same for the same ``seed``.

        Weights are normal, with the deviation that preserves the size of activations (Kaiming He
        and others, 2015), half of the inputs excluding the other half; all buckets are equal.
        """
        rng = np.random.default_rng(seed)
        start = cls()
        start.weights[:] = rng.normal(0, np.sqrt(4 / FEATURES), start.weights.shape)
        start.output[:] = rng.normal(0, np.sqrt(1 / HIDDEN), start.output[0].shape)
        return start

    @classmethod
    def of(cls, net: Network) -> "Parameters":
        """Return the parameters of ``net``, up to the rounding of `quantise`."""
        start = cls()
        start.weights[:] = net.weights / np.float32(ONE)
        start.bias[:] = net.bias / np.float32(ONE)
        start.output[:] = net.output / np.float32(OUTPUT_ONE)
        start.output_bias[:] = net.output_bias / np.float32(ONE * OUTPUT_ONE)
        return start


def quantise(parameters: Parameters, scale: int) -> Network:
    """Return the engine's `NETWORK` record; ``scale`` centipawns are an output of 1."""
    net = new_record(NETWORK)
    net.weights[:] = np.rint(parameters.weights * ONE)
    net.bias[:] = np.rint(parameters.bias * ONE)
    net.output[:] = np.rint(parameters.output * OUTPUT_ONE)
    net.output_bias[:] = np.rint(parameters.output_bias * (ONE * OUTPUT_ONE))
    net.scale = scale
    return net
