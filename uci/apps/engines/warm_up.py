"""Loads or compiles the kernels of a command, in its own thread."""

from collections.abc import Callable

from uci.apps.console.signals import ending_at_once
from uci.session.backend import compiling_notice


def compile_kernels(say: Callable[[str], None]) -> None:
    """Load all imported entry points; if they must be compiled, ``say`` so first."""
    from engine.jit import kernel

    if notice := compiling_notice():
        say(notice)
    with ending_at_once():
        kernel.warm()
