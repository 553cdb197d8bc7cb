"""The unreadable games of a source: all are recorded, a few of each kind are reported."""

from collections import Counter
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
        self._first: dict[str, UnreadGame] = {}
        self._counts: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self.records)

    def add(self, number: int, offset: int, error: str) -> None:
        """Record a game, and report it unless `finish` counts it."""
        record = UnreadGame(number=number, offset=offset, error=error)
        self.records.append(record)
        self._counts[error] += 1
        self._first.setdefault(error, record)
        if error != NO_MOVES and self._counts[error] <= NAMED:
            self._name(record)

    def finish(self) -> None:
        """Report how many games were not listed: those without moves, and the rest of each
        error."""
        for error, count in self._counts.items():
            first = self._first[error]
            if error != NO_MOVES:
                if count > NAMED:
                    self._say(f"{counted(count - NAMED, 'more game')}: {error}")
            elif count == 1:
                self._name(first)
            else:
                self._say(f"{count:,} games have no moves; the first is game {first.number}")

    def _name(self, record: UnreadGame) -> None:
        self._say(f"game {record.number} at byte {record.offset:,}: {record.error}")
