"""`pythagoras pv-lab --show`: from what was asked for to a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.jit.kernel import COMPILED
from engine.lab.collectors.collector import Collector
from engine.lab.collectors.uncleared import uncleared
from engine.lab.lab_record import CUT, STORE
from engine.lab.laboratory import LAB, Found, Lab
from engine.lab.registry import COLLECTORS
from uci.apps.console.signals import ending_at_once
from uci.apps.lab.show.recorder import LabTask, record
from uci.apps.lab.show.recording import Recording
from uci.apps.lab.show.show_page import build_show
from uci.chess_io.convert import board_of
from uci.errors import UciError, shorten
from uci.session.backend import ProgressCallback

MOST_NODES = 1_000
"""Nodes that a page has room for."""

COUNTED = 1_000_000 if COMPILED else MOST_NODES
"""Nodes that are counted before it is only said that there are more."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What to show: a name of `engine.lab.laboratory.SEARCHES`, of its collectors one or two.

    ``uncleared``: the first never clears its rows. ``clusters`` is the size of the table, if it is
    to be small.
    """

    fen: str | None
    search: str = "PVS"
    collector: str = "triangular"
    compare: str | None = None
    depth: int = 2
    cutoffs: bool = False
    uncleared: bool = False
    clusters: int | None = None


def page_of(wish: Wish, progress: ProgressCallback) -> str:
    """Return the page; `UciError` for a wish that cannot be granted."""
    task, collectors = granted(wish)
    compiled = _by_machine_code(task, collectors, progress)
    recordings = [record(task, collector) for collector in collectors]
    if compiled != [each.found for each in recordings]:
        raise UciError("interpreted and compiled, the search differs: a fault of ours")
    return build_show(recordings, task.search, _made(recordings, task.use == CUT))


def granted(wish: Wish) -> tuple[LabTask, list[Collector]]:
    """Return the search that a wish stands for, and its collectors. Raises `UciError`."""
    board = board_of(wish.fen)
    if not any(board.generate_legal_moves()):
        raise UciError(f"nobody can move: {shorten(board.fen())}")
    use = CUT if wish.cutoffs or wish.search == "MTD(f)" else STORE
    collectors = [_collector(wish.collector, wish.uncleared)]
    if wish.compare:
        collectors.append(_collector(wish.compare))
    if wish.clusters and use == STORE and not any(each.reads_table for each in collectors):
        raise UciError("--bug small-table: there is no table; --tt on and hash_walk have one")
    return LabTask(board, wish.search, wish.depth, use, wish.clusters), collectors


def _collector(name: str, broken: bool = False) -> Collector:
    if name not in COLLECTORS:
        known = "; ".join(COLLECTORS)
        raise UciError(f"no collector {shorten(name)}; there are: {known}")
    collector = COLLECTORS[name]
    if not broken:
        return collector
    try:
        return uncleared(collector)
    except ValueError as error:
        raise UciError(f"--bug no-clear: {error}") from None


def _by_machine_code(
    task: LabTask, collectors: Sequence[Collector], progress: ProgressCallback
) -> list[Found]:
    """Return what the compiled searches find, which tells the size of the tree beforehand."""
    labs = [Lab(task.search, collector) for collector in collectors]
    with ending_at_once():
        LAB.warm(progress)
    results = []
    for lab in labs:
        task.prepare(lab, COUNTED + 1)
        results.append(lab.search(task.depth))
        if (nodes := results[-1].nodes) > MOST_NODES:
            size = f"more than {COUNTED:,}" if nodes > COUNTED else f"{nodes:,}"
            raise UciError(
                f"the tree has {size} nodes, and a page has room for {MOST_NODES:,}: "
                "search less deep, or a position with fewer moves"
            )
    return results


def _made(recordings: list[Recording], cutoffs: bool) -> str:
    """Return how the page was made."""
    found = recordings[0].found
    told = (
        "This search has happened: the laboratory’s own code ran as Python, and what it called, "
        "read and wrote was noted. "
    )
    if COMPILED:
        told += (
            f"As machine code it found the same score and line, and made as many moves: "
            f"{found.nodes:,}. "
        )
    if cutoffs:
        told += "A transposition table may end a node. "
    return told + "Moves are written from square to square, as they lie in memory."
