"""Compare the engine with Stockfish and python-chess on random valid positions.

Usage: python -m scripts.reliability.differential [--positions 10000] [--seed 1] [--stockfish PATH].
Positions depend only on the seed. For each, the leaf counts of every move, three plies deep, must
equal Stockfish's. Every PV of a search of `NODES` must be playable for python-chess and Stockfish,
and pass the other checks. A mate found by ``go mate`` is played out against every defence; a mate
that it rules out is checked by searching all moves.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import chess

from scripts.console import track
from scripts.match.builds import ROOT
from scripts.match.exit_status import DEFECT, ERROR
from scripts.match.runner import find_engine
from scripts.measure.uci_client import EngineTerminated, UciClient
from scripts.patience import SILENCE
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.random_boards import random_boards
from uci.apps.engines.pv_checks import check_lines, last_exact, replay
from uci.protocol.scored_line import ScoredLine, parse_info

DEPTH, NODES, MATE_NODES = 3, 2_000, 100_000
"""Depth of the perft, and nodes of the searches."""

LINES, MATES = (1, 1, 2, 4), (1, 2, 3)
"""The values of MultiPV, and of ``go mate``."""

SMALL = 20
"""Maximum number of legal moves for checks that there is no mate in two."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?: \d+$")


class Engine(UciClient):
    """An engine that is queried about positions."""

    def __init__(self, command: Sequence[str], perft: str, end: str) -> None:
        """Start the engine. ``perft`` is its perft command; a line that begins with ``end`` ends
        the answer."""
        super().__init__(command, ROOT, timeout=SILENCE)
        self._perft, self._end = perft, end
        self.say("uci").until("uciok")

    def show(self, board: chess.Board, moves: Sequence[str] = ()) -> None:
        """Set a position, and moves from there."""
        self.say(f"setoption name UCI_Chess960 value {str(board.chess960).lower()}")
        self.say(f"position fen {board.fen()} moves {' '.join(moves)}")

    def divide(self) -> dict[str, int]:
        """Return the leaf count of each move of the current position."""
        told = self.say(self._perft).until(self._end)
        return {line.split(": ")[0]: int(line.split(": ")[1]) for line in told if _MOVE.match(line)}

    def search(self, limits: str) -> tuple[list[ScoredLine], list[str]]:
        """Return the lines of a search, and its whole output."""
        told = self.say(f"go {limits}").until("bestmove")
        return [line for text in told if (line := parse_info(text)) is not None], told

    def pieces(self) -> str:
        """Return pieces and side to move of the current position, as Stockfish prints them."""
        fen = self.say("d").until("Fen: ")[-1].removeprefix("Fen: ")
        return " ".join(fen.split()[:2])


