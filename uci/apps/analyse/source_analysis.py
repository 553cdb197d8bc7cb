"""Reads the games of a source, analyses them, and writes the results."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import chess
import chess.pgn

from uci.apps.analyse.analysed_game import analysed_game
from uci.apps.analyse.analysis_settings import AnalysisSettings
from uci.apps.analyse.analyst import PositionAnalysis
from uci.apps.analyse.annotate import annotate, describe
from uci.apps.analyse.explanation import Explanation, explain
from uci.apps.analyse.journal import key_of
from uci.apps.analyse.judge import rescaled
from uci.apps.analyse.outputs import Outputs, write_text
from uci.apps.analyse.parallel import GameJob, analyse_games
from uci.apps.analyse.progress import AnalysisProgress
from uci.apps.analyse.report.page import PageBuilder
from uci.apps.analyse.unread_games import UnreadGames
from uci.apps.engines.executor import TaskExecutor, TaskLost
from uci.apps.games.analysis_document import document_end, document_start, game_text
from uci.apps.games.game_results import result_after_moves
from uci.apps.games.pgn_headers import names_apart
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import RawGame, split_games
from uci.apps.games.pgn_tree import LineEnds
from uci.apps.games.pgn_writer import pgn_of
from uci.chess_io.encodings import Encoding
from uci.errors import counted, printable


class SourceAnalysis:
    """The games of one source: how many were ``analysed``, and which could not be read.

    ``known`` is the number of games whose analysis was already saved; ``partial`` that of games
    analysed only up to an unplayable move.
    """

    def __init__(
        self,
        name: str,
        settings: AnalysisSettings,
        executor: TaskExecutor,
        progress: AnalysisProgress,
    ) -> None:
        self._name, self._settings = name, settings
        self._executor, self._progress = executor, progress
        self._looks_depend_on = settings.key  # computed once: it reads all sources of the engine
        self._open: dict[int, tuple[RawGame, chess.pgn.Game, Sequence[chess.Color]]] = {}
        self._page = PageBuilder(settings.html_games)
        self.analysed = self.known = self.others = self.partial = self._seen = 0
        self.unread = UnreadGames(self._say)

    def __str__(self) -> str:
        if not self.analysed:
            return f"nothing analysed: {self._why_nothing()}"
        parts = [f"{self.analysed:,} analysed"]
        if self.known:
            parts[0] += f" ({self.known:,} of them already saved)"
        if self.partial:
            parts.append(f"{self.partial:,} of them partially")
        if self.unread:
            parts.append(f"{len(self.unread):,} unreadable")
        if self.others:
            parts.append(f"{self.others:,} of other players skipped")
        return f"{', '.join(parts)}; {self._progress.speed}"

    def _why_nothing(self) -> str:
        settings, reasons = self._settings, []
        if not self._seen:
            return "it contains no games"
        if self.unread:
            reasons.append(f"{counted(len(self.unread), 'game')} could not be read")
        if self.others:
            reasons.append(f"no player matches {settings.side!r} in {counted(self.others, 'game')}")
        if not reasons:
            reasons.append(
                f"--games {settings.games} selects none of {counted(self._seen, 'game')}"
            )
        return ", and ".join(reasons)

    def analyse(self, stream: IO[bytes], outputs: Outputs) -> None:
        """Analyse the games of ``stream``. Raises `OSError`."""
        settings, progress, journal = self._settings, self._progress, outputs.journal
        earlier = journal.keys() if journal is not None else frozenset()
        progress.source(_size(stream))

        def recall(game: GameJob) -> list[PositionAnalysis] | None:
            key = self._key(game)
            analyses = journal.read(key) if journal is not None else None
            if not analyses or len(analyses) != len(game.moves) + 1:
                return None
            if key in earlier:  # the same game may be in the source twice
                self._count_known()
            return analyses

        def keep(game: GameJob, analyses: list[PositionAnalysis]) -> None:
            if journal is not None:
                journal.keep(self._key(game), analyses)

        head = settings.head(Path(self._name).name)
        write_text(outputs.json, document_start(head))
        for game, analyses in analyse_games(
            self._games(stream), settings.go, self._executor, settings.options,
            recall, progress.seen, keep, self._lose, settings.arguments,
            settings.go_threat,
        ):  # fmt: skip
            self._write(game.number, analyses, outputs)
        self.unread.finish()
        resources = settings.resources(progress.short)
        write_text(outputs.json, document_end(resources, self.unread.records))
        if outputs.html is not None:
            write_text(outputs.html, self._page.build(head, len(self.unread)))

    def _count_known(self) -> None:
        if not self.known:
            self._progress.note(f"{self._name}: resuming, some of its games are already analysed")
        self.known += 1

    def _key(self, game: GameJob) -> str:
        return key_of(game.start, game.moves, self._looks_depend_on)

    def _games(self, stream: IO[bytes]) -> Iterator[GameJob]:
        """Yield the selected games that can be read, and report those that cannot."""
        wanted = self._settings.games
        raws = split_games(stream, self._report_encoding)
        for self._seen, raw in enumerate(raws, 1):
            if wanted.ended_by(raw.number):
                return
            if raw.number not in wanted:
                continue
            try:
                game = read_game(raw)
            except BadGame as error:
                self.unread.add(raw.number, raw.offset, str(error))
                continue
            if not (sides := self._settings.sides_of(game.headers)):
                self.others += 1
                continue
            self._report_ends(raw, game)
            self._open[raw.number] = raw, game, sides
            board = game.board()
            start = board.fen()
            moves = []
            for move in game.mainline_moves():
                moves.append(board.uci(move, chess960=True))
                board.push(move)
            yield GameJob(raw.number, start, tuple(moves))

    def _report_encoding(self, encoding: Encoding) -> None:
        self._progress.note(printable(f"{self._name}: {encoding}"))

    def _report_ends(self, raw: RawGame, game: chess.pgn.Game) -> None:
        """Report the lines of a game that end early."""
        self.partial += bool(game.errors)
        for end in game.errors:
            assert isinstance(end, LineEnds)
            rest = (
                "the variation ends before it"
                if end.variation
                else "analysed up to the previous move"
            )
            self._say(f"game {raw.number} at byte {raw.offset:,}: {end}; {rest}")

    def _say(self, text: str) -> None:
        self._progress.say(f"pythagoras: {self._name}: {text}")

    def _lose(self, game: GameJob, error: TaskLost) -> None:
        """Report a game that crashes every process."""
        raw, *_ = self._open.pop(game.number)
        self.unread.add(raw.number, raw.offset, f"given up: {error}")

    def _write(self, number: int, analyses: Sequence[PositionAnalysis], outputs: Outputs) -> None:
        raw, game, sides = self._open.pop(number)
        after_moves = result_after_moves("\n".join(raw.moves))
        known = explain(game, rescaled(analyses), sides, self._settings.thresholds, after_moves)
        for contradiction in known.contradictions:
            self._say(f"game {number} at byte {raw.offset:,}: {contradiction}")
        words = self._settings.words
        annotate(game, known.moves, known.opening, words, known.summaries, known.threats)
        pgn = f"{pgn_of(game, after_moves)}\n"
        write_text(outputs.pgn, f"{pgn}\n")
        analysed = analysed_game(number, raw.offset, known, pgn, list(map(str, game.errors)))
        write_text(outputs.json, game_text(analysed, first=not self.analysed))
        if outputs.html is not None:
            self._page.add(analysed)
        self.analysed += 1
        self._progress.finished(raw.offset + raw.size, self._line(number, known))

    def _line(self, number: int, known: Explanation) -> str:
        """Return the message on a game: its players and how they played."""
        white, black = names_apart(known.headers)
        sides = (
            describe(white if color else black, summary)
            for color, summary in known.summaries.items()
        )
        return printable(f"{self._name}: game {number}: {'; '.join(sides)}")


def _size(stream: IO[bytes]) -> int | None:
    """Return the size of a file in bytes; None if it has none, such as a pipe."""
    try:
        return os.fstat(stream.fileno()).st_size or None
    except (OSError, AttributeError):
        return None
