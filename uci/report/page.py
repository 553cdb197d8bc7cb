"""The page of analysed games: one file that asks no network for anything."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from importlib.resources import files
from xml.etree import ElementTree

import chess.svg

from uci.protocol.commands import UciError
from uci.report.document import Json
from uci.report.drawing import dark_squares
from uci.report.first_game import first_game
from uci.report.page_data import page_data
from uci.report.totals import Totals

MOST_GAMES = 500
"""Games of a page, if nobody says otherwise."""

UNITS = {"nodes": "nodes", "depth": "plies", "movetime": "milliseconds"}


class PageBuilder:
    """Takes the games of a document one by one, and keeps the first ``most`` of them."""

    def __init__(self, most: int = MOST_GAMES) -> None:
        self._most = most
        self._data: list[Json] = []
        self._summaries: list[Json] = []
        self._first: Json | None = None
        self._totals = Totals()
        self._left_out = 0

    def add(self, game: Json) -> None:
        """Take a game of a document."""
        self._totals.add(game)
        if len(self._data) >= self._most:
            self._left_out += 1
            return
        data = page_data(game)
        self._first = self._first or first_game(game, data)
        self._data.append(data)
        accuracies = [side and side[0] for side in data["sides"]]
        white, black = data["names"]
        self._summaries.append(
            {
                "number": game["number"],
                "white": white,
                "black": black,
                "result": data["result"],
                "opening": data["opening"],
                "accuracies": accuracies,
            }
        )

    def build(self, head: Json, unread: int) -> str:
        """Return the page; ``head`` is a document without its games, ``unread`` are lost ones.

        Raises `UciError` where jinja2 is not installed.
        """
        try:
            from jinja2 import Environment, StrictUndefined
            from markupsafe import Markup
        except ImportError:
            raise UciError("the page needs jinja2, which comes with the extra [analysis]") from None
        room = files(__package__)
        environment = Environment(
            autoescape=True, trim_blocks=True, undefined=StrictUndefined, keep_trailing_newline=True
        )
        style, script = (
            (room / name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
        )
        (limit, number), *_ = head["limit"].items()
        thresholds = [f"{value:g}" for value in head["scale"]["thresholds"].values()]
        template = environment.from_string((room / "page.html.j2").read_text(encoding="utf-8"))
        return template.render(
            title=_title(head["source"], self._summaries),
            engine=f"{head['engine']['name']} {head['engine']['version']}",
            limit=f"{number:,} {UNITS.get(limit, limit)}",
            thresholds=thresholds,
            summaries=self._summaries,
            left_out=self._left_out,
            many=len(self._summaries) + self._left_out > 1,
            players=self._totals.players,
            openings=self._totals.openings,
            first=self._first,
            unread=unread,
            dark_squares=dark_squares(),
            pieces=Markup(pieces()),  # noqa: S704  (ours)
            style=Markup(style),  # noqa: S704  (ours)
            script=Markup(script),  # noqa: S704  (ours)
            style_hash=_hash(style),
            script_hash=_hash(script),
            data=Markup(in_script(self._data)),  # noqa: S704  (no `<` is in it)
        )


def build_page(document: Json, most: int = MOST_GAMES) -> str:
    """Return the page of a document, with at most so many games. Raises `UciError`."""
    builder = PageBuilder(most)
    for game in document["games"]:
        builder.add(game)
    return builder.build(document, len(document["unread"]))


def in_script(value: object) -> str:
    """Return JSON that no text in it can end: ``<`` stands as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pieces() -> str:
    """Return the twelve men of python-chess (Colin M. L. Burnett), once, as symbols."""
    return "".join(
        f'<symbol id="{"w" if symbol.isupper() else "b"}{symbol.lower()}" viewBox="0 0 45 45">'
        f"{_plain(drawing)}</symbol>"
        for symbol, drawing in chess.svg.PIECES.items()
    )


def _plain(drawing: str) -> str:
    """Return a drawing without ids and classes, and with attributes in place of styles.

    The names would repeat those of other pages, and the page's policy refuses styles.
    """
    root = ElementTree.fromstring(drawing)  # noqa: S314  (python-chess's own)
    for node in root.iter():
        node.attrib.pop("id", None)
        node.attrib.pop("class", None)
        for rule in filter(None, node.attrib.pop("style", "").split(";")):
            name, _, value = rule.partition(":")
            node.set(name.strip(), value.strip())
    return ElementTree.tostring(root, encoding="unicode")


def _hash(text: str) -> str:
    """Return the source of a script or a style as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _title(source: str, summaries: Iterable[Json]) -> str:
    games = list(summaries)
    if len(games) == 1:
        return f"{games[0]['white']} – {games[0]['black']}"
    return re.sub(r"\.pgn$", "", source, flags=re.IGNORECASE)
