"""Play and search with extreme positions that strain the engine's arrays, with bounds checks.

Usage: python -m scripts.reliability.strange [--games 500] [--positions 5000] [--seed 1]. The script
restarts itself with ``NUMBA_BOUNDSCHECK=1``, for which the kernels are compiled again: an index out
of bounds then raises an error, here or in a thread, instead of accessing other memory.

Half of the games are played by datagen, the others by the search that clients use.
"""

import argparse
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import chess
import numpy as np

from engine.board.annotations import Depth, Ply, Position, Score
from engine.board.position import POSITION, new_position
from engine.board.types import BLACK, MAX_PLY, NO_MOVE, WHITE
from engine.datagen.factory import Player, Settings
from engine.evaluation.nnue import refresh_accumulator
from engine.jit.kernel import COMPILED, EntryPoints
from engine.search.limits import Limits
from engine.search.pvs import pvs
from engine.search.results import Iteration
from engine.search.score import INFINITE
from engine.search.searcher import Searcher
from engine.search.thread import THREAD, new_thread
from engine.search.thread_data import ThreadData
from engine.search.tt import Table
from scripts.console import track
from scripts.match.builds import ROOT
from scripts.match.exit_status import DEFECT
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.strange_boards import strange_boards
from uci.apps.engines.pv_checks import replay
from uci.chess_io.convert import Game, RootPosition, board_of, fill, move_to_uci, new_game
from uci.protocol.commands import SetPosition

CHECKED = "NUMBA_BOUNDSCHECK"
EVERY_LINE, THREADS = 256, 64
"""The maximum MultiPV, and a large number of threads."""

NODES = *[4_000] * 7, 100_000
"""Nodes for searches of strange positions; one value in eight suffices for PVs of all 218 moves."""

LOCKED, DEEP_NODES = "8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1", 1_000_000
"""A position so simple that the search reaches the maximum depth, and the nodes for that."""

_LAST = MAX_PLY - 1 + 4
"""Index of the move to the last ply in a record: see `engine.search.history`."""

LONG = 1000
"""Length of a long game in full moves."""

_SHUFFLE = "g1f3", "g8f6", "f3g1", "f6g8"
"""Moves back and forth."""

_ENTRIES = EntryPoints()  # not compiled before an ordinary search


@contextmanager
def threads_too() -> Iterator[None]:
    """Also raise a `Finding` for uncaught errors of threads."""
    errors: list[str] = []
    threading.excepthook, before = (lambda error: errors.append(repr(error))), threading.excepthook
    try:
        yield
    finally:
        threading.excepthook = before
    if errors:
        raise Finding(f"in a thread: {errors[0]}")


def search(searcher: Searcher, board: chess.Board, nodes: int, multipv: int = 1) -> list[Iteration]:
    """Return the results for the position of ``searcher``, after replaying all PVs.

    Raises `Finding` for a PV that cannot be played.
    """
    try:
        with threads_too():
            results = searcher.begin(Limits(nodes=nodes), None, multipv)
            found = [result for result in results if isinstance(result, Iteration)]
    except IndexError as error:
        raise Finding(f"{error} in {board.fen()}") from None
    for iteration in found:
        _, fault = replay(board, [move_to_uci(move, True) for move in iteration.pv])
        if fault or (iteration.bound == "exact" and not iteration.pv):
            raise Finding(f"{fault or 'no line'}: {iteration} in {board.fen()}")
    return found


def play_games(number: int, seed: int) -> Counter[str]:
    """Play ``number`` games, half of them with datagen."""
    done: Counter[str] = Counter()
    player = Player(Settings(seed=seed, nodes=200, hash=1, chess960=500, keep_pvs=1))
    searcher, dice = Searcher(1), random.Random(seed)
    for game in track(range(number), "games"):
        done["games"] += 1
        if game % 2:
            played = player.play(game)
            assert played is not None
            done["moves of datagen"] += int(played.words[0])
            continue
        board = chess.Board.from_chess960_pos(dice.choice((518, dice.randrange(960))))
        root = RootPosition(searcher.pos)
        while not board.is_game_over(claim_draw=False) and board.ply() < 300:
            if board.ply() < 8:
                board.push(dice.choice(list(board.legal_moves)))
                continue
            root.show(Game(str(game), (), board))
            if found := search(searcher, board, dice.choice((30, 200, 600))):
                board.push_uci(move_to_uci(found[-1].pv[0], True))
            else:  # the nodes may not suffice for a move
                board.push(dice.choice(list(board.legal_moves)))
            done["moves of clients' search"] += 1
    return done


def search_positions(number: int, seed: int) -> Counter[str]:
    """Search ``number`` strange positions, with a line for every move and a small table."""
    done: Counter[str] = Counter()
    searcher, dice = Searcher(1), random.Random(seed)
    for board in track(islice(strange_boards(dice), number), "positions", number):
        moves = board.legal_moves.count()
        fill(searcher.pos, board)
        found = search(searcher, board, dice.choice(NODES), EVERY_LINE)
        depths = Counter(one.depth for one in found)
        if depths[2] and depths[1] != moves:
            raise Finding(f"{depths[1]} lines of {moves} moves in {board.fen()}")
        done["positions"] += 1
        done["lines"] += len(found)
        done["most moves"] = max(done["most moves"], moves)
        most = max((one.multipv for one in found), default=0)
        done["most lines of a depth"] = max(done["most lines of a depth"], most)
        queens = max(len(board.pieces(chess.QUEEN, colour)) for colour in chess.COLORS)
        done["with nine queens"] += queens == 9
        done["double checks"] += chess.popcount(board.checkers_mask()) > 1
        done["with promotions"] += any(move.promotion for move in board.legal_moves)
    return done


