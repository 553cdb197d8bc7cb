"""A client that sends everything in any order, and a model of the expected answers.

It is a hypothesis state machine over a running process. The model holds the options that affect the
output, the position, and the position of each ``go``. Each ``go`` must get one ``bestmove``, in the
order of the ``go``s, legal in its position, or ``(none)`` if that was rejected. Each ``isready``
must get its ``readyok``. The engine never ends by itself and never writes an error.
"""

import random
import sys
from pathlib import Path
from typing import ClassVar

import chess
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from scripts.match.builds import ROOT
from scripts.reliability.line_fuzzer import Engine, Finding
from scripts.reliability.uci_lines import FENS
from uci.protocol.options import OPTIONS, Option

# Simulates compilation: for a while there are no kernels.
LATE = """
import sys, time
from uci.cli import main
from uci.session import backend
from uci.session.loader import Loader
def load(notice):
    time.sleep(0.5)
    return backend.load(notice)
main.Loader = lambda **words: Loader(load, **words)
sys.exit(main.main([]))
"""

_VALUES = {
    "Hash": st.integers(-1, 40),
    "Threads": st.integers(-1, 4),
    "MultiPV": st.integers(-1, 300),
}
_FILES = ("Debug Log File", "EvalFile", "Hash File")
_NAMED = [option for option in OPTIONS if option.name not in _FILES]
_PLAYABLE = [
    fen for fen in (chess.STARTING_FEN, *FENS) if chess.Board(fen, chess960=True).is_valid()
]
_MATES = ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")


