"""``pythagoras warm``: compile the engine now, for all later starts."""

import sys
from time import perf_counter
from typing import TYPE_CHECKING

from uci.session.session import Session

if TYPE_CHECKING:
    from uci.session.backend import Backend, Notice


def warm(session: Session) -> int:
    """Load the kernels, or compile them for all later starts, and print the progress.

    Return the exit status: 1 if they cannot be loaded, or the compiled code cannot be saved.
    """
    started, writer, loader = perf_counter(), session.writer, session.loader
    load = loader.load

    def progress(done: int, total: int, name: str) -> None:
        writer.lines(f"[{done:2}/{total}] {name or 'done'}")

    def load_all(_: "Notice") -> "Backend":
        import engine.datagen.survey  # noqa: F401  (compiles the reader of training games)
        from engine.syzygy.probe_entry import load_probe

        backend = load(writer.lines, progress)
        load_probe()
        return backend

    # Compile in the loader's thread: in this one, signals would be handled seconds late.
    loader.load = load_all
    loader.start()
    while not loader.done.wait(0.2):
        writer.check()
    if loader.error is not None:  # print one line, no traceback
        print(f"pythagoras: {type(loader.error).__name__}: {loader.error}", file=sys.stderr)
        return 1
    writer.lines(f"ready to play after {perf_counter() - started:.1f} s")
    if lost := _lost_code():
        print(f"pythagoras: {lost}", file=sys.stderr)
        return 1
    return 0


def _lost_code() -> str:
    """Return why the compiled code could not be saved, and what to do; empty if it was saved."""
    from engine.jit import kernel
    from engine.user_folders import cache_folder, cache_variable

    if not kernel.COMPILED or not (reason := kernel.unkept()):
        return ""
    try:
        place = f" in {cache_folder()}"
    except RuntimeError:  # there is no home directory
        place = ""
    return (
        f"could not save the compiled code{place}: {reason}; every start will compile again."
        f" Set {cache_variable()} to a folder that you can write to, or run pythagoras doctor"
    )
