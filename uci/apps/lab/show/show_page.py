"""`pythagoras pv-lab --show`: builds the HTML page of a search from a `ShowRequest`."""

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
"""Maximum number of nodes on a page."""

COUNTED = 1_000_000 if COMPILED else MAX_NODES
"""Maximum number of nodes to count for the error message."""


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """What to show: a name of `engine.lab.laboratory.SEARCHES`, and one or two collectors.

    ``uncleared``: the first collector never clears its rows. ``clusters`` is the size of the table,
    None for the normal size.
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
    """Return the page. Raises `UciError` for an invalid request."""
    task, collectors = search_of(request)
    compiled = _compiled_results(task, collectors, progress)
    recordings = [record(task, collector) for collector in collectors]
    if compiled != [each.found for each in recordings]:
        raise UciError("internal error: the compiled search differs from the interpreted one")
    return build_show(recordings, task.search, _how_made(recordings, task.use == CUT))


def search_of(request: ShowRequest) -> tuple[LabTask, list[Collector]]:
    """Return the search of a request, and its collectors. Raises `UciError`."""
    board = board_of(request.fen)
    if not any(board.generate_legal_moves()):
        raise UciError(f"the side to move has no legal moves: {shorten(board.fen())}")
    use = CUT if request.cutoffs or request.search == "MTD(f)" else STORE
    collectors = [_collector(request.collector, request.uncleared)]
    if request.compare:
        collectors.append(_collector(request.compare))
    if request.clusters and use == STORE and not any(each.reads_table for each in collectors):
        raise UciError(
            "--bug small-table requires a table: add --tt on, or use --collector hash_walk"
        )
    return LabTask(board, request.search, request.depth, use, request.clusters), collectors


def _collector(name: str, broken: bool = False) -> Collector:
    if name not in COLLECTORS:
        known = "; ".join(COLLECTORS)
        raise UciError(f"unknown collector {shorten(name)}: expected one of {known}")
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
    """Return the results of the compiled searches, which give the size of the tree in advance."""
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
                f"the tree has {size} nodes, the maximum is {MAX_NODES:,}: "
                "choose a smaller depth, or a position with fewer moves"
            )
    return results


def _how_made(recordings: list[Recording], cutoffs: bool) -> str:
    """Return a text on how the page was generated."""
    found = recordings[0].found
    told = (
        "This is a recording: the lab’s own code ran as Python, and its calls, reads "
        "and writes were recorded. "
    )
    if COMPILED:
        told += (
            f"The compiled code found the same score and PV, and made as many moves: "
            f"{found.nodes:,}. "
        )
    if cutoffs:
        told += "A transposition table may end a node. "
    return told + "Moves are written from square to square, as they are stored in memory."


def build_show(recordings: Sequence[Recording], search: str, made: str) -> str:
    """Return the page of one search, recorded with one or two collectors.

    ``made`` says how it was generated. Raises `UciError` if the trees differ, or without jinja2.
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
        title=f"{search}, its PV collected by {' and by '.join(names)}",
        subtitle=f"{first.nodes[0].board.fen()}, {plies}, {len(first.nodes)} visits of nodes",
        captions=captions,
        memories=memories,
        lines=final,
        verdicts=[line_report(each) for each in recordings],
        minimax=search == "minimax",
        made=made,
    )
