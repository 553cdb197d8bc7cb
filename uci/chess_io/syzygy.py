"""Syzygy tablebases: opens their files, and probes the moves of a position."""

import os
import struct
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import chess
import chess.syzygy

from engine.files import named, open_file
from engine.syzygy.wdl_tables import Tablebases
from uci.chess_io.convert import is_drawn
from uci.chess_io.syzygy_files import DtzFile, WdlFile
from uci.chess_io.syzygy_ranking import (
    HALFMOVE_LIMIT,
    RankedMove,
    Ranking,
    WdlValue,
    rank_moves,
)
from uci.errors import UciError, shorten
from uci.protocol.options import try_path

T = TypeVar("T")

PROBE_GRACE = 0.02
"""Seconds to wait for an abandoned probe to end before the next one begins."""

_TABLE_MAGIC = {
    chess.Board.tbw_suffix: chess.Board.tbw_magic,
    chess.Board.tbz_suffix: chess.Board.tbz_magic,
}
"""Magic numbers of the table files: WDL and DTZ."""


_UNREADABLE = (
    LookupError,
    ArithmeticError,
    ValueError,
    AssertionError,
    RecursionError,
    MemoryError,
    OSError,
    struct.error,
)
"""Exceptions of python-chess for a missing, damaged or unreadable table."""


class _TableError(Exception):
    """Raised if the tables have no answer for a position."""


