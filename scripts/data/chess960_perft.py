"""Print perft 4 of the 960 Chess960 starts, as Stockfish counts it.

Usage: python scripts/data/chess960_perft.py STOCKFISH > tests/data/chess960_perft4.txt
"""

import subprocess
import sys
import textwrap
from collections.abc import Sequence

import chess

DEPTH = 4


def stockfish_perft(stockfish: str, fens: Sequence[str], depth: int) -> list[int]:
    """Return the leaves ``depth`` plies below each Chess960 position.

    ``stockfish`` is the program's path. Raises `ValueError` unless it counts them all.
    """
    commands = ["setoption name UCI_Chess960 value true"]
    for fen in fens:
        commands += [f"position fen {fen}", f"go perft {depth}"]
    output = subprocess.run(
        [stockfish], input="\n".join([*commands, "quit\n"]), text=True, check=True,
        stdout=subprocess.PIPE,
    ).stdout  # fmt: skip
    prefix = "Nodes searched: "
    counts = [
        int(line.removeprefix(prefix)) for line in output.splitlines() if line.startswith(prefix)
    ]
    if len(counts) != len(fens):
        raise ValueError(f"{len(counts)} counts for {len(fens)} positions")
    return counts


def main() -> None:
    """Count, and print with a header."""
    starts = [chess.Board.from_chess960_pos(number).fen() for number in range(960)]
    counts = stockfish_perft(sys.argv[1], starts, DEPTH)
    version = subprocess.run([sys.argv[1], "quit"], text=True, check=True, stdout=subprocess.PIPE)
    name = " ".join(version.stdout.split()[:2])
    print(f"# perft {DEPTH} of the Chess960 starts 0 to 959, counted by {name}")
    print("# made by scripts/data/chess960_perft.py")
    print(textwrap.fill(" ".join(map(str, counts)), 99))


if __name__ == "__main__":
    main()
