"""The HTML report in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import chess
import pytest

from helpers.browser import browser, complaints, media, need, press, requests, resize, show
from helpers.documents import document_of, random_games
from helpers.readers import package
from helpers.timing import PATIENCE
from uci.apps.analyse.report.page import build_page
from uci.apps.games.analysis_document import (
    AnalysedGame,
    AnalysedLine,
    AnalysisDocument,
    read_document,
)
from uci.apps.games.passing import after_pass

pytestmark = pytest.mark.external

BOARD = """
const found = {};
for (const use of document.querySelectorAll('[data-part="board"] use')) {
  const name = use.getAttribute("href").slice(1);
  if (name === "squares" || name.startsWith("labels")) continue;
  const [file, rank] = [use.getAttribute("x") / 45, 7 - use.getAttribute("y") / 45];
  found["abcdefgh"[file] + (rank + 1)] = name[0] === "w" ? name[1].toUpperCase() : name[1];
}
return found;
"""
EVERY_PLY = """
const step = arguments[0], wanted = [];
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
press("Home");
const read = new Function(arguments[1]);
for (let ply = 0; ply <= step; ply++) {
  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const line = [...part("line").querySelectorAll("button")].map((button) => button.textContent);
  wanted.push([read(), part("score").textContent, line]);
  press("ArrowRight");
}
return wanted;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of five analysed games."""
    found = tmp_path_factory.mktemp("games")
    document_of(random_games(5, 30), found, pytest.MonkeyPatch(), "--threats")
    return found


@pytest.fixture
def document(folder: Path) -> AnalysisDocument:
    return read_document(folder / "games.analysis.json")


@pytest.fixture
def page(folder: Path, driver: Any) -> Iterator[Any]:
    """Yield the opened report of five games; afterwards, assert no error and no network request."""
    resize(driver, 1200, 900)
    media(driver)
    show(driver, folder / "games.html")
    yield driver
    assert complaints(driver) == []
    assert requests(driver) == []


def part(page: Any, name: str) -> Any:
    return page.find_element("css selector", f'[data-part="{name}"]')


def men_on(board: chess.Board) -> dict[str, str]:
    return {chess.square_name(square): man.symbol() for square, man in board.piece_map().items()}


def shown(line: AnalysedLine) -> str:
    if line.mate is not None:
        return f"#{line.mate or ''}"
    cp = line.cp or 0
    sign = {-1: "−", 0: "", 1: "+"}[(cp > 0) - (cp < 0)]
    return f"{sign}{abs(cp) / 100:.2f}"


def compare(page: Any, game: AnalysedGame) -> int:
    """Assert that board, score and best line of every ply are those of the document."""
    plies = page.execute_script(EVERY_PLY, len(game.moves), BOARD)
    for (pieces, score, line), position in zip(plies, game.positions, strict=True):
        board = chess.Board(position.fen, chess960=True)
        assert pieces == men_on(board)
        assert score.startswith(f"{shown(position.best)} after ")
        sans = []
        for uci in position.best.uci:
            sans.append(board.san(board.parse_uci(uci)))
            board.push_uci(uci)
        assert [word.split()[-1] for word in line] == sans
    return len(plies)


def test_every_ply_is_that_of_the_document(page: Any, document: AnalysisDocument) -> None:
    for number, game in enumerate(document.games):
        page.find_element("css selector", f'button[data-game="{number}"]').click()
        assert compare(page, game) == len(game.positions)


def test_keys(page: Any, document: AnalysisDocument) -> None:
    game = document.games[0]

    def at() -> int:
        return int(part(page, "score").get_attribute("data-ply"))

    press(page, "ARROW_RIGHT", "ARROW_RIGHT", "ARROW_LEFT")
    assert at() == 1
    press(page, "END")
    assert at() == len(game.moves)
    press(page, "ARROW_RIGHT", "HOME", "ARROW_LEFT")
    assert at() == 0
    for key, verdict in (("b", "blunder"), ("m", "mistake"), ("i", "inaccuracy")):
        plies = [move.ply for move in game.moves if move.verdict == verdict]
        press(page, "HOME", key)
        assert at() == (plies[0] if plies else 0)
        press(page, key)
        assert at() == (plies[1 % len(plies)] if plies else 0)
    press(page, "HOME")
    men = page.execute_script(BOARD)
    press(page, "f")
    turned = {chess.square_name(63 - chess.parse_square(name)): man for name, man in men.items()}
    assert page.execute_script(BOARD) == turned
    press(page, "f")
    assert page.execute_script(BOARD) == men


def test_clicks(page: Any, document: AnalysisDocument) -> None:
    game = document.games[0]
    page.find_element("css selector", '.moves [data-ply="7"]').click()
    assert page.execute_script(BOARD) == men_on(chess.Board(game.positions[7].fen))
    line = part(page, "line").find_elements("css selector", "button")
    line[2].click()
    board = chess.Board(game.positions[7].fen)
    for uci in game.positions[7].best.uci[:3]:
        board.push_uci(uci)
    assert page.execute_script(BOARD) == men_on(board)
    press(page, "ARROW_LEFT", "ARROW_LEFT", "ARROW_LEFT")
    assert page.execute_script(BOARD) == men_on(chess.Board(game.positions[7].fen))
    page.find_element("css selector", '[data-action="f"]').click()
    page.find_element("css selector", '[data-action="f"]').click()
    graph = page.find_element("css selector", ".graph")
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).move_to_element(graph).perform()
    middle = len(game.moves) // 2
    assert game.moves[middle - 1].san in part(page, "hover").text
    ActionChains(page).move_to_element(part(page, "verdict")).perform()
    assert part(page, "hover").text.startswith("White’s chances are below")
    ActionChains(page).click(graph).perform()
    assert int(part(page, "score").get_attribute("data-ply")) == middle
    for row, color in zip(
        part(page, "sides").find_elements("css selector", "tr"), ("white", "black"), strict=True
    ):
        count = row.find_elements("css selector", "td")[-1]
        totals = getattr(game, color)
        assert int(count.text) == totals.blunder
        buttons = count.find_elements("css selector", "button")
        assert bool(buttons) == bool(totals.blunder)
        for button in buttons:
            button.click()
            ply = int(part(page, "score").get_attribute("data-ply"))
            move = game.moves[ply - 1]
            assert (move.verdict, move.color) == ("blunder", color)


def test_a_link_to_a_moment(page: Any, document: AnalysisDocument, folder: Path) -> None:
    for link, number, ply in (("#3.9", 2, 9), ("#3.900", 2, None), ("#x.y", 0, 0), ("#9", 0, 0)):
        page.get("about:blank")
        page.get((folder / "games.html").as_uri() + link)
        game = document.games[number]
        fen = game.positions[-1 if ply is None else ply].fen
        assert page.execute_script(BOARD) == men_on(chess.Board(fen))
    show(page, folder / "games.html")


def test_the_address_follows_the_board(page: Any, document: AnalysisDocument) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    def address() -> str:
        return str(page.execute_script("return location.hash"))

    press(page, "ARROW_RIGHT", "ARROW_RIGHT")
    assert address() == "#1.2"
    page.find_element("css selector", 'button[data-game="1"]').click()
    assert address() == "#2.0"
    page.execute_script("location.hash = '#3.5'")
    board = chess.Board(document.games[2].positions[5].fen)
    WebDriverWait(page, PATIENCE).until(
        lambda driver: driver.execute_script(BOARD) == men_on(board)
    )


def test_the_best_line_is_walked_by_keyboard(page: Any) -> None:
    """The focus stays on the move, and screen readers are given the move."""
    for number in (1, 2):
        page.execute_script(
            f"document.querySelectorAll('[data-part=line] button')[{number}].focus()"
        )
        press(page, "ENTER")
        focused = page.execute_script("return document.activeElement.textContent")
        said = page.execute_script("return document.querySelector('[data-part=say]').textContent")
        assert said
        assert focused.endswith(said)


def test_threats(page: Any, document: AnalysisDocument) -> None:
    """Each stands below the best line, with an arrow on the board, and can be stepped through."""
    found = 0
    for number in (0, 4):  # the last one is Chess960
        game = document.games[number]
        page.find_element("css selector", f'button[data-game="{number}"]').click()
        for position in game.positions:
            arrows = part(page, "board").find_elements("css selector", ".arrow.threat")
            moves = part(page, "threat").find_elements("css selector", "button")
            assert len(arrows) == len(moves) == bool(position.threat)
            if position.threat:
                found += 1
                passed = after_pass(chess.Board(position.fen, chess960=game.chess960))
                words = "Threat: " + position.threat.san.replace("...", "… ")
                assert part(page, "threat").get_attribute("textContent") == words
                moves[0].click()
                passed.push_uci(position.threat.uci[0])
                assert page.execute_script(BOARD) == men_on(passed)
                assert not part(page, "board").find_elements("css selector", ".arrow")
                press(page, "ARROW_LEFT")
            press(page, "ARROW_RIGHT")
    assert found > 2


def test_capitals_are_keys_too(page: Any) -> None:
    men = page.execute_script(BOARD)
    press(page, "F")
    assert page.execute_script(BOARD) != men
    press(page, "f")
    assert page.execute_script(BOARD) == men


def test_games_sort(page: Any, document: AnalysisDocument) -> None:
    headings = page.find_elements("css selector", ".games thead button")
    headings[5].click()

    def column(number: int) -> list[str]:
        cells = page.find_elements("css selector", f".games tbody td:nth-child({number})")
        return [cell.get_attribute("data-value") or cell.text for cell in cells]

    accuracies = [game.white.accuracy for game in document.games]
    assert [float(text) for text in column(6)] == sorted(accuracies, reverse=True)
    headings[5].click()
    assert [float(text) for text in column(6)] == sorted(accuracies)
    headings[0].click()
    headings[0].click()
    assert column(1) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1200])
def test_no_width_is_too_small(width: int, dark: bool, page: Any) -> None:
    resize(page, width, 800)
    media(page, dark=dark)
    wide, inner = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner
    back = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, back[4:-1].split(","))) < 200) == dark


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (360, True)])
def test_nothing_serious_for_axe(width: int, dark: bool, page: Any, root: Path) -> None:
    """axe, a checker of accessibility, finds nothing serious with all parts of the report open."""
    source = (package(root, "axe-core") / "axe.min.js").read_text(encoding="utf-8")
    resize(page, width, 900)
    media(page, dark=dark)
    press(page, "b")
    page.execute_script(
        f"{source}; for (const each of document.querySelectorAll('details')) each.open = true;"
    )
    found = page.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    bad = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in bad] == []
    assert len(found["passes"]) > 20


def test_print(page: Any) -> None:
    media(page, "print")
    assert not page.find_element("css selector", '[data-action="f"]').is_displayed()
    assert part(page, "board").is_displayed()


def test_without_a_script(document: AnalysisDocument, folder: Path) -> None:
    need()
    with browser(script=False) as plain:
        show(plain, folder / "games.html")
        game = document.games[0]
        assert not plain.find_element("css selector", '[data-action="f"]').is_displayed()
        text = plain.find_element("css selector", "main").text
        first = game.moves[0].san, game.moves[-1].san
        for name in ("Players", game.headers["White"], "Moves", "Opening, moves 1 to", *first):
            assert name in text
        assert plain.execute_script(BOARD) == men_on(chess.Board(game.positions[0].fen))


def test_the_script_says_what_stands_without_it(page: Any, folder: Path) -> None:
    text = (folder / "games.html").read_text(encoding="utf-8")
    for name in ("sides", "phases", "plies"):
        (body,) = re.findall(rf'<tbody data-part="{name}">(.*?)</tbody>', text, re.DOTALL)
        cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", re.sub("</?bdi>", "", body))
        shown = part(page, name).find_elements("css selector", "th, td")
        assert [cell.get_attribute("textContent") for cell in shown] == list(map(unescape, cells))
    lines = re.findall(r'<p class="written">(.*?)</p>', text)
    shown = part(page, "moments").find_elements("css selector", ".written")
    assert len(lines) > 0
    assert [line.get_attribute("textContent").replace("… ", "...") for line in shown] == lines


def test_a_hostile_game_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: Any
) -> None:
    hostile = (
        "</script><img src=x onerror=document.title='gone'><script>document.title='gone'</script>"
    )
    games = random_games(2, 20)
    for game in games:
        for name in ("Event", "Site", "White", "Black", "WhiteElo", "TimeControl"):
            game.headers[name] = hostile
        for node in game.mainline():
            node.comment = hostile
    document_of(games, tmp_path, monkeypatch)
    show(driver, tmp_path / "games.html")
    press(driver, "ARROW_RIGHT", "b")
    assert driver.title == "games"
    assert complaints(driver) == []
    assert requests(driver) == []


@pytest.mark.long
def test_every_ply_of_fifty_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: Any
) -> None:
    document = document_of(random_games(50, 100), tmp_path, monkeypatch)
    show(driver, tmp_path / "games.html")
    for number, game in enumerate(document.games):
        driver.execute_script(f"document.querySelector('button[data-game=\"{number}\"]').click()")
        compare(driver, game)


@pytest.mark.long
def test_a_large_page_answers_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: Any
) -> None:
    """The time from navigation to the first answered click, for 500 games compared with one."""
    monkeypatch.setattr("helpers.inline_executor.LONG", 24)
    document = document_of(random_games(50, 80), tmp_path, monkeypatch)
    games = [
        replace(game, number=50 * turn + game.number)
        for turn in range(10)
        for game in document.games
    ]
    times: dict[int, list[float]] = {1: [], 500: []}
    for count in times:
        part_of = replace(document, games=tuple(games[:count]))
        (tmp_path / f"{count}.html").write_text(build_page(part_of), encoding="utf-8")
    for _ in range(5):
        for count, found in times.items():
            show(driver, tmp_path / f"{count}.html")
            driver.find_element("css selector", '[data-action="ArrowRight"]').click()
            found.append(driver.execute_script("return performance.now()"))
            assert part(driver, "score").get_attribute("data-ply") == "1"
    ratio = min(times[500]) / min(times[1])
    print(f"{times}: {ratio:.2f}")
    assert ratio <= 4
