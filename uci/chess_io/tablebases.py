"""Syzygy tablebases at the root: which moves keep the value of the position.

The search then runs over these moves only, and over others to show when more lines are
wanted. It may still find a mate among them, which says
more than the tables do; whatever else it believes, `Ranking.report` puts right.
"""

import enum
import os
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import chess
import chess.syzygy

from engine.files import open_file
from engine.search.score import MATE_IN_MAX
from uci.protocol.commands import UciError, shorten

TB_WIN = 20000
"""Centipawns reported for a win by the tables: beyond any evaluation, and less than a mate."""

CURSED = 2
"""Centipawns reported for a win that the fifty-move rule takes away: a draw with a sign."""

MARCH = 16
"""Plies after a capture or pawn move in which any move that surely wins is kept. Then only
those that make progress by the tables are: a search that has found no mate by then wanders."""

FIFTY = 100
"""Plies without a capture or pawn move after which a game is drawn."""

PROBE_GRACE = 0.02
"""Seconds in which a look-up that was given up should be over, so that the next one begins."""

_TABLE_MAGIC = {
    chess.Board.tbw_suffix: chess.Board.tbw_magic,
    chess.Board.tbz_suffix: chess.Board.tbz_magic,
}
"""The kinds of table files, of results and of distances, and how they begin."""


class WdlValue(enum.IntEnum):
    """What a position or a move is worth to the side that moves.

    A cursed win and a blessed loss would be won and lost but for the fifty-move rule.
    """

    LOSS = -2
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    WIN = 2


