"""Input that strains the engine's arrays, with every index checked; see also `soak`."""

import os
import random
import threading

import chess
import pytest

from engine.board.types import MAX_HISTORY, MAX_PLY
from engine.jit.kernel import COMPILED
from engine.search.searcher import Searcher
from scripts.reliability import strange
from scripts.reliability.line_fuzzer import Finding
from scripts.reliability.strange_boards import MOST_MOVES, strange_boards
from uci.chess_io.convert import fill

checked = pytest.mark.skipif(
    not COMPILED or not os.environ.get(strange.CHECKED), reason="for the pass that checks bounds"
)


def test_boards_of_every_kind() -> None:
    source = strange_boards(random.Random(1))
    boards = [next(source) for _ in range(120)]
    assert all(board.is_valid() for board in boards)
    assert max(board.legal_moves.count() for board in boards) == 218
    assert sum(len(board.pieces(chess.QUEEN, chess.BLACK)) == 9 for board in boards) > 5
    assert sum(chess.popcount(board.checkers_mask()) > 1 for board in boards) > 5
    promotions = [sum(bool(move.promotion) for move in board.legal_moves) for board in boards]
    assert max(promotions) > 30


@pytest.mark.boundscheck
@checked
def test_games() -> None:
    done = strange.play_games(4, 1)
    assert done["games"] == 4
    assert done["moves of datagen"] > 50
    assert done["moves of clients' search"] > 50


@pytest.mark.boundscheck
@checked
def test_positions() -> None:
    done = strange.search_positions(60, 1)
    assert done["most moves"] == done["most lines of a depth"] == 218
    assert done["with nine queens"] > 5
    assert done["double checks"] > 2


@pytest.mark.boundscheck
@checked
def test_the_last_ply_is_reached() -> None:
    done = strange.reach_the_last_ply(40, 1)
    assert done["searches that made a move to the last ply"] > 20
    assert done["highest selective depth"] == done["deepest iteration"] == MAX_PLY - 1


@pytest.mark.boundscheck
@checked
def test_games_of_a_thousand_moves() -> None:
    done = strange.play_long_games(2, 1)
    assert done["longest, in full moves"] >= 1000


@pytest.mark.boundscheck
@checked
def test_many_threads() -> None:
    assert strange.use_many_threads(5, 1)["threads"] == strange.THREADS


@pytest.mark.boundscheck
@checked
def test_an_index_out_of_bounds_is_found() -> None:
    """An index out of bounds, from a history set to begin past its end, is reported."""
    searcher, board = Searcher(1), chess.Board(MOST_MOVES, chess960=True)
    fill(searcher.pos, board)
    assert strange.search(searcher, board, 3_000)
    searcher.pos.game_ply = MAX_HISTORY
    with pytest.raises(Finding, match="out of bounds"):
        strange.search(searcher, board, 3_000)


def test_what_a_thread_does_not_catch_is_found() -> None:
    thread = threading.Thread(target=[].__getitem__, args=(0,))

    def run() -> None:
        with strange.threads_too():
            thread.start()
            thread.join()

    with pytest.raises(Finding, match=r"in a thread: .*IndexError"):
        run()
