"""The unreadable games of a source: all are recorded, a few of each kind are reported."""

from collections import defaultdict
from collections.abc import Callable

from uci.apps.games.analysis_document import UnreadGame
from uci.apps.games.pgn_read import NO_MOVES
from uci.errors import counted

NAMED = 5
"""Maximum number of games that are reported one by one for each error."""


class UnreadGames:
    """The records for a document; ``say`` prints a line on one game or on many."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.records: list[UnreadGame] = []
        self._say = say
        self._by_error: dict[str, list[UnreadGame]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self.records)

    def add(self, number: int, offset: int, error: str) -> None:
        """Record a game, and report it unless `finish` counts it."""
        record = UnreadGame(number=number, offset=offset, error=error)
        self.records.append(record)
        self._by_error[error].append(record)
        if error != NO_MOVES and len(self._by_error[error]) <= NAMED:
            self._name(record)

    def finish(self) -> None:
        """Report how many games were not listed: those without moves, and the rest of each
        error."""
        for error, games in self._by_error.items():
            if error != NO_MOVES:
                if len(games) > NAMED:
                    self._say(f"{counted(len(games) - NAMED, 'more game')}: {error}")
            elif len(games) == 1:
                self._name(games[0])
            else:
                first = games[0].number
                self._say(f"{len(games):,} games have no moves; the first is game {first}")

    def _name(self, record: UnreadGame) -> None:
        self._say(f"game {record.number} at byte {record.offset:,}: {record.error}")