@dataclass(slots=True)
class _Probe:
    """Probes positions, in WDL and DTZ tables or in WDL tables only, and counts the probes."""

    base: chess.syzygy.Tablebase
    fifty: bool
    distances: bool
    count: int = 0

    def probe_move(self, board: chess.Board, move: chess.Move) -> RankedMove:
        """Return the rank of ``move``; ``board`` is restored. Raises `_TableError`."""
        before = board.halfmove_clock
        board.push(move)
        try:
            if board.is_checkmate():
                return RankedMove(move, WdlValue.WIN, 0, repeats=False)
            if is_drawn(board, self.fifty):
                return RankedMove(move, WdlValue.DRAW, 0, repeats=False)
            value, plies = self._distance(board) if self.distances else self._result(board)
            if not self.fifty:
                value = WdlValue(max(-2, min(2, 2 * value)))
            elif (
                abs(value) == WdlValue.WIN
                and board.halfmove_clock
                and plies + before > HALFMOVE_LIMIT
            ):
                value = WdlValue(value // 2)
            return RankedMove(move, value, plies, board.is_repetition(2))
        finally:
            board.pop()

    def _distance(self, board: chess.Board) -> tuple[WdlValue, int]:
        """Return value and plies (DTZ) of the move that led to ``board``, by WDL and DTZ tables."""
        self.count += 1
        distance = _answer(lambda: -self.base.probe_dtz(board))
        size = abs(distance)
        value = WdlValue((distance > 0) - (distance < 0)) * (2 if size <= HALFMOVE_LIMIT else 1)
        if board.halfmove_clock == 0 and distance > 0:  # the last move was a capture or pawn move
            size = 1 if size <= HALFMOVE_LIMIT else HALFMOVE_LIMIT + 1
            return WdlValue(value), size
        return WdlValue(value), size + 1

    def _result(self, board: chess.Board) -> tuple[WdlValue, int]:
        """Return the value by WDL, and an estimate of the plies that prefers zeroing moves."""
        self.count += 1
        value = _answer(lambda: WdlValue(-self.base.probe_wdl(board)))
        return value, 1 if board.halfmove_clock == 0 and value > 0 else 2


def _answer(probe: Callable[[], T]) -> T:
    """Return ``probe()``. Raises `_TableError` if python-chess cannot read the table."""
    try:
        return probe()
    except _UNREADABLE as error:
        raise _TableError from error


class Tables:
    """Open tablebases; see `open_tables`.

    ``largest`` is the maximum number of pieces; ``summary`` is a line for the user. ``results`` are
    the WDL tables that the search probes, ``None`` if it can probe none; ``files`` are the files of
    both kinds. Files are closed by `close`, or with the last reference, that of the last search.
    """

    results: Tablebases | None = None
    files: Sequence[Path] = ()

    def __init__(
        self,
        base: chess.syzygy.Tablebase,
        largest: int,
        summary: str,
        results: Tablebases | None = None,
        files: Sequence[Path] = (),
    ) -> None:
        self.largest = largest
        self.summary = summary
        self.results = results
        self.files = files
        self._base = base
        # Not at the end of the process: an abandoned probe may never end.
        weakref.finalize(self, base.close).atexit = False
        self._late: threading.Thread | None = None

    def rank(
        self,
        board: chess.Board,
        limit: int = 7,
        fifty: bool = True,
        halted: Callable[[], bool] = lambda: False,
        moves: Collection[chess.Move] = (),
    ) -> Ranking | None:
        """Rank the legal moves of ``board``, whose history counts for repetitions.

        If ``moves`` is not empty, only these are ranked. ``limit`` is the maximum number of pieces
        (`SyzygyProbeLimit`); ``fifty`` is whether the fifty-move rule applies. Returns ``None`` if
        the position or one after a move is not in the tables, if they cannot be read, or when
        ``halted()`` becomes true.
        """
        pieces = chess.popcount(board.occupied)
        if pieces > min(limit, self.largest) or board.clean_castling_rights():
            return None
        board = board.copy()
        probes = 0
        for distances in (True, False):
            probe = _Probe(self._base, fifty, distances)
            candidates = []
            try:
                for move in moves or board.generate_legal_moves():
                    if halted():
                        return None
                    candidates.append(probe.probe_move(board, move))
            except _TableError:
                probes += probe.count
                continue
            return rank_moves(board, candidates, probes + probe.count)
        return None

    def rank_within(
        self,
        seconds: float,
        board: chess.Board,
        limit: int = 7,
        fifty: bool = True,
        halted: Callable[[], bool] = lambda: False,
        moves: Collection[chess.Move] = (),
    ) -> Ranking | None:
        """Rank as `rank` does; return ``None`` after ``seconds``, or when ``halted()`` becomes
        true.

        A slow disk must not lose a game on time, nor a damaged file, which can keep python-chess
        busy forever. While an abandoned probe still runs, no other one begins. Other exceptions of
        `rank` are raised here too.
        """
        if self._late is not None:
            self._late.join(min(seconds, PROBE_GRACE))
            if self.looking:
                return None
        found: Future[Ranking | None] = Future()
        over = threading.Event()

        def look() -> None:
            try:
                found.set_result(self.rank(board, limit, fifty, over.is_set, moves))
            except Exception as error:  # noqa: BLE001  (re-raised below)
                found.set_exception(error)

        looking = threading.Thread(target=look, name="tables", daemon=True)
        try:
            looking.start()
        except RuntimeError:  # the system cannot start another thread
            return None
        self._late = looking
        end = perf_counter() + seconds
        while looking.is_alive() and perf_counter() < end and not halted():
            looking.join(0.005)
        over.set()
        return found.result() if found.done() else None

    def value(self, board: chess.Board) -> WdlValue | None:
        """Return the value of a position for the side to move, as if its halfmove clock were 0.

        ``None`` if the tables do not have it or cannot be read.
        """
        try:
            return WdlValue(self._base.probe_wdl(board))
        except Exception:  # noqa: BLE001  (as in `rank`)
            return None

    @property
    def looking(self) -> bool:
        """Return whether an abandoned probe still runs."""
        return self._late is not None and self._late.is_alive()

    def close(self) -> None:
        """Close the files; not to be called during a probe."""
        self._base.close()


def open_tables(path: str) -> Tables:
    """Return the tables in the folders of ``path``, separated as in the system's PATH.

    Each folder is tried as in `try_path`. Raises `UciError` for a folder that is missing,
    unreadable or without tables. Damaged files are left out, and named in the summary.
    """
    files: list[Path] = []
    damaged: list[str] = []
    for folder in path.split(os.pathsep):
        try_path(folder, lambda name: _add(files, name, damaged) if name else None)
    if not files:
        raise UciError("SyzygyPath: no folder given")
    found = Tablebases(file for file in files if file.suffix == chess.Board.tbw_suffix)
    damaged += [file.name for file in found.damaged]
    sound = [file for file in files if file not in found.damaged]
    base = chess.syzygy.Tablebase()
    for file in sound:
        _add_file(base, file)
    if not base.wdl:
        raise UciError(f"no Syzygy tables in {shorten(path)}{_damage(damaged)}")
    largest = max(table.num for table in base.wdl.values())
    results, distances = (len(set(map(id, files.values()))) for files in (base.wdl, base.dtz))
    summary = f"found {results} WDL and {distances} DTZ tables of up to {largest} pieces"
    summary += f"; {_in_search(found)}{_damage(damaged)}"
    return Tables(base, largest, summary, found if found.count else None, sound)


def _in_search(tables: Tablebases) -> str:
    """Return a text that says which tables the search itself probes."""
    if not tables.count:
        return "the search itself cannot probe these tables"
    where = "from memory" if tables.in_memory else "from the files"
    if tables.unread:
        which = f"{tables.count} of {tables.count + tables.unread} WDL tables"
        return f"the search itself probes only {which} {where}"
    return f"the search itself probes WDL tables {where}"


def _add(files: list[Path], name: str, damaged: list[str]) -> None:
    """Add the undamaged files of a folder. Raises `UciError` if it has no WDL tables."""
    found = False
    try:
        for file in sorted(named(name).iterdir()):
            if file.suffix not in _TABLE_MAGIC or not chess.syzygy.is_tablename(file.stem):
                continue
            if _is_sound(file):
                files.append(file)
                found = found or file.suffix == chess.Board.tbw_suffix
            else:
                damaged.append(file.name)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the folder does not exist"
        raise UciError(f"no Syzygy tables in {shorten(name)}: {reason}") from None
    if not found:
        raise UciError(f"no Syzygy tables in {shorten(name)}{_damage(damaged)}")


def _add_file(base: chess.syzygy.Tablebase, file: Path) -> None:
    """Open one table file, as `add_file` of python-chess does from 1.11 on."""
    if file.suffix == chess.Board.tbw_suffix:
        base._open_table(base.wdl, WdlFile, str(file.absolute()))
    else:
        base._open_table(base.dtz, DtzFile, str(file.absolute()))


def _is_sound(file: Path) -> bool:
    """Return whether a table file has the right magic number and length, all that is checked."""
    try:
        with open_file(file) as stream:
            begin = stream.read(4)
            return begin == _TABLE_MAGIC[file.suffix] and stream.seek(0, os.SEEK_END) % 64 == 16
    except OSError:
        return False


def _damage(names: list[str]) -> str:
    if not names:
        return ""
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"; damaged files, not used: {shorten(names[0])}{others}"
