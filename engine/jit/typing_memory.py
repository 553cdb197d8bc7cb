"""Caches for work that numba repeats while it compiles. Needs numba's private parts.

The machine code is the same. Other code in the process never notices: numba is only changed while
we hold its own compiler lock.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from numba.core import event, types
from numba.core.compiler import Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typing.context import BaseContext

_DEFAULTS = {name: option.default for name, option in Flags.options.items()}


def _values(flags: Any) -> dict[str, Any]:
    """Return the values of ``flags`` as numba's own method does, without a call for each option.

    They are compared at every call that is compiled, which takes numba a twentieth of its time.
    """
    return {**_DEFAULTS, **flags._values}


def _once(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``resolve``, which finds the signature of a call, with a cache of its results.

    Without one it tries all overloads of a function, dozens for one addition, which takes a
    quarter of the time.
    """
    signatures: dict[tuple[Any, ...], Any] = {}

    def resolve_once(this: Any, other: Any, arguments: tuple[Any, ...], named: Any) -> Any:
        call = None if named else (this, other, *arguments)
        signature = signatures.get(call) if call else None
        if signature is None:
            signature = resolve(this, other, arguments, named)
            if call and signature is not None:
                signatures[call] = signature
        return signature

    return resolve_once


def _quietly(tell: Callable[..., None]) -> Callable[..., None]:
    """Return ``tell``, which sends events to numba's timers, without the events of our kernels.

    Those take a tenth of the time. Events of threads that wait for numba's lock are still sent.
    """

    def tell_of_others(*event: Any, **details: Any) -> None:
        if not _compiles():
            tell(*event, **details)

    return tell_of_others


_ours = threading.local()


def _compiles() -> bool:
    """Return whether this thread compiles a kernel of ours."""
    return getattr(_ours, "compiles", False)


_REPLACED = [
    (Flags, "values", _values),
    (types.Function, "get_call_type", _once(types.Function.get_call_type)),
    (BaseContext, "resolve_function_type", _once(BaseContext.resolve_function_type)),
    (event, "start_event", _quietly(event.start_event)),
    (event, "end_event", _quietly(event.end_event)),
]


@contextlib.contextmanager
def remembering_types() -> Iterator[None]:
    """Replace these parts of numba in this thread; other threads cannot compile meanwhile."""
    if _compiles():  # a kernel that calls another
        yield
        return
    with global_compiler_lock, contextlib.ExitStack() as undo:
        for place, name, ours in _REPLACED:
            if name in vars(place):
                undo.callback(setattr, place, name, vars(place)[name])
            else:  # inherited
                undo.callback(delattr, place, name)
            setattr(place, name, ours)
        _ours.compiles = True
        undo.callback(setattr, _ours, "compiles", False)
        yield


class _Hastened(CPUDispatcher):  # type: ignore[misc]
    def compile(self, signature: Any) -> Any:
        with remembering_types():
            return super().compile(signature)


def hasten(dispatcher: Any) -> None:
    """Make ``dispatcher`` use the caches when it compiles."""
    dispatcher.__class__ = _Hastened
