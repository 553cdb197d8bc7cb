"""The page of analysed games: one file that asks no network for anything."""

import re

from uci.apps.analyse.report.first_game import first_game
from uci.apps.analyse.report.page_data import page_data
from uci.apps.analyse.report.totals import Totals
from uci.apps.console.html_file import one_file
from uci.apps.console.rounding import rounded
from uci.apps.games.analysis_document import Json
from uci.apps.games.pgn_headers import isolated

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
                "opening": data["opening"] or ("Chess960" if game["chess960"] else ""),
                "accuracies": accuracies,
            }
        )

    def build(self, head: Json, unread: int) -> str:
        """Return the page; ``head`` is a document without its games, ``unread`` are lost ones.

        Raises `UciError` where jinja2 is not installed.
        """
        (limit, number), *_ = head["limit"].items()
        thresholds = [f"{value:g}" for value in head["scale"]["thresholds"].values()]
        return one_file(
            __package__,
            "page",
            self._data,
            title=self._title(head["source"]),
            engine=f"{head['engine']['name']} {head['engine']['version']}",
            limit=f"{number:,} {UNITS.get(limit, limit)}",
            thresholds=thresholds,
            summaries=self._summaries,
            left_out=self._left_out,
            many=self._many,
            players=self._totals.players,
            openings=self._totals.openings,
            first=self._first,
            unread=unread,
            rounded=rounded,
        )

    @property
    def _many(self) -> bool:
        return len(self._summaries) + self._left_out > 1

    def _title(self, source: str) -> str:
        if self._summaries and not self._many:
            return " – ".join(isolated(self._summaries[0][side]) for side in ("white", "black"))
        return re.sub(r"\.pgn$", "", source, flags=re.IGNORECASE)


def build_page(document: Json, most: int = MOST_GAMES) -> str:
    """Return the page of a document, with at most so many games. Raises `UciError`."""
    builder = PageBuilder(most)
    for game in document["games"]:
        builder.add(game)
    return builder.build(document, len(document["unread"]))
