"""Our training compared with PyTorch's, if that is installed: by ``make test-train``."""

import numpy as np
import pytest

from helpers import naive_nnue
from helpers.samples import boards, flat, samples
from scripts.training import train_nnue
from scripts.training.gradient import backward
from scripts.training.model import Parameters

torch = pytest.importorskip("torch")
reference = pytest.importorskip("scripts.training.reference")


def test_gradients_are_those_of_pytorch() -> None:
    packed = samples(boards(9, 60), 4)
    start = Parameters(flat(naive_nnue.random_network(6)))
    gradients, network = Parameters(), reference.Network(start)
    order = np.arange(len(packed), dtype=np.int32)
    loss = backward(packed, order, np.float32(0.4), *start.parts, *gradients.parts)
    expected = reference.summed_loss(network, packed, 0.4)
    expected.backward()
    assert loss == pytest.approx(expected.item(), rel=1e-4)
    for ours, parameter in zip(gradients.parts, network.parameters(), strict=True):
        theirs = parameter.grad.numpy()
        assert np.allclose(ours, theirs, atol=1e-4 * np.abs(theirs).max())


def test_steps_are_those_of_pytorch() -> None:
    packed = samples(boards(10, 60), 5)
    start = Parameters.random(3)
    network = reference.Network(start)
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.002, weight_decay=0.01)
    trainer = train_nnue.Trainer(Parameters.random(3), 2, 0.4)
    order = np.arange(len(packed), dtype=np.int32)
    for _ in range(5):
        loss = trainer.loss(packed, order)
        optimiser.zero_grad()
        expected = reference.summed_loss(network, packed, 0.4) / len(packed)
        expected.backward()
        assert loss == pytest.approx(expected.item(), rel=1e-3)
        trainer.step(len(packed), 0.002)
        optimiser.step()
    for ours, parameter in zip(trainer.parameters.parts, network.parameters(), strict=True):
        assert np.allclose(ours, parameter.detach().numpy(), atol=2e-4)
