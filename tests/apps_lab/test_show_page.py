"""The HTML page of ``--show`` without a browser: its captions, codes and examples."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.lab.lab_record import CUT, STORE
from engine.lab.registry import COLLECTORS
from helpers.readers import complaints_of_html
from scripts.measure.shows import EXAMPLES
from uci.apps.console.html_file import hash_of
from uci.apps.lab.show import show_page
from uci.apps.lab.show.captions import Captions
from uci.apps.lab.show.memory_story import MemoryStory
from uci.apps.lab.show.recorder import LabTask, record
from uci.apps.lab.show.recording import Recording
from uci.apps.lab.show.replay import line_report, replay_of
from uci.apps.lab.show.show_page import ShowRequest, build_show, page_of, search_of
from uci.chess_io.convert import board_of
from uci.errors import UciError

pytest.importorskip("jinja2")

TWO_PLIES = EXAMPLES["two-plies"].fen
ROOK = "8/8/8/8/8/2k5/7p/K6R w - - 0 1"


def recorded(name: str, fen: str | None = ROOK, search: str = "PVS", depth: int = 2) -> Recording:
    use = CUT if search == "MTD(f)" else STORE
    return record(LabTask(board_of(fen), search, depth, use), COLLECTORS[name])


def test_the_tree_of_the_collectors_page() -> None:
    """The table of events is that of the collectors' page, with moves in place of its letters."""
    recording = recorded("triangular", TWO_PLIES, "fail-hard")
    a, c, d, b, e, f = (Captions(recording, "").move(number) for number in range(1, 7))
    _, captions = replay_of([recording], "fail-hard")
    told = [caption for caption in captions if " improves " in caption]
    rows = [caption.partition(". Row ")[2] for caption in told]
    assert rows == [
        f"1 becomes {c}.",
        f"0 becomes {a} {c}.",
        f"1 becomes {e}.",
        f"1 becomes {f}.",
        f"0 becomes {b} {f}.",
    ]
    assert told[0].startswith(f"{c} improves the node after {a}: ")
    assert told[1].startswith(f"{a} improves the root: ")
    (cleared,) = [caption for caption in captions if caption.startswith(f"{b} is tried")]
    assert cleared.endswith(" Row 1 is cleared.")
    assert not [
        caption for caption in told if caption.startswith(f"{d} improves the node after {a}")
    ]


def test_improvements_of_each_memory() -> None:
    """The same event has the right caption for each kind of memory."""
    words = {
        "quadratic": "Row 0 becomes h1h2 c3d4.",
        "save_line": "Line 0 becomes h1h2 c3d4.",
        "pointers": "Plies 0 and 1 swap their rows, and the move is put in front; "
        "the PV of ply 0 becomes h1h2 c3d4.",
        "line": "The buffer for ply 0 becomes h1h2 c3d4.",
        "single": "The row becomes h1h2 c3d4.",
        "none": "1260 raises alpha.",
    }
    for name, end in words.items():
        _, captions = replay_of([recorded(name)], "PVS")
        (caption,) = [each for each in captions if each.startswith("h1h2 improves the root")]
        assert caption.endswith(end), name


def test_what_is_left_under_keys() -> None:
    wanted = {
        "hash_walk": r"Entry \d+ becomes “root”, h1h2, depth 2, bound =, score 1260\.",
        "pv_hash": r"Slot \d+ becomes “root”, h1h2\.",
        "tree": r"cell 2 becomes “root”, h1h2, next 1, left \d, right \d\.",
        "hash_store": r"Slot \d+ becomes h1h2 c3d4\.",
    }
    for name, pattern in wanted.items():
        _, captions = replay_of([recorded(name)], "PVS")
        assert [each for each in captions if re.search(pattern, each)], (name, captions)