_SCORE_OF = {
    WdlValue.LOSS: -TB_WIN,
    WdlValue.BLESSED_LOSS: -CURSED,
    WdlValue.DRAW: 0,
    WdlValue.CURSED_WIN: CURSED,
    WdlValue.WIN: TB_WIN,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the tables say about the moves of a position; ``probes`` is the tbhits.

    ``moves`` surely keep its ``value``. The ``others``, with their values, do not, or not
    as surely. Both begin with the best.
    """

    value: WdlValue
    moves: tuple[chess.Move, ...]
    probes: int
    others: Mapping[chess.Move, WdlValue] = field(default_factory=dict)

    @property
    def score(self) -> int:
        """Return what to report when the search knows nothing better, in centipawns."""
        return _SCORE_OF[self.value]

    def best(self, number: int) -> tuple[chess.Move, ...]:
        """Return all moves that keep the value, and others where these are less than ``number``."""
        missing = max(0, number - len(self.moves))
        return self.moves + tuple(self.others)[:missing]

    def report(self, move: chess.Move, score: int) -> int:
        """Return what to report when the search has found ``score`` for ``move``.

        Its mates are believed. Otherwise no other move gets as much as those that keep
        the value.
        """
        value = self.others.get(move, self.value)
        won = value == WdlValue.WIN and score >= MATE_IN_MAX
        lost = value == WdlValue.LOSS and score <= -MATE_IN_MAX
        if won or lost:
            return score
        return _SCORE_OF[value] - (move in self.others and value == self.value)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A move with its value and its ``plies`` to mate, the next capture or pawn move."""

    move: chess.Move
    value: WdlValue
    plies: int
    repeats: bool


@dataclass(slots=True)
class _Probe:
    """Looks positions up, in both kinds of tables or in those of results only, and counts."""

    base: chess.syzygy.Tablebase
    fifty: bool
    distances: bool
    count: int = 0

    def candidate(self, board: chess.Board, move: chess.Move) -> _Candidate:
        """Return what ``move`` is worth; ``board`` is left as it was. `KeyError`: not known."""
        before = board.halfmove_clock
        board.push(move)
        try:
            if board.is_checkmate():
                return _Candidate(move, WdlValue.WIN, 0, repeats=False)
            if self._is_drawn(board):
                return _Candidate(move, WdlValue.DRAW, 0, repeats=False)
            value, plies = self._distance(board) if self.distances else self._result(board)
            if not self.fifty:
                value = WdlValue(max(-2, min(2, 2 * value)))
            elif abs(value) == WdlValue.WIN and board.halfmove_clock and plies + before > FIFTY:
                value = WdlValue(value // 2)
            return _Candidate(move, value, plies, board.is_repetition(2))
        finally:
            board.pop()

    def _is_drawn(self, board: chess.Board) -> bool:
        """Return whether the game is drawn here, whatever the tables say."""
        return (
            (self.fifty and board.halfmove_clock >= FIFTY)
            or board.is_repetition(3)
            or board.is_insufficient_material()
            or not any(board.generate_legal_moves())
        )

    def _distance(self, board: chess.Board) -> tuple[WdlValue, int]:
        """Return value and plies of the move that led to ``board``, by both kinds of tables."""
        self.count += 1
        distance = -self.base.probe_dtz(board)
        size = abs(distance)
        value = WdlValue((distance > 0) - (distance < 0)) * (2 if size <= FIFTY else 1)
        if board.halfmove_clock == 0 and distance > 0:  # the next such move is this one
            size = 1 if size <= FIFTY else FIFTY + 1
            return WdlValue(value), size
        return WdlValue(value), size + 1

    def _result(self, board: chess.Board) -> tuple[WdlValue, int]:
        """Return the value, and a guess at the plies that prefers captures and pawn moves."""
        self.count += 1
        value = WdlValue(-self.base.probe_wdl(board))
        return value, 1 if board.halfmove_clock == 0 and value > 0 else 2


class Tables:
    """Tables that were found; see `open_tables`.

    ``largest`` is the number of pieces in their positions, ``summary`` a line for the user.
    """

    def __init__(self, base: chess.syzygy.Tablebase, largest: int, summary: str) -> None:
        self.largest = largest
        self.summary = summary
        self._base = base
        self._late: threading.Thread | None = None

    def rank(
        self,
        board: chess.Board,
        limit: int = 7,
        fifty: bool = True,
        halted: Callable[[], bool] = lambda: False,
        moves: Collection[chess.Move] = (),
    ) -> Ranking | None:
        """Rank the legal moves of ``board``, whose past counts for repetitions.

        ``moves``, if there are any, are the only ones considered. ``limit`` is the most pieces to
        look up (`SyzygyProbeLimit`), without ``fifty`` there is no fifty-move rule. ``None``
        when the tables do not hold the position or one that a move leads to, cannot be read,
        or once ``halted`` says that time is up.
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
                    candidates.append(probe.candidate(board, move))
            except Exception:  # noqa: BLE001  (no such table, or a damaged one: the game goes on)
                probes += probe.count
                continue
            return _ranking(board, candidates, probes + probe.count)
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
        """Rank as `rank` does; ``None`` after ``seconds``, or when ``halted`` is true before that.

        A slow disk must not lose a game on time, nor a damaged file, which can keep
        python-chess busy for ever. While such a look-up goes on, no other one begins.
        """
        if self._late is not None:
            self._late.join(min(seconds, PROBE_GRACE))
            if self._late.is_alive():
                return None
        found: list[Ranking | None] = []
        over = threading.Event()
        self._late = threading.Thread(
            target=lambda: found.append(self.rank(board, limit, fifty, over.is_set, moves)),
            name="tables",
            daemon=True,
        )
        self._late.start()
        end = perf_counter() + seconds
        while self._late.is_alive() and perf_counter() < end and not halted():
            self._late.join(0.005)
        over.set()
        return found[0] if found else None

    def close(self) -> None:
        """Give back the files; not to be called while a look-up goes on."""
        self._base.close()


def open_tables(path: str) -> Tables:
    """Return the tables in the folders of ``path``, separated as in the system's PATH.

    Raises `UciError` for a folder that is missing, unreadable or has no tables. Damaged
    files are left out, which the summary tells.
    """
    base = chess.syzygy.Tablebase()
    damaged: list[str] = []
    for name in filter(None, path.split(os.pathsep)):
        if not _add(base, Path(name), damaged):
            raise UciError(f"no Syzygy tables in {shorten(name)}{_damage(damaged)}")
    if not base.wdl:
        raise UciError("SyzygyPath names no folder")
    largest = max(table.num for table in base.wdl.values())
    results, distances = (len(set(map(id, files.values()))) for files in (base.wdl, base.dtz))
    summary = f"found {results} WDL and {distances} DTZ tables of up to {largest} men"
    return Tables(base, largest, summary + _damage(damaged))


def _add(base: chess.syzygy.Tablebase, folder: Path, damaged: list[str]) -> bool:
    """Add what is sound in a folder; return whether there were tables of results."""
    found = False
    try:
        for file in sorted(folder.iterdir()):
            if file.suffix not in _TABLE_MAGIC or not chess.syzygy.is_tablename(file.stem):
                continue
            if _is_sound(file):
                _add_file(base, file)
                found = found or file.suffix == chess.Board.tbw_suffix
            else:
                damaged.append(file.name)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such folder"
        raise UciError(f"no Syzygy tables in {shorten(str(folder))}: {reason}") from None
    return found


def _add_file(base: chess.syzygy.Tablebase, file: Path) -> None:
    """Do what python-chess has `add_file` for, from 1.11 on."""
    if file.suffix == chess.Board.tbw_suffix:
        base._open_table(base.wdl, chess.syzygy.WdlTable, str(file.absolute()))
    else:
        base._open_table(base.dtz, chess.syzygy.DtzTable, str(file.absolute()))


def _is_sound(file: Path) -> bool:
    """Return whether a table begins and ends as one does: the rest is not looked at."""
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
    return f"; left out as damaged: {shorten(names[0])}{others}"


def _ranking(board: chess.Board, candidates: list[_Candidate], probes: int) -> Ranking | None:
    """Keep the moves of the highest value, as the value demands."""
    if not candidates:
        return None
    value = max(candidate.value for candidate in candidates)
    kept = [candidate for candidate in candidates if candidate.value == value]
    if value > 0:
        kept.sort(key=lambda candidate: (candidate.plies, candidate.repeats))
        kept = _winning(board, kept)
    elif value < 0:
        longest = max(candidate.plies for candidate in kept)
        kept = [candidate for candidate in kept if candidate.plies == longest]
    others = [candidate for candidate in candidates if candidate not in kept]
    others.sort(key=lambda c: (-c.value, c.plies if c.value > 0 else -c.plies))
    return Ranking(
        value,
        tuple(candidate.move for candidate in kept),
        probes,
        {candidate.move: candidate.value for candidate in others},
    )


def _winning(board: chess.Board, kept: list[_Candidate]) -> list[_Candidate]:
    """Return which of the winning moves, the quickest first, may be played.

    Distances are rounded and may hide a ply: with a sum of 100 a win is not sure. Once a
    position has come twice, or `MARCH` plies are gone, each move must bring the end of the
    phase nearer, so that no position comes a third time.
    """
    best = kept[0]
    # Only plies that were played here: a position set up with a late counter may march too.
    free = min(board.halfmove_clock, len(board.move_stack)) < MARCH
    if best.value == WdlValue.WIN and best.plies and free and not _has_repeated(board):
        sure = [c for c in kept if not c.repeats and c.plies + board.halfmove_clock < FIFTY]
        if sure:
            return sure
    quickest = [c for c in kept if c.plies == best.plies]
    return [c for c in quickest if c.repeats == best.repeats]


def _has_repeated(board: chess.Board) -> bool:
    """Return whether a position has come twice since the last capture or pawn move."""
    past = board.copy()
    seen = {past.epd()}
    while past.move_stack and past.halfmove_clock:
        past.pop()
        position = past.epd()
        if position in seen:
            return True
        seen.add(position)
    return False
