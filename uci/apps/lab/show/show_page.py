"""`pythagoras pv-lab --show`: from a `ShowRequest` to the HTML page of a search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.jit.kernel import COMPILED
from engine.lab.collectors.collector import Collector
from engine.lab.collectors.uncleared import uncleared
from engine.lab.lab_record import CUT, STORE
from engine.lab.laboratory import LAB, Found, Lab
from engine.lab.registry import COLLECTORS
from uci.apps.console.html_file import html_file
from uci.apps.console.signals import ending_at_once
from uci.apps.lab.show.captions import about
from uci.apps.lab.show.recorder import LabTask, record
from uci.apps.lab.show.recording import Recording
from uci.apps.lab.show.replay import line_report, replay_of
from uci.chess_io.convert import board_of
from uci.errors import UciError, shorten
from uci.session.backend import ProgressCallback

MAX_NODES = 1_000
"""Nodes that a page has room for."""

COUNTED = 1_000_000 if COMPILED else MAX_NODES
"""Nodes that are counted before it is only said that there are more."""


@dataclass(frozen=True, slots=True)
class ShowRequest:
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


def page_of(request: ShowRequest, progress: ProgressCallback) -> str:
    """Return the page; `UciError` for a request that cannot be met."""
    task, collectors = search_of(request)
    compiled = _compiled_results(task, collectors, progress)
    recordings = [record(task, collector) for collector in collectors]
    if compiled != [each.found for each in recordings]:
        raise UciError("interpreted and compiled, the search differs: a fault of ours")
    return build_show(recordings, task.search, _how_made(recordings, task.use == CUT))


def search_of(request: ShowRequest) -> tuple[LabTask, list[Collector]]:
    """Return the search of a request, and its collectors. Raises `UciError`."""
    board = board_of(request.fen)
    if not any(board.generate_legal_moves()):
        raise UciError(f"nobody can move: {shorten(board.fen())}")
    use = CUT if request.cutoffs or request.search == "MTD(f)" else STORE
    collectors = [_collector(request.collector, request.uncleared)]
    if request.compare:
        collectors.append(_collector(request.compare))
    if request.clusters and use == STORE and not any(each.reads_table for each in collectors):
        raise UciError("--bug small-table: there is no table; --tt on and hash_walk have one")
    return LabTask(board, request.search, request.depth, use, request.clusters), collectors


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


def _compiled_results(
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
        if (nodes := results[-1].nodes) > MAX_NODES:
            size = f"more than {COUNTED:,}" if nodes > COUNTED else f"{nodes:,}"
            raise UciError(
                f"the tree has {size} nodes, and a page has room for {MAX_NODES:,}: "
                "search less deep, or a position with fewer moves"
            )
    return results


def _how_made(recordings: list[Recording], cutoffs: bool) -> str:
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


def build_show(recordings: Sequence[Recording], search: str, made: str) -> str:
    """Return the page of one search, recorded with one collector or two.

    ``made`` tells how it was made. Raises `UciError` where the trees differ, or without jinja2.
    """
    first = recordings[0]
    data, captions = replay_of(recordings, search)
    names = [each.collector.name for each in recordings]
    memories: list[dict[str, Any]] = []
    for name in names:
        works, stale = about(name)
        known = any(stale == memory["stale"] for memory in memories)
        memories.append({"name": name, "about": works, "stale": stale, "known": known})
    final = []
    for which in range(len(recordings)):
        told = [step[4][which] for step in data["steps"] if step[4][which] is not None]
        final.append(told[-1] if told and told[-1] else "none")
    plies = "1 ply" if first.found.depth == 1 else f"{first.found.depth} plies"
    return html_file(
        __package__,
        "show",
        [data],
        title=f"{search}, its line collected by {' and by '.join(names)}",
        subtitle=f"{first.nodes[0].board.fen()}, {plies}, {len(first.nodes)} visits of nodes",
        captions=captions,
        memories=memories,
        lines=final,
        verdicts=[line_report(each) for each in recordings],
        minimax=search == "minimax",
        made=made,
    )
