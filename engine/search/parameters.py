"""Tunable parameters of the search, each declared once, where it is used.

A parameter is a kernel that returns its value. Usually that is a constant, which the compiler
folds; with ``PYTHAGORAS_TUNE=1`` in the environment it is read from the search thread's record,
and the engine offers every parameter as a UCI option.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.jit.kernel import instance, kernel
from engine.memory.records import Field
from engine.search.thread_data import ThreadData

TUNING = os.environ.get("PYTHAGORAS_TUNE") == "1"
"""Whether parameters can be set, for tuning."""

_MAX_PARAMETERS = 64


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number: its ``default``, the range ``low`` to ``high``, and a ``step`` for tuning."""

    name: str
    default: int
    low: int
    high: int
    step: int


PARAMETERS: list[Parameter] = []
"""All parameters of the modules imported so far, in the order of their index in the record."""

PARAMETER_FIELDS: list[Field] = [("parameters", np.int64, _MAX_PARAMETERS)] if TUNING else []
"""What a search thread's record needs."""


def _constant(_: ThreadData) -> np.int64:
    return np.int64(VALUE)  # type: ignore[name-defined] # noqa: F821


def _read(th: ThreadData) -> np.int64:
    return th.parameters[INDEX]  # type: ignore[name-defined] # noqa: F821


def parameter(
    name: str, default: int, low: int, high: int, step: int
) -> Callable[[ThreadData], Any]:
    """Declare a parameter and return the kernel that returns its value for a search thread."""
    index = len(PARAMETERS)
    assert low <= default <= high
    assert index < _MAX_PARAMETERS
    PARAMETERS.append(Parameter(name, default, low, high, step))
    return kernel(instance(_read if TUNING else _constant, name, INDEX=index, VALUE=default))


def set_parameters(th: ThreadData, values: dict[str, int]) -> None:
    """Set the parameters of a record to ``values``, the others to their defaults."""
    for index, each in enumerate(PARAMETERS):
        th.parameters[index] = values.get(each.name, each.default)
