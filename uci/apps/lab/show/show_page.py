"""The page of a search at work."""

from collections.abc import Sequence

from uci.apps.console.html_file import one_file
from uci.apps.games.analysis_document import Json
from uci.apps.lab.show.collector_docs import about
from uci.apps.lab.show.recording import Recording
from uci.apps.lab.show.replay import replay_of, verdict


def build_show(recordings: Sequence[Recording], search: str, made: str) -> str:
    """Return the page of one search, recorded with one collector or two.

    ``made`` tells how it was made. Raises `UciError` where the trees differ, or without jinja2.
    """
    first = recordings[0]
    data, captions = replay_of(recordings, search)
    names = [each.collector.name for each in recordings]
    memories: list[Json] = []
    for name in names:
        works, stale = about(name)
        known = any(stale == memory["stale"] for memory in memories)
        memories.append({"name": name, "about": works, "stale": stale, "known": known})
    final = []
    for which in range(len(recordings)):
        told = [step[4][which] for step in data["steps"] if step[4][which] is not None]
        final.append(told[-1] if told and told[-1] else "none")
    plies = "1 ply" if first.found.depth == 1 else f"{first.found.depth} plies"
    return one_file(
        __package__,
        "show",
        [data],
        title=f"{search}, its line collected by {' and by '.join(names)}",
        subtitle=f"{first.nodes[0].board.fen()}, {plies}, {len(first.nodes)} visits of nodes",
        captions=captions,
        memories=memories,
        lines=final,
        verdicts=[verdict(each) for each in recordings],
        minimax=search == "minimax",
        made=made,
    )
