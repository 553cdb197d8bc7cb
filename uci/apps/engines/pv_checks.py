"""Checks PVs by the rules of chess alone, for this engine and any other.

*Legal*: every PV can be played, and none continues after the end of the game. *Complete*: the last
exact PV is as long as its depth, or ends where the rules or a repetition end it. *Mates*: a mate
score has a PV of exactly that length that mates. *True*: a PV that ends the game has the score of
that end. *Stable*: the move played begins the last exact PV, or the PV of a later lower bound.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import chess

from uci.protocol.scored_line import ScoredLine

LEGAL, COMPLETE, MATES, TRUE, STABLE = "legal", "complete", "mates", "true", "stable"
CHECKS = (LEGAL, COMPLETE, MATES, TRUE, STABLE)

MAX_FAULTS = 5
"""Maximum number of faults of each kind that are described."""


def game_over_reason(board: chess.Board) -> str:
    """Return how the game has ended, or an empty text; insufficient material does not count."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    return "threefold repetition" if board.is_repetition(3) else ""


def replay(board: chess.Board, pv: Sequence[str]) -> tuple[chess.Board, str]:
    """Return the board at the end of the PV, or where it cannot continue, and the reason.

    ``board`` has its history. The first move is always allowed, even if a draw could be claimed.
    """
    board = board.copy()
    for number, text in enumerate(pv):
        if number and (end := game_over_reason(board)):
            return board, f"continues after {end} with {text}"
        try:
            move = board.parse_uci(text)
        except ValueError:
            move = chess.Move.null()
        if not move:
            return board, f"illegal move {text}"
        board.push(move)
    return board, ""


def line_may_end(board: chess.Board) -> bool:
    """Return whether a PV may end here: the game is over, or a position was repeated."""
    return (
        bool(game_over_reason(board)) or board.is_insufficient_material() or board.is_repetition(2)
    )


def missing_plies(line: ScoredLine, end: chess.Board) -> str:
    """Return how an exact PV that ends at ``end`` is too short; empty if it is not."""
    plies = len(line.pv) if line.main_plies is None else line.main_plies
    if plies >= line.depth or line_may_end(end):
        return ""
    return f"{plies} plies at depth {line.depth}"


def wrong_score(line: ScoredLine, end: chess.Board, draw_score: int) -> str | None:
    """Return what is wrong with the score of an exact PV that ends the game; empty if nothing.

    ``None`` if the PV does not end the game. ``draw_score`` is that of a drawn game, in centipawns.
    """
    if end.is_checkmate():
        return "" if line.mate is not None else f"cp {line.cp} for a line that mates"
    drawn = game_over_reason(end) or end.is_insufficient_material()
    if not drawn:
        return None
    return (
        ""
        if line.cp == draw_score
        else f"no draw score for {game_over_reason(end) or 'insufficient material'}"
    )


def wrong_mate(line: ScoredLine, end: chess.Board) -> str:
    """Return what is wrong with the PV of an exact mate score; empty if nothing."""
    assert line.mate is not None
    plies = 2 * line.mate - 1 if line.mate > 0 else -2 * line.mate
    if len(line.pv) != plies:
        return f"a mate in {line.mate} of {len(line.pv)} plies"
    return "" if end.is_checkmate() else "the PV does not end in mate"


def last_exact(lines: Sequence[ScoredLine]) -> list[ScoredLine]:
    """Return the last exact line of every variation, the first variation first."""
    found = {line.multipv: line for line in lines if not line.bound}
    return [found[number] for number in sorted(found)]


def last_played(lines: Sequence[ScoredLine]) -> ScoredLine | None:
    """Return the line whose move should be played.

    It is the last exact line of the first variation, or a later lower bound. An upper bound cancels
    the lower bounds before it.
    """
    exact, lower = None, None
    for line in lines:
        if line.multipv == 1:
            lower = line if line.bound == "lower" else None
            exact = exact if line.bound else line
    return lower or exact


def check_lines(
    board: chess.Board,
    lines: Sequence[ScoredLine],
    bestmove: str | None = None,
    draw_score: int = 0,
) -> Iterator[tuple[str, str]]:
    """Yield the name and the fault of each check of the lines for ``board``; no fault is empty.

    All lines are checked for legality, exact ones for mate and truth, the last exact ones for
    completeness and, if ``bestmove`` is given, stability. ``draw_score`` as in `wrong_score`.
    """
    for line in lines:
        end, fault = replay(board, line.pv)
        yield LEGAL, f"{fault}: {line}" if fault else ""
        if fault or line.bound:
            continue
        if line.mate is not None:
            fault = wrong_mate(line, end)
            yield MATES, f"{fault}: {line}" if fault else ""
        verdict = wrong_score(line, end, draw_score)
        if verdict is not None:
            yield TRUE, f"{verdict}: {line}" if verdict else ""
    last = last_exact(lines)
    for line in last:
        end, illegal = replay(board, line.pv)
        fault = illegal or missing_plies(line, end)
        yield COMPLETE, f"{fault}: {line}" if fault else ""
    if bestmove is not None:
        played = last_played(lines)
        begins = played.pv[0] if played is not None and played.pv else "(none)"
        yield STABLE, "" if begins == bestmove else f"bestmove {bestmove} after {begins}"


@dataclass
class Tally:
    """Counts how often each check was applied and passed; keeps the first faults."""

    applied: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, board: chess.Board, results: Iterable[tuple[str, str]]) -> None:
        """Count the results of `check_lines` for ``board``."""
        for check, fault in results:
            self.applied[check] += 1
            if not fault:
                self.passed[check] += 1
            elif self.failed(check) <= MAX_FAULTS:
                self.faults.append(f"{check}: {fault} in {board.fen()}")

    def failed(self, check: str) -> int:
        """Return how often a check failed."""
        return self.applied[check] - self.passed[check]

    def share(self, check: str) -> str:
        """Return in percent how often a check passed; only 100.00 if it always did."""
        if not self.applied[check]:
            return "-"
        hundredths = self.passed[check] * 10_000 // self.applied[check]
        return f"{hundredths / 100:.2f}"
