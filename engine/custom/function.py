"""An evaluation that a user wrote: a Python function, made ready to be compiled with the search.

Machine code holds the values of all globals that it uses. So the digest by which it is cached
covers the function, the functions that it calls, and every value that these refer to.
"""

import hashlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from engine.custom.rebind import source_of
from engine.jit.intrinsics import TWINS
from engine.jit.kernel import COMPILED, compiled_alone, linked

EvaluationFunction = Callable[..., int]
"""``f(board, by_type, by_colour, side)``: see `pythagoras.evaluation`."""

ARGUMENTS = ((np.int8, 64), (np.uint64, 6), (np.uint64, 2), (np.int64, None))
"""The dtype of each argument of the function, and the length of those that are arrays."""

_LIBRARIES = {*sys.stdlib_module_names, "numpy", "numba", "llvmlite", "engine"}
"""Packages whose functions are left to numba, and are covered by versions or our own digest."""

_DIGITS = 16


class EvaluationError(ValueError):
    """Raised for a function that cannot be used as an evaluation; the message gives the reason."""


class Evaluation:
    """A user's function: its digest, and copies of it to be compiled and to be interpreted."""

    def __init__(self, function: EvaluationFunction) -> None:
        """Read ``function``, which may be decorated by numba; raises `EvaluationError`."""
        source = source_of(function)
        if not isinstance(source, FunctionType):
            raise EvaluationError(f"not a Python function: {function!r}")
        self.name = source.__name__
        self._source = source
        found = hashlib.sha256()
        for fact in _facts(source, set()):
            found.update(b"%d " % len(fact) + fact)
        self.digest = found.hexdigest()[:_DIGITS]
        """Names the function with all that it refers to."""

    def compiled(self) -> Callable[..., Any]:
        """Return a copy to be compiled with the kernel that calls it."""
        return self._copy(linked, _LIBRARIES, {})

    def interpreted(self) -> Callable[..., Any]:
        """Return a copy that runs as plain Python, with the kernels of ours that it calls."""
        return self._copy(lambda function: function, _LIBRARIES - {"engine"}, TWINS)

    def check_types(self) -> None:
        """Compile the function alone, with arrays that it must not write to.

        Raises numba's error, which shows the line, or `EvaluationError` for a result that is not a
        number.
        """
        if COMPILED:
            result = compiled_alone(self.compiled(), ARGUMENTS)
            if not result.startswith(("int", "uint", "float", "bool")):
                raise EvaluationError(f"{self.name} returns {result}, not a number of centipawns")

    def _copy(
        self,
        made: Callable[[Callable[..., Any]], Any],
        libraries: Collection[str],
        twins: Mapping[Any, Any],
    ) -> Callable[..., Any]:
        """Copy the function and the functions that it calls, each passed through ``made``.

        Functions of ``libraries`` are not copied, and ``twins`` maps functions to what replaces
        them.
        """
        copies: dict[FunctionType, Any] = {}

        def replaced(value: Any) -> Any:
            if callable(value) and value in twins:
                return twins[value]
            helper = _helper(value, libraries)
            if helper is None:
                return value
            if helper not in copies:
                names = {**helper.__globals__}
                if made is linked:  # stored code imports its module, which may have another name
                    names["__name__"] = __name__
                cells = [
                    CellType(replaced(cell.cell_contents)) for cell in helper.__closure__ or ()
                ]
                copy = FunctionType(
                    helper.__code__,
                    names,
                    f"{helper.__name__}_{self.digest}",
                    helper.__defaults__,
                    tuple(cells) or None,
                )
                copies[helper] = made(copy)
                for name in _names(helper.__code__) & names.keys():
                    names[name] = replaced(names[name])
            return copies[helper]

        copy: Callable[..., Any] = replaced(self._source)
        return copy


def _helper(value: Any, libraries: Collection[str] = _LIBRARIES) -> FunctionType | None:
    """Return the Python function of ``value``, if it is one and not of ``libraries``."""
    if not callable(value) or isinstance(value, type):
        return None
    source = source_of(value)
    found = isinstance(source, FunctionType) and _package(source.__module__) not in libraries
    return source if found else None


def _package(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield ``code`` and the code of all functions and lambdas inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that ``code`` uses."""
    return {name for each in _codes(code) for name in each.co_names}


def _facts(function: FunctionType, seen: set[FunctionType]) -> Iterator[bytes]:
    """Yield all that the machine code of a function depends on. Raises `EvaluationError`."""
    if function in seen:
        return
    seen.add(function)
    for code in _codes(function.__code__):
        constants = [each for each in code.co_consts if not isinstance(each, CodeType)]
        yield code.co_code
        yield repr((constants, code.co_names, code.co_varnames, code.co_freevars)).encode()
    yield repr(function.__defaults__).encode()
    names = _names(function.__code__)
    used = {name: function.__globals__[name] for name in names & function.__globals__.keys()}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    used |= {name: cell.cell_contents for name, cell in cells}
    for name, value in sorted(used.items()):
        yield name.encode()
        yield from _facts_of(value, name, names, function, seen)


def _facts_of(
    value: Any, name: str, names: set[str], function: FunctionType, seen: set[FunctionType]
) -> Iterator[bytes]:
    """Yield what ``value``, which a function refers to by ``name``, adds to the digest.

    For a module, those are its attributes among ``names``.
    """
    if (helper := _helper(value)) is not None:
        yield from _facts(helper, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__.encode()
        if _package(value.__name__) not in _LIBRARIES:
            for each in sorted(names & vars(value).keys()):
                yield from _facts_of(vars(value)[each], f"{name}.{each}", names, function, seen)
    elif callable(value):
        yield repr((getattr(value, "__module__", None), getattr(value, "__name__", ""))).encode()
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield repr((value.dtype, value.shape)).encode()
        yield value.tobytes()
    elif isinstance(value, tuple):
        yield b"tuple %d" % len(value)
        for each in value:
            yield from _facts_of(each, name, names, function, seen)
    elif value is None or isinstance(value, int | float | complex | str | bytes | np.generic):
        yield repr((type(value).__name__, value)).encode()
    else:
        raise EvaluationError(
            f"{function.__name__} uses {name}, a {type(value).__name__}:"
            " use numbers, tuples, arrays and functions"
        )
