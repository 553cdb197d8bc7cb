"""Measure the shape of the search tree: reductions, re-searches, singular tests, cut-offs.

Usage: python -m scripts.measure.tree [--depth N]. The playing search, with counters compiled in
(`engine.lab.tree_counts`), searches the bench's middlegames to a fixed depth, each with an empty
table of 16 MiB. The figures describe the search; only games show whether a change is good.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import chess

from engine.lab.tree_counts import COUNTERS, DEEP, TT_MOVE_DEPTH, CountingSearcher
from engine.search.limits import Limits
from engine.search.results import Iteration
from scripts.console import print_table, track
from scripts.match.builds import MatchError
from scripts.match.command_line import command_line
from uci.apps.console.arguments import integer
from uci.chess_io.convert import board_of, fill
from uci.session.bench import HASH_MB, POSITIONS

PIECES = 20
"""Minimum number of pieces and pawns of a middlegame."""

GROWTH_PLIES = 4
"""Number of last plies over which growth is measured, all if the depth is lower."""

SHALLOW, FAR = 3, 7
"""Main nodes are counted up to the first depth, and from the second depth on."""


def middlegames() -> list[chess.Board]:
    """Return the bench's positions with `PIECES` or more, without the starting position."""
    boards = [board_of(fen) for fen in POSITIONS]
    return [
        board
        for board in boards
        if chess.popcount(board.occupied) >= PIECES and board.fen() != chess.STARTING_FEN
    ]