@_ENTRIES.entry(POSITION, THREAD, np.int64, np.int64)
def _search_from(pos: Position, th: ThreadData, ply: Ply, depth: Depth) -> Score:
    """Search ``pos`` as if it were ``ply`` plies from the root."""
    refresh_accumulator(pos, th, ply, np.int64(WHITE))
    refresh_accumulator(pos, th, ply, np.int64(BLACK))
    low, high, off = np.int64(-INFINITE), np.int64(INFINITE), np.int64(0)
    return pvs(pos, th, ply, depth, low, high, off, np.int64(1), np.int64(0))


def reach_the_last_ply(number: int, seed: int) -> Counter[str]:
    """Search ``number`` strange positions as if they were a few plies before the end of all arrays.

    A search from its root reaches depth `MAX_PLY` - 1, too, but all such long lines repeat a
    position earlier.
    """
    done: Counter[str] = Counter()
    dice, table = random.Random(seed), Table(1)
    th, pos = new_thread(), new_position()
    for board in islice(strange_boards(dice), number):
        for selective in (True, False):
            fill(pos, board)
            pos.game_ply, pos.history[0].move = 1, NO_MOVE  # only the root has no previous move
            table.attach(th)
            th.conthist_index[:] = th.nodes = th.stop = 0
            th.node_limit, th.selective = 20_000, selective
            try:
                _search_from(pos, th, MAX_PLY - dice.randrange(1, 9), dice.randrange(9))
            except IndexError as error:
                raise Finding(f"{error} near the last ply of {board.fen()}") from None
            done["searches"] += 1
            done["searches that made a move to the last ply"] += bool(th.conthist_index[_LAST])
            done["highest selective depth"] = max(done["highest selective depth"], int(th.seldepth))
    searcher = Searcher(1)
    fill(searcher.pos, board_of(LOCKED))
    done["deepest iteration"] = search(searcher, board_of(LOCKED), DEEP_NODES)[-1].depth
    return done


def play_long_games(number: int, seed: int) -> Counter[str]:
    """Set ``number`` games of `LONG` full moves or more, at once and step by step; search them."""
    done: Counter[str] = Counter()
    dice = random.Random(seed)
    for game in range(number):
        line = _long_line(dice, 2 * LONG) if game else [*_SHUFFLE * (LONG // 2)]
        whole, grown = Searcher(1), Searcher(1)
        roots = RootPosition(whole.pos), RootPosition(grown.pos)
        shown = new_game()
        roots[0].show(shown.after(SetPosition(None, tuple(line))))
        end = 0
        while end < len(line):
            end = min(end + dice.randrange(1, 100), len(line))
            shown = shown.after(SetPosition(None, tuple(line[:end])))
            roots[1].show(shown)
            if dice.random() < 0.1:
                search(grown, shown.board, 2_000)
        if whole.pos.key != grown.pos.key:
            raise Finding(f"two ways to show a game differ in {shown.board.fen()}")
        for searcher in (whole, grown):
            search(searcher, shown.board, 5_000)
            done["lines"] += 1
        done["games"] += 1
        done["longest, in full moves"] = max(done["longest, in full moves"], len(line) // 2)
    return done


def _long_line(dice: random.Random, plies: int) -> list[str]:
    """Return ``plies`` random moves of one game."""
    while True:
        board = chess.Board()
        while board.ply() < plies:
            moves = list(board.legal_moves)
            quiet = [move for move in moves if not board.is_zeroing(move)]
            if dice.random() < 0.99 and quiet:
                moves = quiet
            if not moves:
                break
            board.push(dice.choice(moves))
        else:
            return [move.uci() for move in board.move_stack]


def use_many_threads(number: int, seed: int) -> Counter[str]:
    """Search ``number`` strange positions with `THREADS` threads."""
    done: Counter[str] = Counter()
    searcher, dice = Searcher(1), random.Random(seed)
    done["threads"] = searcher.use_threads(THREADS)
    for board in islice(strange_boards(dice), number):
        fill(searcher.pos, board)
        search(searcher, board, dice.choice((50, 20_000)), dice.choice((1, 3)))
        done["searches"] += 1
    return done


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 for a finding."""
    parser = argparse.ArgumentParser(prog="strange", description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500, help="number of games (500)")
    parser.add_argument("--positions", type=int, default=5_000, help="number of positions (5,000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    options = parser.parse_args(arguments)
    if COMPILED and not os.environ.get(CHECKED):
        words = [sys.executable, "-m", "scripts.reliability.strange", *(arguments or sys.argv[1:])]
        return subprocess.run(
            words, cwd=ROOT, env=os.environ | {CHECKED: "1"}, check=False
        ).returncode
    parts: dict[str, Callable[[], Counter[str]]] = {
        "self-play": lambda: play_games(options.games, options.seed),
        "strange positions": lambda: search_positions(options.positions, options.seed),
        "the last ply": lambda: reach_the_last_ply(1_000, options.seed),
        "long games": lambda: play_long_games(10, options.seed),
        "many threads": lambda: use_many_threads(40, options.seed),
    }
    for name, part in parts.items():
        try:
            done = part()
        except Finding as finding:
            print(f"FOUND in {name}, seed {options.seed}: {finding}")
            return DEFECT
        for what, count in done.items():
            print(f"{count:12,} {name}: {what}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
