"""The report of many games in a real browser of five widths: names and openings of all lengths."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import browser, need, resize, show
from helpers.documents import document_of, random_games
from uci.apps.analyse.report.page import build_page
from uci.apps.games.openings import Opening

pytestmark = pytest.mark.external

WIDTHS = [390, 768, 1024, 1200, 1600]
HEBREW = "אורי קובו (ISR)"
NAMES = ["Nepomniachtchi, Ian", HEBREW, "Praggnanandhaa Rameshbabu", "x" * 40, "Tal"]
OPENINGS = [
    ("B90", "Sicilian Defense: Najdorf Variation, English Attack, Anti-English"),
    ("C67", "Ruy Lopez: Berlin Defense, Rio Gambit Accepted"),
]

WORDS = """
const broken = [];
for (const name of document.querySelectorAll(".games bdi, .total bdi, .sides bdi")) {
  const text = name.firstChild, range = document.createRange();
  for (const word of text.data.matchAll(/\\S+/g)) {
    if (word[0].length > 16) continue;
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) broken.push(word[0]);
  }
}
return broken;
"""
CELLS_OUTSIDE = """
const box = document.querySelector(".games .wide").getBoundingClientRect();
return [...document.querySelectorAll(".games td")]
  .filter((cell) => cell.getBoundingClientRect().right > box.right + 0.5).length;
"""
GAMES_IN_SIGHT = """
const box = document.querySelector(".games .wide").getBoundingClientRect();
return [...document.querySelectorAll(".games tbody tr")]
  .filter((row) => row.getBoundingClientRect().bottom <= box.bottom).length;
"""
PLACES = """
const name = document.querySelector(".player.of-white bdi");
const range = document.createRange();
range.selectNode(name.nextSibling);
return [name.getBoundingClientRect().right, range.getBoundingClientRect().left];
"""
COVERED = """
const boxes = (nodes) => [...nodes].map((node) => node.getBoundingClientRect());
const found = [];
for (const board of document.querySelectorAll(".board")) {
  const uses = [...board.querySelectorAll("use")];
  const [squares, labels] = uses.map((use) => use.getBoundingClientRect());
  const scale = board.getBoundingClientRect().width / 374;
  const symbol = document.querySelector(uses[1].getAttribute("href"));
  const texts = [...symbol.querySelectorAll("text")];
  const men = boxes(uses.slice(2));
  for (const text of texts) {
    const x = squares.left + scale * text.getAttribute("x");
    const y = squares.top + scale * (text.getAttribute("y") - 4);
    if (men.some((box) => box.left < x && x < box.right && box.top < y && y < box.bottom))
      found.push(text.textContent);
  }
  found.push(texts.map((text) => text.textContent).join(""));
}
return found;
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield the opened report of fourteen games."""
    need()
    folder = tmp_path_factory.mktemp("games")
    document = document_of(random_games(14, 30), folder, pytest.MonkeyPatch())
    games = []
    for number, game in enumerate(document.games):
        opening = Opening(*OPENINGS[number % 2], 3)
        headers = game.headers | {
            "White": NAMES[number % 5],
            "Black": NAMES[(number + 1) % 5],
            "WhiteElo": "2750",
            "Site": "תל אביב",
        }
        games.append(replace(game, opening=opening, headers=headers, result="1-0"))
    path = Path(folder / "many.html")
    path.write_text(build_page(replace(document, games=tuple(games))), encoding="utf-8")
    with browser() as driver:
        show(driver, path)
        yield driver


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_of_games_fits(width: int, page: Any) -> None:
    """Both accuracies are visible, no word of a name is split, and a screen shows many games."""
    resize(page, width, 900)
    assert page.execute_script("return document.querySelectorAll('.games tbody tr').length") == 14
    assert page.execute_script(CELLS_OUTSIDE) == 0
    assert page.execute_script(WORDS) == []
    assert page.execute_script(GAMES_IN_SIGHT) >= 5
    for table in page.find_elements("css selector", ".wide:has(.sorts, .sides)"):
        wide, inner = page.execute_script(
            "return [arguments[0].scrollWidth, arguments[0].clientWidth]", table
        )
        assert wide <= inner + 1


@pytest.mark.parametrize("width", [390, 1200])
def test_a_hebrew_name_leaves_the_rating_in_its_place(width: int, page: Any) -> None:
    resize(page, width, 900)
    page.find_element("css selector", 'button[data-game="1"]').click()
    title = page.find_element("css selector", '[data-part="title"]').text
    assert title.startswith(f"{HEBREW} (2750) – ")
    name, rating = page.execute_script(PLACES)
    assert name <= rating
    texts = [
        page.find_element("css selector", f'[data-part="{part}"]').text
        for part in ("verdict", "about")
    ]
    assert f"\u2068{HEBREW}\u2069" in texts[0]
    assert "\u2068תל אביב\u2069" in texts[1]


@pytest.mark.parametrize("flips", [0, 1])
def test_no_piece_covers_a_label_of_the_board(flips: int, page: Any) -> None:
    resize(page, 1200, 900)
    for _ in range(flips):
        page.find_element("css selector", '[data-action="f"]').click()
    first, *others = page.execute_script(COVERED)
    whole = ["abcdefgh87654321", "hgfedcba12345678"]
    assert first == whole[flips]
    assert others
    assert set(others) <= set(whole)
    for _ in range(flips):
        page.find_element("css selector", '[data-action="f"]').click()
