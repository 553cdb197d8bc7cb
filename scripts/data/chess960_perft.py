"""Print perft 4 of the 960 Chess960 starts, as Stockfish counts it.

Usage: python -m scripts.data.chess960_perft STOCKFISH > tests/data/chess960_perft4.txt
"""

import argparse
import subprocess
import textwrap
from collections.abc import Sequence

import chess

DEPTH = 4


def stockfish_perft(stockfish: str, fens: Sequence[str], depth: int) -> list[int]:
    """Return the leaf count at ``depth`` plies of each Chess960 position.

    ``stockfish`` is the program's path. Raises `ValueError` if a count is missing.
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stockfish", metavar="STOCKFISH", help="path of Stockfish")
    stockfish = parser.parse_args().stockfish
    starts = [chess.Board.from_chess960_pos(number).fen() for number in range(960)]
    counts = stockfish_perft(stockfish, starts, DEPTH)
    version = subprocess.run([stockfish, "quit"], text=True, check=True, stdout=subprocess.PIPE)
    name = " ".join(version.stdout.split()[:2])
    print(f"# perft {DEPTH} of the Chess960 starts 0 to 959, counted by {name}")
    print("# made by scripts/data/chess960_perft.py")
    print(textwrap.fill(" ".join(map(str, counts)), 99))


if __name__ == "__main__":
    main()