class Comparison:
    """Our engine and Stockfish, with counts of the comparisons."""

    def __init__(self, stockfish: str) -> None:
        """Start both engines. Raises `OSError`."""
        self.done: Counter[str] = Counter()
        self.ours = Engine([sys.executable, "-m", "uci"], f"perft {DEPTH} divide", "info string")
        self.theirs = Engine([stockfish], f"go perft {DEPTH}", "Nodes searched")
        self.ours.say("isready").until("readyok")

    def close(self) -> None:
        """End both engines."""
        self.ours.close()
        self.theirs.close()

    def compare(self, board: chess.Board, dice: random.Random) -> None:
        """Compare everything for one position. Raises `Finding`."""
        self.done["positions"] += 1
        for engine in (self.ours, self.theirs):
            engine.show(board)
        self._compare_leaves()
        self._judge_lines(board, dice.choice(LINES))
        self._judge_mate(board, dice.choice(MATES))

    def _compare_leaves(self) -> None:
        ours, theirs = self.ours.divide(), self.theirs.divide()
        if ours != theirs:
            differing = dict(sorted(set(ours.items()) ^ set(theirs.items())))
            raise Finding(f"perft {DEPTH} differs in {differing}")
        self.done["moves compared"] += len(ours)
        self.done["leaves"] += sum(ours.values())

    def _judge_lines(self, board: chess.Board, lines: int) -> None:
        self.ours.say(f"setoption name MultiPV value {lines}")
        heard, told = self.ours.search(f"nodes {NODES}")
        for _, fault in check_lines(board, heard, told[-1].split()[1]):
            if fault:
                raise Finding(fault)
        for pv in {line.pv for line in heard}:
            end, _ = replay(board, pv)
            self.theirs.show(board, pv)
            if self.theirs.pieces() != " ".join(end.fen().split()[:2]):
                raise Finding(f"Stockfish rejects {' '.join(pv)}")
            self.done["lines replayed"] += 1

    def _judge_mate(self, board: chess.Board, moves: int) -> None:
        """Play out a mate found by ``go mate``, or search for one that it ruled out."""
        self.ours.say("setoption name MultiPV value 1")
        heard, told = self.ours.search(f"mate {moves} nodes {MATE_NODES}")
        exact = last_exact(heard)
        found = exact[0].mate if exact else None
        if found and found > 0:
            self.done[f"mates in {found}" if found <= moves else "longer mates, not replayed"] += 1
            if found <= moves:
                self._play_out(board.copy(), found, exact[0].pv[0])
        elif found and -found < moves:
            self.done[f"mated in {-found}"] += 1
            self._defend(board.copy(), -found)
        if any(f"no mate in {moves} moves" in line for line in told):
            self.done[f"no mate in {moves}"] += 1
            if moves == 1 or (moves == 2 and board.legal_moves.count() <= SMALL):
                self.done["of them by searching all moves"] += 1
                if can_mate(board.copy(), moves):
                    raise Finding(f"there is a mate in {moves}")

    def _play_out(self, board: chess.Board, moves: int, move: str) -> None:
        """Make ``move``, and let the engine mate within ``moves`` against every answer."""
        board.push_uci(move)
        if not board.is_checkmate():
            if moves == 1 or not any(board.legal_moves) or board.halfmove_clock >= 100:
                raise Finding(f"no mate after {board.fen()}")
            self._defend(board, moves - 1)
        board.pop()

    def _defend(self, board: chess.Board, moves: int) -> None:
        """Try all moves of the side to be mated in ``moves``."""
        for defence in list(board.legal_moves):
            board.push(defence)
            self.done["defences tried"] += 1
            if board.halfmove_clock >= 100:
                raise Finding(f"a draw by fifty moves: {board.fen()}")
            self.ours.show(board)
            exact = last_exact(self.ours.search(f"mate {moves}")[0])
            found = exact[0].mate if exact else None
            if found is None or not 0 < found <= moves:
                raise Finding(f"{defence} avoids the mate in {moves}: {board.fen()}")
            self._play_out(board, found, exact[0].pv[0])
            board.pop()


def can_mate(board: chess.Board, moves: int) -> bool:
    """Return whether the side to move mates within ``moves``, by searching all moves."""
    for move in list(board.legal_moves):
        board.push(move)
        mates = board.is_checkmate()
        if not mates and moves > 1 and board.halfmove_clock < 100 and any(board.legal_moves):
            mates = all(_mates_after(board, defence, moves) for defence in list(board.legal_moves))
        board.pop()
        if mates:
            return True
    return False


def _mates_after(board: chess.Board, defence: chess.Move, moves: int) -> bool:
    board.push(defence)
    mates = board.halfmove_clock < 100 and can_mate(board, moves - 1)
    board.pop()
    return mates


def compare(positions: int, seed: int, stockfish: str) -> Counter[str]:
    """Compare ``positions`` positions; return the counts of comparisons. Raises `Finding`."""
    dice = random.Random(seed)
    comparison = Comparison(stockfish)
    try:
        for board in track(islice(random_boards(dice), positions), "positions", positions):
            try:
                comparison.compare(board, dice)
            except Finding as finding:
                raise Finding(f"{finding} in {board.fen()} of seed {seed}") from None
    finally:
        comparison.close()
    return comparison.done


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for a finding."""
    parser = argparse.ArgumentParser(prog="differential", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--positions", type=int, default=10_000, help="number of positions (10,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed of the positions (1)")
    parser.add_argument("--stockfish", default=find_engine("stockfish"), help="path of Stockfish")
    options = parser.parse_args(arguments)
    if options.stockfish is None:
        print("stockfish is not on the PATH or in /usr/games", file=sys.stderr)
        return ERROR
    try:
        done = compare(options.positions, options.seed, options.stockfish)
    except (Finding, EngineTerminated) as finding:
        print(f"FOUND: {finding}")
        return DEFECT
    for what, count in sorted(done.items()):
        print(f"{count:14,} {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
