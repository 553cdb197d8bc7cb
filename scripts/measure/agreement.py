"""How far two judges agree who sort the same things into the same classes, from good to bad."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scripts.match.elo import wilson_interval

Matrix: TypeAlias = Sequence[Sequence[int]]
"""How often both said what: a row for each class of the reference, a column for each of ours."""


def matrix_of(pairs: Iterable[tuple[int, int]], classes: int) -> list[list[int]]:
    """Count pairs of classes from 0, the reference's first."""
    matrix = [[0] * classes for _ in range(classes)]
    for reference, ours in pairs:
        matrix[reference][ours] += 1
    return matrix


def kappa(matrix: Matrix) -> float:
    """Return the agreement beyond chance, 1 at most, with linear weights (Jacob Cohen, 1968).

    0 is what judges reach who sort by dice, each as often into each class as these. Not a number
    where all is in one class, or nothing in any.
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
    """What was found: how many the reference named, how many we, and how many both."""

    reference: int
    ours: int
    both: int

    @classmethod
    def of(cls, matrix: Matrix, least: int) -> "Detection":
        """Count what is of class ``least`` or worse."""
        return cls(
            sum(map(sum, matrix[least:])),
            sum(sum(row[least:]) for row in matrix),
            sum(sum(row[least:]) for row in matrix[least:]),
        )

    @property
    def recall(self) -> float:
        """The share of the reference's that we found. Not a number where it named none."""
        return self.both / self.reference if self.reference else float("nan")

    @property
    def precision(self) -> float:
        """The share of ours that the reference named too. Not a number where we named none."""
        return self.both / self.ours if self.ours else float("nan")

    def __str__(self) -> str:
        """Both shares, with their 95 % intervals."""
        found, right = share(self.both, self.reference), share(self.both, self.ours)
        return f"recall {found}, precision {right}"


def share(part: int, whole: int) -> str:
    """Return a share in per cent with its 95 % interval."""
    if not whole:
        return "- (of none)"
    low, high = wilson_interval([1.0] * part + [0.0] * (whole - part))
    return f"{part / whole:.1%} ({low:.1%} to {high:.1%})"
