"""Tunable parameters of the search, each declared once, where it is used.

A parameter is a kernel that returns its value. Usually that is a constant, which the compiler
folds; with ``PYTHAGORAS_TUNE=1`` in the environment it is read from the search thread's record,
and the engine offers every parameter as a UCI option.
"""

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.jit.kernel import instance, kernel
from engine.memory.records import Field
from engine.search.thread_data import ThreadData

TUNING = os.environ.get("PYTHAGORAS_TUNE") == "1"
"""Whether parameters can be set, for tuning."""

_SLOTS = 1 << 14
"""Places for values in the record."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number: its ``default``, the range ``low`` to ``high``, and a ``step`` for tuning."""

    name: str
    default: int
    low: int
    high: int
    step: int


PARAMETERS: list[Parameter] = []
"""All parameters of the modules imported so far."""

PARAMETER_FIELDS: list[Field] = [("parameters", np.int64, _SLOTS)] if TUNING else []
"""The field of a search thread's record that holds the values, only when tuning."""


def _constant(_: ThreadData) -> np.int64:
    return np.int64(VALUE)  # type: ignore[name-defined] # noqa: F821


def _read(th: ThreadData) -> np.int64:
    return th.parameters[SLOT]  # type: ignore[name-defined] # noqa: F821


def parameter(
    name: str, default: int, low: int, high: int, step: int
) -> Callable[[ThreadData], Any]:
    """Declare a parameter and return the kernel that returns its value for a search thread."""
    assert low <= default <= high
    assert _slot(name) not in {_slot(each.name) for each in PARAMETERS}, f"{name}: rename it"
    PARAMETERS.append(Parameter(name, default, low, high, step))
    return kernel(instance(_read if TUNING else _constant, name, SLOT=_slot(name), VALUE=default))


def set_parameters(th: ThreadData, values: dict[str, int]) -> None:
    """Set the parameters of a record to ``values``, the others to their defaults."""
    for each in PARAMETERS:
        th.parameters[_slot(each.name)] = values.get(each.name, each.default)


def _slot(name: str) -> int:
    """Return the place of a parameter's value, which compiled code contains.

    So the place must not depend on the order of imports.
    """
    return zlib.crc32(name.encode()) % _SLOTS