@dataclass
class Tree:
    """The sums of all counters over some searches to the same depth.

    ``main_nodes`` counts nodes of the main search by depth; ``nodes`` has for each search the nodes
    up to the end of each depth, from 1.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    main_nodes: list[int] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)

    def add(self, searcher: CountingSearcher, board: chess.Board, depth: int) -> None:
        """Search ``board`` to ``depth`` from scratch."""
        searcher.clear()
        fill(searcher.pos, board)
        results = list(searcher.begin(Limits(depth=depth), None))
        self.nodes.append([each.nodes for each in results if isinstance(each, Iteration)])
        for name in COUNTERS:
            self.counts[name] += int(searcher.record[name])
        by_depth = searcher.record.main_nodes.tolist()
        self.main_nodes = [
            one + other
            for one, other in zip(self.main_nodes or [0] * len(by_depth), by_depth, strict=True)
        ]

    @property
    def depth(self) -> int:
        """The depth of the searches."""
        return len(self.nodes[0])

    def mean_nodes(self) -> list[float]:
        """Return the geometric means, over the searches, of the nodes to each depth, from 1."""
        return [statistics.geometric_mean(column) for column in zip(*self.nodes, strict=True)]

    def measures(self) -> dict[str, float]:
        """Return all figures except the nodes to each depth; a share of nothing is 0."""
        count = self.counts
        main, means = sum(self.main_nodes), self.mean_nodes()
        plies = min(GROWTH_PLIES, self.depth - 1)
        extended = count["extended"] + count["extended_twice"]

        def share(part: float, whole: float) -> float:
            return part / whole if whole else 0.0

        return {
            "growth": share(means[-1], means[-1 - plies]) ** share(1, plies),
            "shallow_main_nodes": share(sum(self.main_nodes[: SHALLOW + 1]), main),
            "far_main_nodes": share(sum(self.main_nodes[FAR:]), main),
            "late_reduction": share(count["reduced_plies"], count["late_moves"]),
            "late_moves_reduced": share(count["reduced_moves"], count["late_moves"]),
            "reduction_of_all": share(count["reduced_plies"], count["deep_moves"]),
            "all_moves_reduced": share(count["reduced_moves"], count["deep_moves"]),
            "reduced_moves_researched": share(count["researched_moves"], count["reduced_moves"]),
            "singular_tests": share(count["singular_tests"], main),
            "singular_extended": share(extended, count["singular_tests"]),
            "singular_extended_twice": share(count["extended_twice"], count["singular_tests"]),
            "singular_multi_cut": share(count["multi_cuts"], count["singular_tests"]),
            "singular_negative": share(count["negative_extensions"], count["singular_tests"]),
            "fail_low_moves": share(count["fail_low_moves"], count["fail_lows"]),
            "first_cutoffs": share(count["first_fail_highs"], count["fail_highs"]),
            "first_tt_cutoffs": share(count["first_tt_fail_highs"], count["tt_fail_highs"]),
            "quiescence": share(count["quiescence_nodes"], main + count["quiescence_nodes"]),
            "quiescence_moves": share(count["quiescence_moves"], count["quiescence_nodes"]),
            "null_moves": share(count["null_moves"], main),
            "nulls_succeeded": share(count["nulls_succeeded"], count["null_moves"]),
            "nodes_in_nulls": share(count["nodes_in_nulls"], sum(each[-1] for each in self.nodes)),
        }

    def as_json(self) -> str:
        """Return the figures and the settings of the searches."""
        facts = {
            "depth": self.depth,
            "positions": len(self.nodes),
            "nodes": [round(mean) for mean in self.mean_nodes()],
            "measures": {name: round(value, 5) for name, value in self.measures().items()},
            "counts": self.counts,
            "main_nodes": self.main_nodes,
        }
        return json.dumps(facts, indent=1) + "\n"


def rows(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield name and value of each row of the table."""
    means = tree.mean_nodes()
    for depth in range(2 - tree.depth % 2, tree.depth + 1, 2):
        yield f"nodes to depth {depth}, geometric mean", f"{means[depth - 1]:,.0f}"
    value = tree.measures()

    def percent(*names: str) -> str:
        return " / ".join(_percent(value[name]) for name in names)

    yield f"growth a ply, last {GROWTH_PLIES}", f"{value['growth']:.2f}"
    yield (
        f"main nodes at depth ≤ {SHALLOW} / ≥ {FAR}",
        percent("shallow_main_nodes", "far_main_nodes"),
    )
    yield f"at depth ≥ {DEEP}, outside PV nodes:", ""
    yield "  mean late move reduction, plies", f"{value['late_reduction']:.2f}"
    yield "  reduced late moves", percent("late_moves_reduced")
    yield "  mean reduction of all moves", f"{value['reduction_of_all']:.2f}"
    yield "  reduced moves, of all moves", percent("all_moves_reduced")
    yield "  re-searched reduced moves", percent("reduced_moves_researched")
    yield "singular tests, of main nodes", percent("singular_tests")
    yield (
        "  that extend / by two plies or more",
        percent("singular_extended", "singular_extended_twice"),
    )
    yield (
        "  multi-cut / negative extension",
        percent("singular_multi_cut", "singular_negative"),
    )
    yield "moves searched in a fail-low node", f"{value['fail_low_moves']:.1f}"
    yield "cut-offs by the first move", percent("first_cutoffs")
    yield f"  with a TT move, depth ≥ {TT_MOVE_DEPTH}", percent("first_tt_cutoffs")
    yield "quiescence nodes, of all nodes", percent("quiescence")
    yield "moves of a quiescence node", f"{value['quiescence_moves']:.2f}"
    yield "null moves, of main nodes", percent("null_moves")
    yield "  that fail high / share of all nodes", percent("nulls_succeeded", "nodes_in_nulls")


def _percent(share: float) -> str:
    return f"{100 * share:.{1 if share >= 0.01 else 2}f} %"


@command_line("tree")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    boards = middlegames()
    parser = argparse.ArgumentParser(prog="tree", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--depth", type=integer(), default=14, help="depth in plies (default: %(default)s)"
    )
    parser.add_argument(
        "--positions", type=integer(), default=len(boards), metavar="N",
        help="only the first N middlegames (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write JSON to FILE; - for standard output"
    )
    options = parser.parse_args(arguments)
    searcher, tree = CountingSearcher(HASH_MB), Tree()
    for board in track(boards[: options.positions], "positions"):
        tree.add(searcher, board, options.depth)
    print_table(["", f"depth {options.depth}"], rows(tree))
    if str(options.json) == "-":
        print(tree.as_json())
    elif options.json:
        try:
            options.json.write_text(tree.as_json(), encoding="utf-8")
        except OSError as error:
            raise MatchError(f"could not write {options.json}: {error.strerror}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
