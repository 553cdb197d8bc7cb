"""Measures of agreement between two judges who sort items into classes, from good to bad."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scripts.match.elo import wilson_interval

Matrix: TypeAlias = Sequence[Sequence[int]]
"""A confusion matrix: a row for each class of the reference, a column for each of ours."""


def matrix_of(pairs: Iterable[tuple[int, int]], classes: int) -> list[list[int]]:
    """Count pairs of classes, from 0; the reference's class is first."""
    matrix = [[0] * classes for _ in range(classes)]
    for reference, ours in pairs:
        matrix[reference][ours] += 1
    return matrix


def kappa(matrix: Matrix) -> float:
    """Return the agreement beyond chance, at most 1, with linear weights (Jacob Cohen, 1968).

    0 is the agreement of random judges with the same class frequencies. NaN if all items are in one
    class, or there are none.
    """
    rows = [sum(row) for row in matrix]
    columns = [sum(column) for column in zip(*matrix, strict=True)]
    apart = by_chance = 0.0
    total = max(1, sum(rows))
    for i, row in enumerate(matrix):
        for j, count in enumerate(row):
            apart += abs(i - j) * count
            by_chance += abs(i - j) * rows[i] * columns[j] / total
    return 1 - apart / by_chance if by_chance else float("nan")


@dataclass(frozen=True, slots=True)
class Detection:
    """A detection: how many items the reference found, how many we found, and how many both."""

    reference: int
    ours: int
    both: int

    @classmethod
    def of(cls, matrix: Matrix, least: int) -> "Detection":
        """Count the items of class ``least`` or worse."""
        return cls(
            sum(map(sum, matrix[least:])),
            sum(sum(row[least:]) for row in matrix),
            sum(sum(row[least:]) for row in matrix[least:]),
        )

    def __str__(self) -> str:
        """Recall and precision, with their 95 % intervals."""
        found, right = share(self.both, self.reference), share(self.both, self.ours)
        return f"recall {found}, precision {right}"


def share(part: int, whole: int) -> str:
    """Return a share in percent with its 95 % interval."""
    if not whole:
        return "- (of none)"
    low, high = wilson_interval([1.0] * part + [0.0] * (whole - part))
    return f"{part / whole:.1%} ({low:.1%} to {high:.1%})"
