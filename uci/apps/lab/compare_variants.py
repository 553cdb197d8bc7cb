"""Variants of the engine's search: run as an engine, or compared in a table."""

from collections.abc import Callable
from pathlib import Path

from engine.search.limits import Limits
from uci.apps.console.signals import INTERRUPTED, ending_at_once
from uci.apps.lab.pv_trace import SearchSetting, TraceResult, sample_positions, table, trace_lines
from uci.chess_io.positions import read_positions
from uci.errors import UciError, counted
from uci.session import backend
from uci.session.backend import Backend, Notice
from uci.session.bench import POSITIONS

VARIANT_HASH_MB = 16


def loader(name: str) -> Callable[[Notice], Backend]:
    """Return a function that loads the engine with a variant of its search. Raises `UciError`."""
    from engine.lab.variants import VARIANTS

    if name not in VARIANTS:
        raise UciError(f"--variant {name}: expected {', '.join(VARIANTS)}")

    def load(notice: Notice) -> Backend:
        from engine.lab.laboratory import LAB
        from engine.lab.variants import VariantSearcher

        backend.load(notice)
        searcher = VariantSearcher(name)
        LAB.warm()
        return backend.Backend(searcher)

    return load


def run_variants(
    epd: Path | None, sample: int | None, depth: int, say: Callable[[str], None]
) -> int:
    """Search positions with every variant, and print a table of nodes and PV faults.

    The hash table is kept between positions, as in the bench. Failed checks are a result, not an
    error: the exit status is 0. Ctrl-C prints the table so far. Raises `UciError`.
    """
    from engine.lab.laboratory import LAB
    from engine.lab.variants import VARIANTS, VariantSearcher

    boards = sample_positions(read_positions(epd, POSITIONS), sample)
    with ending_at_once():
        backend.load(say)
        searchers = {name: VariantSearcher(name, VARIANT_HASH_MB) for name in VARIANTS}
        LAB.warm(lambda done, total, what: say(f"[{done:2}/{total}] {what or 'done'}"))
    results: list[TraceResult] = []
    status = 0
    try:
        for name, searcher in searchers.items():
            setting = SearchSetting(name, Limits(depth=depth), VARIANT_HASH_MB)
            for result in trace_lines(searcher, boards, setting):
                if result not in results[-1:]:
                    results.append(result)
            say(f"{name}: {counted(len(boards), 'position')} to depth {depth}")
    except KeyboardInterrupt:
        say("stopped: the table covers the positions searched so far")
        status = INTERRUPTED
    for line in table(results) if results else ():
        say(line)
    return status
