"""Whether somebody watches a stream, and rich to draw there with, if it is installed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console


def console_on(stream: TextIO) -> "Console | None":
    """Return a console of rich's on a terminal; None elsewhere, and where rich is missing."""
    if not stream.isatty() or find_spec("rich") is None:
        return None
    from rich.console import Console

    return Console(file=stream)