def decoded(data: Any, which: int) -> tuple[list[Any], list[Any]]:
    """Replay the codes of the page; return the final content of the cells, and the extents."""
    memory = data["memories"][which]
    values, extents = list(memory["values"]), list(memory["extents"])
    for step in data["steps"]:
        codes = iter(step[5][which])
        for code in codes:
            if code == "x":
                row, first, end = next(codes), next(codes), next(codes)
                extents[row] = [first, end]
            elif code == "s":
                cell, value = next(codes), next(codes)
                values[cell] = value
            elif code < 0:
                values[-1 - code] = next(codes)
    return values, extents


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTORS)
def test_the_codes_end_in_the_memory(name: str) -> None:
    """Replaying the page's codes gives the recorded memory, with the PV in the root's row."""
    recording = recorded(name)
    data, _ = replay_of([recording], "PVS")
    data = json.loads(json.dumps(data))
    values, extents = decoded(data, 0)
    story = MemoryStory(recording, Captions(recording, "PVS").position)
    for step in recording.steps:
        story.told(step)
    assert [None if value == "?" else value for value in values] == story.values()
    assert [each and tuple(each) for each in extents] == story.extents
    lines = [step[4][0] for step in data["steps"] if step[4][0] is not None]
    assert (lines[-1] if lines else "") == ("h1h2 c3d4" if name != "none" else "")
    if name.startswith(("triangular", "quadratic", "save_line", "single")):
        first, end = extents[0]
        row = data["memories"][0]["panels"][0]["rows"][0][1]
        assert [values[cell] for cell in row[first:end]] == ["h1h2", "c3d4"]


VERDICTS = {
    "two-plies": ("whose last position is worth the same",),
    "square-and-triangle": ("whose last position is worth the same",) * 2,
    "stack-and-pointers": ("whose last position is worth the same",) * 2,
    "no-line": ("and no PV", "PV Rxh2"),
    "not-cleared": (" is illegal", "PV b7#, whose last position"),
    "one-row": ("does not confirm it", "whose last position is worth the same"),
    "cut-short": ("too short: 3 of 4 plies", "whose last position is worth the same"),
    "overwritten": ("too short: 2 of 3 plies", "whose last position is worth the same"),
}


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.slow
def test_examples(name: str) -> None:
    """Each example shows what its text promises; 2,000 events take less than a megabyte."""
    task, collectors = search_of(EXAMPLES[name])
    page = build_show([record(task, each) for each in collectors], task.search, "")
    found = re.findall(r'<p class="verdict"[^>]*>(.*?)</p>', page)
    assert len(found) == len(VERDICTS[name])
    for told, wanted in zip(found, VERDICTS[name], strict=True):
        assert wanted in told
    assert len(page.encode()) < 1_000_000


def test_too_large_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show_page, "MAX_NODES", 20)
    with pytest.raises(UciError, match="the tree has 22 nodes, the maximum is 20: choose"):
        page_of(ShowRequest(ROOK), lambda done, total, what: None)
    monkeypatch.setattr(show_page, "COUNTED", 21)
    with pytest.raises(UciError, match="the tree has more than 21 nodes"):
        page_of(ShowRequest(ROOK), lambda done, total, what: None)


def test_different_trees_are_not_drawn_as_one() -> None:
    with pytest.raises(UciError, match="--compare: the search visits different trees"):
        replay_of([recorded("line"), recorded("line", search="fail-hard")], "PVS")


def test_verdicts() -> None:
    recording = recorded("triangular")
    assert line_report(recording).endswith("PV Rxh2 Kd4, whose last position is worth the same.")
    assert line_report(recorded("none")).endswith(", and no PV.")


def test_script_and_style_are_those_that_the_policy_names() -> None:
    page = build_show([recorded("triangular")], "PVS", "")
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"{tag}-src '{hash_of(content)}'" in page
    assert " style=" not in page
    assert not re.search(r"(?:https?|file|wss?):/", page.replace("http://www.w3.org/2000/svg", ""))


@pytest.mark.external
def test_show_is_valid_html(tmp_path: Path, root: Path) -> None:
    target = tmp_path / "page.html"
    pair = [recorded("tree"), recorded("refutation")]
    target.write_text(build_show(pair, "PVS", ""), encoding="utf-8")
    assert complaints_of_html(root, target) == ""
