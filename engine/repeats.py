"""What numba does again and again while it compiles, done once. Imported where there is numba.

The kernels are hundreds, so what it does at each operation counts. The code is the same.
"""

from collections.abc import Callable
from typing import Any

from numba.core import event, types
from numba.core.compiler import Flags
from numba.core.typing.context import BaseContext

_DEFAULTS = {name: option.default for name, option in Flags.options.items()}


def _values(flags: Any) -> dict[str, Any]:
    """Return what numba's own does, without a call for each of two dozen options.

    They are compared with every call that is compiled, a twentieth of the time.
    """
    return {**_DEFAULTS, **flags._values}


def _once(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``resolve``, which finds the signature of a call, with a memory.

    It tries all that numba knows of a function: for one addition dozens, a quarter of the time.
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


def _ignore(*_event: Any, **_details: Any) -> None:
    """Do nothing where numba tells its clocks of a lock, a tenth of the time: nobody reads them."""


def avoid_repeats() -> None:
    """Have numba do each once in this process."""
    Flags.values = _values
    for kind, name in (types.Function, "get_call_type"), (BaseContext, "resolve_function_type"):
        setattr(kind, name, _once(getattr(kind, name)))
    event.start_event = event.end_event = _ignore
