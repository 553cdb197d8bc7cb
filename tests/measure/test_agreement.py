"""The agreement (kappa) of two judges, compared with published values."""

import math
import random

import pytest

from scripts.measure.agreement import Detection, kappa, matrix_of, share


def test_kappa_of_two_classes() -> None:
    """The usual textbook example gives 0.4; with two classes weights make no difference."""
    assert kappa([[20, 5], [10, 15]]) == pytest.approx(0.4)


def test_weighted_kappa() -> None:
    """An example with linear weights from the tests of scikit-learn."""
    first = [0] * 46 + [1] * 44 + [2] * 10
    second = [0] * 50 + [1] * 40 + [2] * 10
    matrix = matrix_of(zip(first, second, strict=True), 3)
    assert matrix == [[46, 0, 0], [4, 40, 0], [0, 0, 10]]
    assert kappa(matrix) == pytest.approx(0.9412, abs=5e-5)


def test_further_apart_is_worse() -> None:
    near = [[50, 5, 0, 0], [0, 20, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]]
    far = [[50, 0, 0, 5], [0, 20, 0, 0], [0, 0, 20, 0], [0, 0, 0, 20]]
    assert kappa(far) < kappa(near) < 1


def test_kappa_of_dice_and_of_twins() -> None:
    rng = random.Random(1)
    dice = [(rng.choice([0, 0, 0, 1, 2, 3]), rng.choice([0, 0, 1, 1, 2, 3])) for _ in range(50_000)]
    assert abs(kappa(matrix_of(dice, 4))) < 0.02
    twins = matrix_of([(first, first) for first, _ in dice], 4)
    assert kappa(twins) == 1
    assert kappa([[0, 3], [3, 0]]) == -1
    assert math.isnan(kappa([[7, 0], [0, 0]]))
    assert math.isnan(kappa([[0, 0], [0, 0]]))


def test_what_is_found() -> None:
    matrix = [[900, 30, 4, 1], [20, 50, 9, 2], [3, 8, 20, 5], [1, 1, 6, 30]]
    found = Detection.of(matrix, 2)
    assert (found.reference, found.ours, found.both) == (74, 77, 61)
    assert str(found).startswith("recall 82.4% (")
    assert "precision 79.2% (" in str(found)
    assert str(Detection.of([[5, 0], [0, 0]], 1)) == "recall - (of none), precision - (of none)"


def test_a_share_has_an_interval() -> None:
    assert share(60, 80) == "75.0% (64.5% to 83.2%)"
    assert share(0, 0) == "- (of none)"
