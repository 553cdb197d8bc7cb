"""The only interface to numba's compiler: flags, entry points, the cache of compiled code.

A *kernel* is a plain Python function over numpy records. Compiled, it releases the
GIL and divides like C. An *entry point* is a kernel that Python itself calls: only
these are cached on disk, and each carries the kernels that it calls.

A kernel may call itself, but two kernels must never call each other: loaded from the
cache, numba leaves such a call unresolved, and the second process crashes.

Without numba (or with ``NUMBA_DISABLE_JIT=1``) the same functions run interpreted.
"""

import contextlib
import functools
import hashlib
import importlib
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from engine.jit import cache
from engine.jit.background import SecondCompiler
from engine.jit.gc_pauses import collecting_rarely
from engine.jit.numba_cache import use_folder

try:
    import numba
except ModuleNotFoundError as error:
    if error.name != "numba":  # installed, but broken
        raise
    numba = None

COMPILED: bool = numba is not None and not numba.config.DISABLE_JIT
"""Whether kernels run as machine code in this process."""

TESTED_VERSIONS = "0.60", "0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68"
"""Versions of numba whose private parts are used; of others only the public interface is."""

F = TypeVar("F", bound=Callable[..., Any])

Dispatcher: TypeAlias = Any
"""A function that numba compiles when it is called; numba's own classes have no stubs."""

_FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_lacking: list[str] = []


def _accelerated(name: str) -> Any:
    """Return our module ``name``, which uses numba's private parts; ``None`` if it is unusable."""
    if not COMPILED:
        return None
    if ".".join(numba.__version__.split(".")[:2]) not in TESTED_VERSIONS:
        _lacking.append("the engine was not tested with it")
        return None
    try:
        return importlib.import_module(f"engine.jit.{name}")
    except Exception as error:  # noqa: BLE001  (without it numba's public ways remain)
        _lacking.append(str(error))
        return None


_ACCELERATORS = "passes", "typing_memory", "stored_code"
_passes, _typing_memory, _stored_code = map(_accelerated, _ACCELERATORS)
if COMPILED and numba.config.BOUNDSCHECK and (_indices := _accelerated("plain_indices")):
    _indices.use_everywhere()


def slower() -> str:
    """Return why compiling, starts or searches take longer with this numba, or an empty text."""
    if not _lacking:
        return ""
    version = numba.__version__
    return f"with numba {version} compiling, starts or searches take longer: {_lacking[0]}"


def _dispatcher(function: Callable[..., Any], **more: Any) -> Dispatcher:
    """Return ``function``, compiled at its first call from Python, with ``more`` flags."""
    dispatcher = numba.njit(**_FLAGS, **more)(function)
    if _typing_memory:
        _typing_memory.hasten(dispatcher)
    return dispatcher


def kernel(function: F) -> F:
    """Make ``function`` a kernel: it is compiled with the first kernel that calls it."""
    if not COMPILED:
        return function
    compiled: F = (
        _passes.inner(function, _dispatcher, **_FLAGS) if _passes else _dispatcher(function)
    )
    return compiled


def linked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a user's function in a form that kernels can call.

    It may use more of Python than a `kernel`, since numba compiles it with all of its passes.
    """
    return _dispatcher(function) if COMPILED else function


def compiled_alone(function: Dispatcher, arguments: Sequence[tuple[DTypeLike, int | None]]) -> str:
    """Compile a `linked` function, and return the name of its result's type.

    Each argument is ``(dtype, None)`` for a scalar or ``(dtype, length)`` for a read-only array.
    Raises numba's errors.
    """
    kinds = [(numba.from_dtype(np.dtype(dtype)), length) for dtype, length in arguments]
    signature = tuple(
        each if length is None else numba.types.Array(each, 1, "C", readonly=True)
        for each, length in kinds
    )
    function.compile(signature)
    return str(numba.types.unliteral(function.overloads[signature].signature.return_type))


def instance(template: Callable[..., Any], name: str, **bound: Any) -> Callable[..., Any]:
    """Return a copy of the function ``template`` in which ``bound`` replaces globals.

    ``name`` must be unique: it is part of numba's cache key. A closure would not do, since numba
    never finds the cached code of one again.
    """
    copy = FunctionType(
        template.__code__, {**template.__globals__, **bound}, name, None, template.__closure__
    )
    copy.__qualname__ = name
    copy.__doc__ = template.__doc__
    return copy


def _type_of(dtype: np.dtype[Any]) -> Any:
    each = numba.from_dtype(dtype.base)
    return each[::1] if dtype.shape else each


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function`` for the interpreter, where arithmetic wraps as in machine code."""

    @functools.wraps(function)
    def wrap(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return wrap


@functools.cache
def _processor() -> str:
    """Return a digest of the processor's name and features."""
    from llvmlite import binding

    facts = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]


