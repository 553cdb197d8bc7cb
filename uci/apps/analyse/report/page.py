"""Builds the HTML report of analysed games: one file that loads nothing from the network."""

import re
from dataclasses import asdict, astuple

from uci.apps.analyse.report.first_game import FirstGame, first_game
from uci.apps.analyse.report.page_data import PageData, page_data
from uci.apps.analyse.report.totals import Totals
from uci.apps.console.html_file import html_file
from uci.apps.console.rounding import rounded
from uci.apps.games.analysis_document import AnalysedGame, AnalysisDocument, AnalysisHead
from uci.apps.games.pgn_headers import isolated
from uci.errors import reason

MOST_GAMES = 500
"""Default maximum number of games in a report."""

UNITS = {"nodes": "nodes", "depth": "plies", "movetime": "milliseconds"}


class PageBuilder:
    """Builds a report from the games of a document; it shows the first ``most``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._data: list[PageData] = []
        self._rows: list[tuple[int, str, PageData]] = []
        """The list of games: the number of each, its opening, and its data."""
        self._first: FirstGame | None = None
        self._totals = Totals()
        self._left_out = 0

    def add(self, game: AnalysedGame) -> None:
        """Add a game of a document. Raises `ValueError` for illegal moves in it."""
        self._totals.add(game)
        if len(self._data) >= self._most:
            self._left_out += 1
            return
        data = page_data(game)
        self._first = self._first or first_game(game, data)
        self._data.append(data)
        opening = data.opening or ("Chess960" if game.chess960 else "")
        self._rows.append((game.number, opening, data))

    def build(self, head: AnalysisHead, unread: int) -> str:
        """Return the report; ``unread`` games of the source could not be read.

        Raises `UciError` if jinja2 is not installed.
        """
        return html_file(
            __package__,
            "page",
            map(asdict, self._data),
            title=self._title(head.source),
            engine=f"{head.engine.name} {head.engine.version}",
            limit=_limit_text(head.limit),
            threats=_limit_text(head.threat_limit) if head.threat_limit else "",
            thresholds=[f"{value:g}" for value in astuple(head.scale.thresholds)],
            games=self._rows,
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
        return len(self._rows) + self._left_out > 1

    def _title(self, source: str) -> str:
        if self._rows and not self._many:
            return " – ".join(map(isolated, self._data[0].names))
        return re.sub(r"\.pgn$", "", source, flags=re.IGNORECASE)


def _limit_text(limit: dict[str, int]) -> str:
    (name, number), *_ = limit.items()
    return f"{number:,} {UNITS.get(name, name)}"


def build_page(document: AnalysisDocument, most: int = MOST_GAMES) -> str:
    """Return the report of a document, with at most ``most`` games.

    Raises `ValueError` for illegal moves, and `UciError` if jinja2 is not installed.
    """
    builder = PageBuilder(most)
    for game in document.games:
        try:
            builder.add(game)
        except ValueError as error:
            raise ValueError(f"game {game.number}: {reason(error)}") from None
    return builder.build(document, len(document.unread))
