"""The speed test: nodes per second in games, with all threads and a large table.

The idea and the defaults are those of Stockfish's command of this name. Unlike the bench it
searches as in a game, each position with the table of the ones before it; its node counts differ
from run to run.
"""

import threading
from collections.abc import Callable, Iterator

from uci import __version__
from uci.protocol.commands import SpeedTest

HASH_PER_THREAD_MB = 128
SECONDS = 150

GAMES = (
    """
    e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1e3 e7e6 d1d2 b7b5 a2a3 f8e7 f2f3
    c8b7 e1a1 e8h8 g2g4 f6d7 h2h4 d8c7 e3g5 d7f6 d2h2 f8c8 c1b1 b8d7 g5c1 d7b6 h4h5 f6d7
    g4g5 d6d5 h2c7 c8c7 g5g6 c7c3 b2c3 b6a4 c1b2 e7f6 g6h7 g8h7 f3f4 e6e5 f4e5 d7e5 e4d5
    b7d5 h1g1 e5c4 f1d3 h7h8 d3c4 d5c4 d4f5 h8h7 d1d6 f6e5 d6d2 a4c3 b2c3 e5c3 d2d6 c3f6
    d6b6 c4e6 g1f1 a8a7 b6c6 e6d5 c6d6 d5c4 f1g1 c4e6 g1f1 f6e5 d6c6 e6d7 c6c5 f7f6 c2c3
    d7e6 f5d4 e6c4 f1g1 c4f7 b1c2 f7h5 g1h1 h7h6 c2d3 g7g6 c5c6 h6g5 d3e3 h5g4 h1g1 e5f4
    e3f2 f4b8 d4e6 g5f5 e6d4 f5g5 d4e6 g5f5 e6d4 f5g5
    """,
    """
    d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8h8 c1d2 c7c5 d4d5 b4c3 d2c3 d7d6 f1e2 f6e4 d1c2
    e4c3 c2c3 e6d5 c4d5 b7b6 g1f3 c8b7 c3b3 a7a5 a2a4 b8a6 e1h1 a6b4 e2c4 d8e7 a1e1 f7f5
    e3e4 f5e4 f3d2 e7f7 d2e4 b7d5 e4d6 d5c4 b3c4 f7c4 d6c4 a8b8 e1e6 f8f6 e6f6 g7f6 g2g4
    b6b5 a4b5 b8b5 f1d1 b4c6 d1d5 a5a4 g1g2 c6a5 c4a3 b5b4 d5c5 b4g4 g2f3 g4g5 c5g5 f6g5
    f3e4 a5b3 a3b1 g8f7 e4d5 h7h5 b1c3 b3d2 c3a4 f7e7 b2b4 d2f3 b4b5 e7d7 b5b6 d7c8 a4c5
    h5h4 d5c6 f3d4 c6d6 c8b8 c5d7 b8b7 d7e5 b7b6 f2f3 h4h3 d6d5 d4f3 e5f3 g5g4 d5e4 b6c7
    e4f4 g4f3 f4f3 c7d6 f3f2 d6e6 f2g3 e6f5 g3f2 f5e5 f2g1 e5e6 g1f1 e6d6 f1f2 d6d5 f2e3
    d5d6
    """,
    """
    c2c4 e7e5 b1c3 g8f6 g2g3 d7d5 c4d5 f6d5 f1g2 d5b6 g1f3 b8c6 e1h1 c8e6 e2e3 d8d7 d2d4
    e8a8 f3e5 c6e5 d4e5 d7d1 c3d1 e6c4 f1e1 f8b4 d1c3 b6a4 a2a3 b4c3 b2c3 h8e8 f2f4 a7a5
    g2f1 c4f1 g1f1 a4c3 c1b2 c3e4 e1d1 b7b5 d1d4 e4d2 f1e2 d2b3 d4d8 e8d8 a1d1 d8d1 e2d1
    a5a4 d1e2 c8d7 e3e4 c7c5 b2c3 b3d4 e2d3 d4c6 c3d2 d7c7 d2e3 c7b6 d3c3 h7h5 e3f2 g7g6
    h2h3 c6a5 f4f5 g6f5 e4f5 a5c4 e5e6 f7e6 f5e6 b6c6 e6e7 c4d6 f2e3 d6e4 c3d3 e4d6 g3g4
    h5g4 h3g4 d6e8 g4g5 b5b4 a3b4 c5b4 e3d2 b4b3 d2c1 c6d7 c1a3 e8g7 d3c4 g7f5 g5g6 d7e8
    c4c3 f5e7 g6g7 e7g8 c3b4 g8h6 b4a4 b3b2 a3b2 e8f7 b2f6 f7f6 g7g8q h6g8
    """,
    """
    e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1 f8e7 f1e1 b7b5 a4b3 e8h8 a2a4 b5b4 d2d4
    e5d4 e4e5 f6e8 b3d5 a8b8 b1d2 c8b7 d2b3 b7a8 h2h3 g7g6 f3d4 c6d4 d1d4 c7c5 d4d1 e8g7
    d5a8 b8a8 c1h6 f8e8 d1d3 d7d5 e5d6 d8d6 d3c4 d6c6 c2c3 b4c3 b2c3 a8d8 b3d4 c6d6 d4f3
    d6d3 e1e4 g7e6 f3e5 d3c4 e5c4 e7f6 e4e3 e6c7 a1c1 e8e3 c4e3 c7e6 g1f1 d8d3 c1d1 d3d1
    e3d1 g6g5 f1e2 c5c4 e2e3 e6c5 a4a5 c5a4 e3f3 f6d8 d1e3 d8a5 h6g5 a4c3 e3c4 a5b4 g5d8
    g8f8 f3e3 b4c5 e3d3 c3d5 d3e4 d5c3 e4d3 c3d5 d3e4 d5c3 e4d3
    """,
)
"""Games of the engine against itself, in UCI notation for Chess960."""