class EntryPoints:
    """Kernels that Python calls, and the folder where their machine code is kept."""

    def __init__(self, name: Callable[[], str] = cache.digest) -> None:
        """Keep the code in the cache's folder ``name``, by default the playing engine's.

        The folder is created when something is loaded or compiled.
        """
        self._name = name
        self._known: list[tuple[Dispatcher, tuple[Any, ...]]] = []
        self._longest: Dispatcher | None = None
        self._lost: Exception | None = None

    @functools.cached_property
    def folder(self) -> Path | None:
        """Where the code is kept; ``None`` if it cannot be kept."""
        try:
            return cache.open_folder(self._name())
        except (OSError, RuntimeError) as error:
            self._lose(error)
            return None

    def unkept(self) -> str:
        """Return why compiled code is not kept; empty if it is kept or no reason is known."""
        return getattr(self._lost, "strerror", None) or str(self._lost or "")

    def _lose(self, error: Exception) -> None:
        self._lost = error

    def entry(
        self, *arguments: DTypeLike, longest: bool = False
    ) -> Callable[[Callable[..., Any]], Dispatcher]:
        """Make a kernel callable from Python; ``arguments`` are its dtypes: records, scalars, or
        with the shape (1,) arrays of one record (`engine.memory.records.array_of`).

        Nothing is compiled before `warm` or the first call. `warm` leaves the one that takes
        ``longest`` to a second process.
        """

        def decorate(function: Callable[..., Any]) -> Dispatcher:
            if not COMPILED:
                return _wrapping(function)
            wide = {"pipeline_class": _passes.WideCompiler} if _passes else {}
            dispatcher = _dispatcher(function, **wide)
            if _stored_code:
                dispatcher._cache = _stored_code.Stored(
                    _name_of(dispatcher), lambda: self.folder, self._lose
                )
            signature = tuple(_type_of(np.dtype(a)) for a in arguments)
            self._known.append((dispatcher, signature))
            if longest:
                self._longest = dispatcher
            return dispatcher

        return decorate

    def is_warm(self) -> bool:
        """Return whether all imported entry points can be loaded without compiling."""
        if not COMPILED:
            return True
        return (
            self.folder is not None
            and cache.is_complete(self.folder, self._marks())
            and (_stored_code is None or all(_is_stored(*known) for known in self._known))
        )

    def warm(self, progress: Callable[[int, int, str], None] | None = None) -> None:
        """Load every imported entry point from the cache, or compile it once for all processes.

        ``progress(done, total, name)`` is called before each entry point and once at the
        end, and only when something has to be compiled.
        """
        if self.is_warm() or self.folder is None:
            self._compile_all(None if self.is_warm() else progress)
            return
        with cache.compiling(self.folder):
            cold = not self.is_warm()
            self._compile_all(progress if cold else None, cold)
            if not self._lost:
                cache.mark_complete(self.folder, self._marks())

    def compile(self, name: str) -> None:
        """Compile the entry point ``name`` ("module.function") into the cache."""
        for dispatcher, signature in self._known:
            if _name_of(dispatcher) == name:
                with collecting_rarely():
                    self._compile(dispatcher, signature)

    def _marks(self) -> list[str]:
        """Return the names of all entry points, each with this processor's digest."""
        return [f"{_name_of(dispatcher)}@{_processor()}" for dispatcher, _ in self._known]

    def _compile_all(
        self, progress: Callable[[int, int, str], None] | None, shared: bool = False
    ) -> None:
        second = None
        if shared and self._longest:
            second = SecondCompiler(self._longest.py_func.__module__, self._longest.__name__)
            self._known.sort(key=lambda known: known[0] is self._longest)
        for done, (dispatcher, signature) in enumerate(self._known):
            if progress:
                progress(done, len(self._known), dispatcher.__name__)
            if second and dispatcher is self._longest:
                second.wait()
            self._compile(dispatcher, signature)
        if progress:
            progress(len(self._known), len(self._known), "")

    def _compile(self, dispatcher: Dispatcher, signature: tuple[Any, ...]) -> None:
        if _stored_code or self.folder is None:
            dispatcher.compile(signature)
            return
        try:
            use_folder(self.folder, dispatcher)
        except (OSError, RuntimeError) as error:  # a full disk; numba found no place
            self._lose(error)
        try:
            dispatcher.compile(signature)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            if signature in dispatcher.signatures:  # compiled, but not stored
                self._lose(error)
                return
            with contextlib.suppress(OSError):
                dispatcher.recompile()  # drops the stored code, here a damaged file
            dispatcher.compile(signature)


def code_address(dispatcher: Dispatcher) -> int:
    """Return the address of a compiled entry point, a C function of its scalars, for `caller`.

    It is 0 before `EntryPoints.warm`, or if this numba does not reveal it; when interpreted, it is
    some other number.
    """
    if not COMPILED:
        return 1
    try:
        (code,) = dispatcher.overloads.values()
        return int(code.library.get_pointer_to_function(code.fndesc.llvm_cfunc_wrapper_name))
    except (AttributeError, ValueError):
        return 0


def _is_stored(dispatcher: Dispatcher, signature: tuple[Any, ...]) -> bool:
    """Return whether the code of an entry point is in the cache, undamaged."""
    return bool(dispatcher._cache.is_sound(signature, dispatcher.targetctx))


def _name_of(dispatcher: Dispatcher) -> str:
    """Return the name under which code is kept.

    For a source outside the engine it ends with a digest of that source, which the digest in the
    folder's name does not cover.
    """
    function = dispatcher.py_func
    name = f"{function.__module__}.{dispatcher.__name__}"
    if function.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return name
    return f"{name}-{_digest_of(function.__code__.co_filename)}"


@functools.cache
def _digest_of(source: str) -> str:
    try:
        return hashlib.sha256(Path(source).read_bytes()).hexdigest()[:12]
    except OSError:  # typed at a prompt
        return ""


PLAY = EntryPoints()
"""The entry points of the playing engine; the laboratory has its own."""

entry, is_warm, warm, unkept = PLAY.entry, PLAY.is_warm, PLAY.warm, PLAY.unkept


def clock() -> float:
    """Return the milliseconds of a steady clock, for the Python that runs between kernels."""
    return time.perf_counter() * 1000.0
