"""The chess engine Pythagoras, inside your own process.

>>> import chess
>>> from chess.engine import Limit
>>> from pythagoras import Engine
>>> with Engine() as engine:
...     result = engine.play(chess.Board("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1"), Limit(depth=3))
>>> result.move
Move.from_uci('g5g7')

`Engine` has the methods of `chess.engine.SimpleEngine`, `AsyncEngine` the coroutines of
`chess.engine.UciProtocol`. Importing this package loads neither; the first use does.
"""

TYPE_CHECKING = False
"""As in `typing`, whose slow import would delay the handling of Ctrl-C."""

if TYPE_CHECKING:
    from uci.chess_io.mate_certificate import MateCertificate as MateCertificate

    from .async_engine import AsyncEngine as AsyncEngine
    from .engine import Engine as Engine

_HOMES = {
    "AsyncEngine": "pythagoras.async_engine",
    "Engine": "pythagoras.engine",
    "MateCertificate": "uci.chess_io.mate_certificate",
    "__version__": "uci",
}

__all__ = ["AsyncEngine", "Engine", "MateCertificate", "__version__"]


def __getattr__(name: str) -> object:
    """Import the attribute on first use (PEP 562). Raises `ImportError` if other packages shadow
    ours."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _check_ours("uci", "uci.session.session")
    _check_ours("engine", "engine.jit.kernel")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _check_ours(package: str, module: str) -> None:
    """Raise `ImportError` if Python finds another ``package`` than the one with ``module``."""
    from importlib.util import find_spec

    found = find_spec(package)
    if found is None:
        raise ImportError(
            f"pythagoras is incomplete, install it again: its package {package!r} is missing"
        )
    try:
        ours = find_spec(module)
    except ModuleNotFoundError:
        ours = None
    if ours is None:
        places = found.origin or list(found.submodule_search_locations or ())
        raise ImportError(
            f"pythagoras needs its own package {package!r}, but Python finds {places} first:"
            " remove that from the path"
        )