class UciMachine(RuleBasedStateMachine):
    """One UCI session; ``folder`` is the engine's working directory."""

    folder: ClassVar[Path] = ROOT
    starts: ClassVar[int] = 0
    said: ClassVar[int] = 0

    @initialize(late=st.booleans())
    def start(self, late: bool) -> None:
        """Start an engine, perhaps one whose kernels load late."""
        code = ["-c", LATE] if late else ["-m", "uci"]
        self.engine = Engine([sys.executable, *code], self.folder)
        self.board = chess.Board(chess960=True)
        self.chess960 = False
        self.rejected = False
        self.asked: list[tuple[chess.Board | None, bool]] = []
        self.answered = 0
        self.log: list[str] = []
        type(self).starts += 1
        self.tell("uci")
        self.hear(b"uciok")

    def tell(self, line: str) -> None:
        """Send a line."""
        self.log.append(line)
        type(self).said += 1
        self.engine.tell(line.encode())

    def hear(self, start: bytes) -> list[str]:
        """Return the output up to ``start``, after checking all moves in it."""
        try:
            lines = [line.decode().rstrip() for line in self.engine.until(start)]
        except Finding as finding:
            raise AssertionError(f"{finding} after {self.log}") from None
        for line in lines:
            assert "Traceback" not in line, line
            assert "internal error" not in line, line
            if line.startswith("bestmove"):
                self.judge(line.split()[1])
        return lines

    def judge(self, move: str) -> None:
        """Check a move in the position of its ``go``."""
        assert self.answered < len(self.asked), f"a move without a go: {self.log}"
        board, chess960 = self.asked[self.answered]
        self.answered += 1
        if board is None:
            assert move == "(none)", f"{move} after a rejected position: {self.log}"
            return
        if move == "(none)":
            assert not any(board.legal_moves), f"no move in {board.fen()}: {self.log}"
            return
        seen = board.copy()
        seen.chess960 = chess960 or bool(board.castling_rights & ~board.clean_castling_rights())
        try:
            seen.parse_uci(move)
        except ValueError:
            board.parse_uci(move)  # raises an error for an illegal move

    @rule(option=st.sampled_from(_NAMED), data=st.data())
    def set_option(self, option: Option, data: st.DataObject) -> None:
        """Set an option to a value within, at or beyond its limits."""
        match option.kind:
            case "check":
                value = data.draw(st.sampled_from(["true", "false", "TRUE", "", "1"]))
            case "spin":
                numbers = _VALUES.get(option.name, st.integers(option.low - 1, option.high + 1))
                value = str(data.draw(numbers))
            case _:
                value = data.draw(st.sampled_from(["", "<empty>", "/nowhere/at all"]))
        self.tell(f"setoption name {option.name} value {value}")
        if option.name == "UCI_Chess960" and value.lower() in ("true", "false"):
            self.chess960 = value.lower() == "true"

    @rule(
        fen=st.sampled_from(_PLAYABLE),
        moves=st.integers(0, 200),
        dice=st.randoms(use_true_random=False),
    )
    def set_position(self, fen: str, moves: int, dice: random.Random) -> None:
        """Set a position after up to hundreds of moves."""
        board, played = self.read(fen), []
        for _ in range(moves):
            legal = list(board.legal_moves)
            if not legal:
                break
            played.append(dice.choice(legal))
            board.push(played[-1])
        words = "startpos" if fen == chess.STARTING_FEN else f"fen {fen}"
        self.tell(" ".join(["position", words, "moves", *map(str, played)]))
        self.accept(board)

    def read(self, fen: str) -> chess.Board:
        """Return the board of a FEN as the engine currently reads it."""
        board = chess.Board(fen, chess960=self.chess960)
        board.castling_rights = board.clean_castling_rights()
        board.chess960 = True
        return board

    def accept(self, board: chess.Board) -> None:
        """Set the model's position."""
        self.board, self.rejected = board, False

    @rule(number=st.integers(0, 959))
    def set_chess960(self, number: int) -> None:
        """Set one of the 960 starting positions."""
        fen = chess.Board.from_chess960_pos(number).shredder_fen()
        self.accept(self.read(fen))
        self.tell(f"position fen {fen}")

    @rule(fen=st.sampled_from(_MATES))
    def set_ended(self, fen: str) -> None:
        """Set a position without legal moves."""
        self.accept(chess.Board(fen, chess960=True))
        self.tell(f"position fen {fen}")

    @rule(
        line=st.sampled_from(
            [
                "position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position startpos moves e2e5",
                "position startpos moves e2e4 e2e4", "position", "position fen x",
                "setoption name Nothing value 1", "setoption", "hello", "", "debug maybe",
            ]
        )
    )  # fmt: skip
    def say_what_is_wrong(self, line: str) -> None:
        """Send a line that is rejected as a whole: `d` and the options stay, and no move is due."""
        self.tell(line)
        self.rejected = self.rejected or line.startswith("position")

    @rule(
        words=st.lists(
            st.sampled_from(
                [
                    "depth 1", "depth 4", "nodes 1", "nodes 3000", "movetime 1", "movetime 20",
                    "wtime 100 btime 100", "wtime 0 btime 0", "winc 10 binc 10", "movestogo 1",
                    "mate 1", "infinite", "ponder", "wtime -10 btime 5", "depth 200 movetime 10",
                ]
            ),
            min_size=1, max_size=3, unique=True,
        ),
        only=st.booleans(),
    )  # fmt: skip
    def go(self, words: list[str], only: bool) -> None:
        """Start a search, whatever else is running."""
        self.asked.append((None if self.rejected else self.board.copy(), self.chess960))
        legal = list(self.board.legal_moves)
        if only and legal:
            board = self.board.copy()
            board.chess960 = self.chess960
            words = [*words, f"searchmoves {board.uci(legal[0])}"]
        self.tell(" ".join(["go", *words]))

    @rule(
        word=st.sampled_from(["stop", "ponderhit", "ucinewgame", "debug on", "debug off", "eval"])
    )
    def say_a_word(self, word: str) -> None:
        """Send a command that is allowed at any time."""
        self.tell(word)

    @rule()
    def be_ready(self) -> None:
        """Send ``isready``, during a search or not."""
        self.tell("isready")
        self.hear(b"readyok")

    @rule()
    def settle(self) -> None:
        """Stop, and wait for a move for each ``go``.

        Also if all have been received: the next command must not depend on our speed.
        """
        self.tell("stop")
        while self.answered < len(self.asked):
            self.hear(b"bestmove")

    @rule()
    def show_the_position(self) -> None:
        """Compare the position with the model's."""
        self.tell("d")
        lines = self.hear(b"Fen:")
        (fen,) = (line.removeprefix("Fen: ") for line in lines if line.startswith("Fen: "))
        shown = chess.Board(fen, chess960=True)
        assert shown.board_fen() == self.board.board_fen(), f"{fen} after {self.log}"
        assert shown.turn == self.board.turn, f"{fen} after {self.log}"

    def teardown(self) -> None:
        """Wait for all pending answers, and quit without an error."""
        if not hasattr(self, "engine"):
            return
        try:
            self.settle()
            self.be_ready()
            assert self.answered == len(self.asked), self.log
            self.engine.end()
        except Finding as finding:
            raise AssertionError(f"{finding} after {self.log}") from None
        finally:
            self.engine.kill()
