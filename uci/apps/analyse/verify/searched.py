"""Chunks of games that are searched again, as `pythagoras analyse` searched them."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from math import ceil

from uci.apps.analyse.analysed_game import analysed_line
from uci.apps.analyse.analysis_settings import AnalysisSettings
from uci.apps.analyse.analyst import CHUNK, Chunk, PositionAnalysis, analyse_chunk, chunks
from uci.apps.analyse.explanation import DRAWN
from uci.apps.analyse.judge import rescaled
from uci.apps.analyse.threats import threat_in
from uci.apps.analyse.verify.derived import ReplayedGame
from uci.apps.analyse.verify.differences import Difference, differences
from uci.apps.engines.executor import TaskExecutor, TaskLost, in_order
from uci.apps.games.analysis_document import AnalysedGame, AnalysedLine
from uci.apps.games.passing import after_pass
from uci.errors import UciError


def places(games: Sequence[AnalysedGame]) -> list[tuple[int, int]]:
    """Return all chunks of some games, each by the indices of its game and of the chunk in it."""
    return [
        (at, number)
        for at, game in enumerate(games)
        for number in range(ceil(len(game.positions) / CHUNK))
    ]


def search_again(
    known: Sequence[tuple[ReplayedGame, int]],
    settings: AnalysisSettings,
    executor: TaskExecutor,
) -> Iterator[tuple[int, list[Difference]]]:
    """Yield for each chunk, by its game and index, the number of its positions, and their
    differences.

    Raises `UciError` if a chunk crashes every engine.
    """
    options, arguments = settings.options, settings.arguments
    calls = (
        ((game, chunk), partial(executor.submit, analyse_chunk, options, chunk, arguments))
        for game, number in known
        for chunk in islice(_chunks(game, settings), number, number + 1)
    )
    for (game, chunk), future in in_order(executor, calls):
        try:
            analyses = rescaled(future.result())
        except TaskLost as error:
            raise UciError(f"{game.place(chunk.first)}: given up: {error}") from None
        found = [
            difference
            for at, each in enumerate(analyses, chunk.first)
            for difference in _compare(game, at, each, settings.thresholds)
        ]
        yield len(analyses), found


def _chunks(game: ReplayedGame, settings: AnalysisSettings) -> Iterator[Chunk]:
    return chunks(game.game.positions[0].fen, game.uci, settings.go, settings.go_threat)


def _compare(
    known: ReplayedGame, at: int, seen: PositionAnalysis, thresholds: Sequence[float]
) -> Iterator[Difference]:
    """Yield the differences in the lines and the threat of a position."""
    board, recorded = known.boards[at], known.game.positions[at].lines
    if at == len(known.moves) and known.claimed:
        seen = DRAWN
    found: list[AnalysedLine] = [analysed_line(board, each) for each in seen.lines]
    place = known.place(at)
    if len(recorded) != len(found):
        yield Difference(place, "number of lines", len(recorded), len(found))
    for number, (line, computed) in enumerate(zip(recorded, found, strict=False), 1):
        yield from differences(f"{place}, line {number}", line, computed)
    threat = threat_in(board, known.last(at), seen, thresholds)
    again = analysed_line(after_pass(board), threat) if threat else None
    yield from differences(f"{place}, threat", known.game.positions[at].threat or {}, again or {})
