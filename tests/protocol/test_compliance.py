"""The forty steps of fastchess's compliance check, one by one.

It starts the engine once, and requires an `info` line with a score before every `bestmove`.
`make compliance` runs the real judge.
"""

from collections.abc import Callable
from pathlib import Path

from helpers.client import Process
from helpers.line_checks import read_info

BLACK = "position fen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
MIDDLEGAME = "position fen 3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27"
BOTH = "go wtime 100 winc 100 btime 100 binc 100"
OTHER_ORDER = "go btime 100 binc 100 wtime 100 winc 100"
GAME = "go wtime 100 btime 100"


class Judge:
    """Sends commands to the engine, and keeps the output since the last one."""

    def __init__(self, root: Path) -> None:
        self.process = Process(root)
        self.said: list[str] = []

    def send(self, line: str) -> bool:
        self.process.say(line)
        self.said = []
        return True

    def ask(self, question: str, answer: str) -> bool:
        self.send(question)
        return self.read(answer)

    def read(self, start: str) -> bool:
        self.said += self.process.until(start)
        return True

    def heard(self, start: str) -> bool:
        return any(line.startswith(start) for line in self.said)

    def info(self) -> str:
        """Return the last exact line with a score of the first variation."""
        scored = [line for line in self.said if " score " in line and "bound" not in line]
        return [line for line in scored if " multipv 1 " in line][-1]

    def valid(self) -> bool:
        words = self.info().split(" ")
        assert words[0] == "info"
        values = [words[words.index(name) + 1] for name in ("time", "nps", "score")]
        return not any("." in value for value in values) and read_info(self.info()).depth > 0

    def moved(self) -> bool:
        return self.read("bestmove") and len(self.said[-1].split(" ")[1]) in (4, 5)


def test_forty_steps(warm: Path, processes: list[Process]) -> None:
    judge = Judge(warm)
    processes.append(judge.process)

    def send(line: str) -> Callable[[], bool]:
        return lambda: judge.send(line)

    def ready() -> bool:
        return judge.ask("isready", "readyok")

    def scored() -> bool:
        return " score " in judge.info()

    def new_game() -> bool:
        return judge.send("ucinewgame") and ready()

    after_a_move = [judge.moved, lambda: bool(judge.info()), judge.valid, scored]
    steps: list[Callable[[], bool]] = [
        lambda: judge.ask("uci", "uciok"),
        lambda: judge.heard("id name ") and judge.heard("id author "),
        ready,
        new_game,
        send("position startpos"),
        ready,
        send(MIDDLEGAME),
        ready,
        *[send("go wtime 100"), *after_a_move, send(BLACK)],
        *[send("go btime 100"), *after_a_move],
        *[send(BOTH), *after_a_move],
        *[send(OTHER_ORDER), *after_a_move, scored],
        *[new_game, send("position startpos"), send(GAME), judge.moved, judge.valid],
        *[send("position startpos moves e2e4 e7e5"), send(GAME), judge.moved, judge.valid],
        lambda: judge.send("quit") and judge.process.end()[0] == 0,
    ]
    assert len(steps) == 40
    for number, step in enumerate(steps, 1):
        assert step(), f"step {number}"
