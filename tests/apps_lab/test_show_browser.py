"""The HTML page of ``--show``, which replays a search, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.lab.lab_record import STORE
from engine.lab.registry import COLLECTORS
from helpers.browser import complaints, media, press, requests, resize, show
from helpers.readers import package
from uci.apps.lab.show.memory_story import MemoryStory
from uci.apps.lab.show.recorder import LabTask, record
from uci.apps.lab.show.recording import ENTER, Recording
from uci.apps.lab.show.replay import replay_of
from uci.apps.lab.show.show_page import build_show
from uci.chess_io.convert import board_of

pytestmark = pytest.mark.external

NAMES = ("triangular", "line")
FEN = "8/8/8/8/8/2k5/7p/K6R w - - 0 1"

CELLS = """
return [0, 1].map((which) => {
  const part = document.querySelector(`[data-part="memory${which}"]`), found = {};
  for (const td of part.querySelectorAll("td[title]"))
    found[td.title] = [td.textContent, td.className];
  return found;
});
"""
EVERY_STEP = """
const cells = new Function(arguments[0]), found = [];
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const text = (name) => document.querySelector(`[data-part="${name}"]`).textContent;
const nodes = () => [...document.querySelectorAll(".node:not([hidden])")];
const seen = () => nodes().map((node) => Number(node.dataset.node));
const state = () => [text("caption"), text("line0"), text("line1"), cells(), seen()];
press("Home");
for (let step = 0; step < arguments[1]; step++) { found.push(state()); press("ArrowRight"); }
for (let step = arguments[1] - 1; step >= 0; step--) { // and back: the same again
  const again = JSON.stringify(state());
  if (again !== JSON.stringify(found[step])) throw new Error(`step ${step}: ${again}`);
  press("ArrowLeft");
}
return found;
"""


@pytest.fixture(scope="module")
def recordings() -> list[Recording]:
    task = LabTask(board_of(FEN), "PVS", 2, STORE)
    return [record(task, COLLECTORS[name]) for name in NAMES]


@pytest.fixture(scope="module")
def path(recordings: list[Recording], tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("show") / "show.html"
    target.write_text(build_show(recordings, "PVS", "Made by a test."), encoding="utf-8")
    return target


@pytest.fixture
def page(path: Path, driver: Any) -> Iterator[Any]:
    """Yield the opened page; assert afterwards that the browser logged no error."""
    resize(driver, 1200, 900)
    media(driver)
    driver.get("about:blank")
    show(driver, path)
    yield driver
    assert complaints(driver) == []
    assert requests(driver) == []


def text_of_part(page: Any, name: str) -> str:
    return str(page.find_element("css selector", f'[data-part="{name}"]').text)


def step_now(page: Any) -> str:
    return text_of_part(page, "place")


def test_every_step_is_that_of_the_recording(page: Any, recordings: list[Recording]) -> None:
    """Forward and back, the captions, lines, cells, highlights, stale marks and tree are right."""
    _, captions = replay_of(recordings, "PVS")
    found = page.execute_script(EVERY_STEP, CELLS, len(captions))
    stories = [MemoryStory(each, str) for each in recordings]
    seen: list[int] = []
    stale = 0
    for number, (caption, *lines, cells, tree) in enumerate(found):
        steps = [each.steps[number] for each in recordings]
        seen += [steps[0].node] * (steps[0].kind == ENTER)
        assert sorted(tree) == seen
        assert caption == captions[number]
        for which, (story, step) in enumerate(zip(stories, steps, strict=True)):
            story.told(step)
            line = " ".join(text for text in self_written(step.line))
            assert lines[which] == (line or "none yet")
            shown = {name: text for name, (text, _) in cells[which].items()}
            values = zip(story.cell_names(), story.values(), strict=True)
            assert {n: t for n, t in shown.items() if t != "?"} == {
                n: "" if v is None else str(v) for n, v in values if shown[n] != "?"
            }
            lit = {
                name: look.split()[0]
                for name, (_, look) in cells[which].items()
                if look.startswith(("read", "write"))
            }
            names = dict(zip(story.cells, story.cell_names(), strict=True))
            wanted: dict[str, str] = {}
            for access in step.accesses:
                name = names.get((access.field, access.index), "")
                if name and wanted.get(name) != "write":
                    wanted[name] = "write" if access.writes else "read"
            assert lit == wanted
            stale += sum("stale" in look for _, look in cells[which].values())
    assert stale > 0


def self_written(line: tuple[int, ...]) -> list[str]:
    from uci.chess_io.convert import move_to_uci

    return [move_to_uci(move, chess960=False) for move in line]


def test_keys_and_buttons(page: Any, recordings: list[Recording]) -> None:
    steps = recordings[0].steps
    last = len(steps) - 1
    press(page, "ARROW_RIGHT", "ARROW_RIGHT", "ARROW_LEFT")
    assert step_now(page) == f"1 of {last}"
    press(page, "END", "ARROW_RIGHT")
    assert step_now(page) == f"{last} of {last}"
    press(page, "HOME", "ARROW_LEFT")
    assert step_now(page) == f"0 of {last}"
    writing = [
        number
        for number in range(1, last)
        if any(access.writes for each in recordings for access in each.steps[number].accesses
               if access.field != "allocated")
    ]  # fmt: skip
    press(page, "w", "w")
    assert step_now(page) == f"{writing[1]} of {last}"
    press(page, "HOME", "l")
    changing = [n for n in range(1, last + 1) if steps[n].line != steps[n - 1].line]
    assert step_now(page) == f"{changing[0]} of {last}"
    for action, wanted in (("Home", 0), ("ArrowRight", 1), ("End", last), ("ArrowLeft", last - 1)):
        page.find_element("css selector", f'[data-action="{action}"]').click()
        assert step_now(page) == f"{wanted} of {last}"
    page.find_element("css selector", '.node[data-node="1"] rect').click()
    assert step_now(page) == f"1 of {last}"


def test_single_accesses(page: Any) -> None:
    """Single accesses are shown one by one, within a step and across steps, forward and back."""
    press(page, "HOME", ".")
    told = []
    for _ in range(12):
        press(page, ".")
        told.append((step_now(page), text_of_part(page, "caption")))
    assert told[0][0].startswith("1 of ")
    assert "Reads row" not in told[0][1]
    assert any(text.startswith("Writes pv_length[1] = 0") for _, text in told)
    for wanted in reversed(told[:-1]):
        press(page, ",")
        assert (step_now(page), text_of_part(page, "caption")) == wanted
    press(page, "ARROW_RIGHT")
    assert "access" not in step_now(page)


def test_playing(page: Any, recordings: list[Recording]) -> None:
    from selenium.webdriver.support.ui import Select, WebDriverWait

    Select(page.find_element("css selector", '[data-part="speed"]')).select_by_value("10")
    page.find_element("css selector", '[data-part="play"]').click()
    last = len(recordings[0].steps) - 1
    WebDriverWait(page, 60).until(lambda _: step_now(page) == f"{last} of {last}")
    WebDriverWait(page, 60).until(lambda _: text_of_part(page, "play") == "Play")
    assert "whose last position is worth the same" in text_of_part(page, "verdict0")


def test_a_link_to_a_step(page: Any, path: Path, recordings: list[Recording]) -> None:
    last = len(recordings[0].steps) - 1
    for link, wanted in (
        ("#7", f"7 of {last}"),
        ("#1.2", f"1 of {last}, access 2 of "),
        ("#9999", f"{last} of {last}"),
        ("#x.y", f"0 of {last}"),
    ):
        page.get("about:blank")
        page.get(path.as_uri() + link)
        assert step_now(page).startswith(wanted)
    press(page, "HOME", "ARROW_RIGHT")
    assert page.current_url.endswith("#1")
    page.execute_script("document.querySelector('details').open = true")
    page.find_element("css selector", '.story a[href="#5"]').click()
    assert step_now(page) == f"5 of {last}"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_too_wide_and_axe_is_content(
    width: int, dark: bool, page: Any, root: Path
) -> None:
    resize(page, width, 900)
    media(page, dark=dark)
    press(page, "HOME", "l", "w")
    wide, inner = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    back = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, back[4:-1].split(","))) < 200) == dark
    source = (package(root, "axe-core") / "axe.min.js").read_text(encoding="utf-8")
    page.execute_script(f"{source}; document.querySelector('details').open = true;")
    found = page.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    bad = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in bad] == []
    assert len(found["passes"]) > 20


def test_on_paper(page: Any) -> None:
    media(page, "print")
    assert not page.find_element("css selector", '[data-action="w"]').is_displayed()
    assert page.find_element("css selector", ".memory table").is_displayed()