def filled_in(command: SpeedTest, cores: int) -> tuple[int, int, int]:
    """Return the threads, the MiB of the table and the seconds of a ``command``."""
    threads = command.threads or cores
    return threads, command.hash or HASH_PER_THREAD_MB * threads, command.seconds or SECONDS


def speedtest(
    command: SpeedTest,
    cores: int,
    halted: Callable[[], bool],
    on_stop: Callable[[Callable[[], None]], None],
) -> Iterator[str]:
    """Search the games' positions, each for the same time, and yield a line for each game.

    The last lines are the report. ``on_stop`` gets the function that stops a search, for any
    thread to call; once it is `halted`, the test ends without a report. Raises `MemoryError` if
    there is no memory for the table.
    """
    from engine.jit.kernel import clock
    from engine.search.limits import Limits
    from engine.search.searcher import Searcher
    from uci.chess_io.convert import RootPosition, new_game
    from uci.protocol.commands import SetPosition

    threads, megabytes, seconds = filled_in(command, cores)
    searcher = Searcher(megabytes)
    threads = searcher.use_threads(threads)
    searcher.prefault()
    on_stop(searcher.stop)
    root = RootPosition(searcher.pos)
    positions = sum(len(game.split()[::2]) for game in GAMES)
    total, milliseconds, fillings = 0, 0.0, list[int]()
    for number, text in enumerate(GAMES, 1):
        moves = text.split()
        searcher.clear()
        nodes, spent, filling = 0, 0.0, 0
        for plies in range(0, len(moves), 2):  # the positions of one player
            root.show(new_game().after(SetPosition(None, tuple(moves[:plies]))))
            left = 1000 * seconds - milliseconds - spent
            share = max(1.0, left / (positions - len(fillings)))
            start = clock()
            timer = threading.Timer(share / 1000, searcher.stop)
            timer.daemon = True
            results = searcher.begin(Limits(), None)
            timer.start()
            for result in results:
                filling = getattr(result, "hashfull", filling)
                if halted():  # `begin` drops a stop that came before it
                    searcher.stop()
            timer.cancel()
            if halted():
                return
            spent += clock() - start
            nodes += searcher.nodes
            fillings.append(filling)
        yield f"game {number}/{len(GAMES)}: {nodes} nodes {_speed(nodes, spent)} nps"
        total, milliseconds = total + nodes, milliseconds + spent
    yield f"version            Pythagoras {__version__}"
    yield f"processors         {cores}"
    yield f"threads            {threads}"
    yield f"hash               {megabytes} MiB"
    mean = sum(fillings) // positions
    yield f"hash use           {mean} permille on average, {max(fillings)} at most"
    yield f"positions          {positions}"
    yield f"nodes              {total}"
    yield f"time               {milliseconds / 1000:.1f} s"
    yield f"nodes per second   {_speed(total, milliseconds)}"


def _speed(nodes: int, milliseconds: float) -> int:
    return int(nodes / max(milliseconds, 1) * 1000)
