"""Analyses games with several engines; the results are the same as with one."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from itertools import chain, islice

from uci.apps.analyse.analyst import PositionAnalysis, analyse_chunk, chunks
from uci.apps.engines.executor import AHEAD, TaskExecutor, TaskLost, wait_for


@dataclass(frozen=True, slots=True)
class GameJob:
    """A game to be analysed: its number, its start as a FEN, and its moves in UCI notation."""

    number: int
    start: str
    moves: tuple[str, ...]


Recall = Callable[[GameJob], list[PositionAnalysis] | None]
"""Returns the saved analysis of a game, or None."""


Keep = Callable[[GameJob, list[PositionAnalysis]], None]
"""Called with each complete analysis of a game, in the thread of `analyse_games`."""


class _Entry:
    """A game with the pending analyses of its chunks, or its ``known`` analysis."""

    def __init__(
        self,
        game: GameJob,
        parts: Sequence[Future[list[PositionAnalysis]]],
        known: list[PositionAnalysis] | None,
    ) -> None:
        self.game, self._parts, self._known = game, parts, known
        self._kept = known is not None

    @property
    def unfinished(self) -> int:
        return sum(not part.done() for part in self._parts)

    def analyses(self) -> list[PositionAnalysis]:
        """Wait for the analysis of the game, and return it. Raises `TaskLost`."""
        if self._known is None:
            self._known = list(chain.from_iterable(wait_for(part).result() for part in self._parts))
        return self._known

    def keep(self, keep: Keep) -> None:
        """Pass the complete analysis to ``keep``, once."""
        if not self._kept and all(p.done() and not _error_of(p) for p in self._parts):
            self._kept = True
            keep(self.game, self.analyses())


def analyse_games(
    games: Iterable[GameJob], go: str, executor: TaskExecutor, options: Mapping[str, str],
    recall: Recall = lambda game: None,
    seen: Callable[[list[PositionAnalysis]], None] = lambda analyses: None,
    keep: Keep = lambda game, analyses: None,
    lost: Callable[[GameJob, TaskLost], None] | None = None,
    arguments: tuple[str, ...] = (),
    go_threat: str = "",
) -> Iterator[tuple[GameJob, list[PositionAnalysis]]]:  # fmt: skip
    """Yield the games, in their order, with the analyses of their positions.

    ``go`` are parameters of UCI's `go`, ``go_threat`` those of the search for a threat, ``options``
    are UCI's, ``arguments`` those of the engine's command. Games are read on demand, a few more
    than there are engines. ``seen`` is called for every chunk, from any thread. If chunks of a game
    fail, ``lost`` is called and the game is not yielded; without ``lost``, `TaskLost` is raised.
    """
    waiting: deque[_Entry] = deque()

    def finish() -> Iterator[tuple[GameJob, list[PositionAnalysis]]]:
        entry = waiting[0]
        try:
            analyses = entry.analyses()
        except TaskLost as error:
            if lost is None:
                raise
            waiting.popleft()
            lost(entry.game, error)
            return
        for each in waiting:
            each.keep(keep)
        waiting.popleft()
        yield entry.game, analyses

    try:
        for game in games:
            known, parts = recall(game), []
            if known is None:
                cut = chunks(game.start, game.moves, go, go_threat)
                parts = [
                    executor.submit(analyse_chunk, dict(options), part, arguments) for part in cut
                ]
                for part in parts:
                    part.add_done_callback(lambda part: _tell(part, seen))
            waiting.append(_Entry(game, parts, known))
            while waiting and (
                not waiting[0].unfinished
                or sum(entry.unfinished for entry in islice(waiting, 1, None))
                >= AHEAD * max(executor.size, 1)
            ):
                yield from finish()
        while waiting:
            yield from finish()
    except (Exception, KeyboardInterrupt, SystemExit):
        for entry in waiting:
            entry.keep(keep)
        raise


def _error_of(part: Future[list[PositionAnalysis]]) -> BaseException | None:
    return CancelledError() if part.cancelled() else part.exception()


def _tell(
    part: Future[list[PositionAnalysis]], seen: Callable[[list[PositionAnalysis]], None]
) -> None:
    if not _error_of(part):
        seen(part.result())
