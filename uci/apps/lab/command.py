"""The command ``pythagoras pv-lab``: compares PV collectors and checks PVs."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import STREAM, Tasks, integer, refuse_unused
from uci.apps.console.extras import missing
from uci.apps.console.output_file import check_json_target, check_target, write_json
from uci.apps.console.signals import INTERRUPTED
from uci.apps.console.streams import print_now
from uci.apps.console.terminal import StatusBar, print_table
from uci.apps.lab.show.command import add_options, run_show
from uci.errors import UciError, counted, shorten
from uci.session import bench

if TYPE_CHECKING:
    import chess

    from uci.apps.lab.comparison import Row

LAB_DEPTH, LAB_SAMPLE = 5, 10
"""Default depth and number of positions of the comparison: under a minute on an idle core."""

SEEDING_DEPTH = 6
VARIANT_DEPTH = 12
HEADINGS = ("search", "collector", "whole", "length", "as table", "nodes", "time", "bytes")
USED = {
    "show": {"depth", "tt", "fen", "search", "collector", "compare", "bug", "output", "force"},
    "seeding": {"epd", "depth", "json"},
    "truth": {"epd", "sample", "tables"},
    "variants": {"epd", "sample", "depth"},
    "variant": set[str](),
    "": {"epd", "sample", "depth", "tt", "json", "plot"},
}
"""The options that each mode uses in addition to its own; "" is the comparison."""


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    lab = tasks.add_parser(
        "pv-lab",
        help="compare all ways to collect a principal variation (PV)",
        usage="%(prog)s [OPTION ...]",
        epilog="example: pythagoras pv-lab --show --search fail-hard --compare quadratic",
    )
    add = lab.add_argument
    add(
        "--depth",
        type=integer(1, 100),
        metavar="PLIES",
        help=f"depth ({LAB_DEPTH}, minimax 2 less; --seeding {SEEDING_DEPTH}; --show 2)",
    )
    add("--epd", type=Path, metavar="FILE", help="positions, one EPD or FEN per line")
    add("--tt", choices=("on", "off"), help="cut-offs by a hash table (off)")
    add(
        "--json", nargs="?", const=STREAM, metavar="FILE",
        help="write JSON to FILE; - (default) for standard output",
    )  # fmt: skip
    add("--plot", type=Path, metavar="FILE", help="also draw PV lengths and times")
    mode = lab.add_mutually_exclusive_group()
    mode.add_argument(
        "--seeding", action="store_true", help="count nodes by the source of the first move"
    )
    mode.add_argument(
        "--truth", action="store_true", help="check the engine's PVs down to their last position"
    )
    mode.add_argument(
        "--variants", action="store_true", help="compare variants of the engine's search"
    )
    mode.add_argument("--variant", metavar="NAME", help="run one of these variants as a UCI engine")
    add("--tables", metavar="DIR", help="folders of Syzygy tablebases, for --truth")
    add(
        "--sample",
        type=integer(),
        metavar="N",
        help=f"use only N positions ({LAB_SAMPLE} built-in ones)",
    )
    add_options(lab, mode)
    lab.set_defaults(run=run)


def check_options(options: argparse.Namespace) -> None:
    """Raise `UciError` for an option that the mode does not use."""
    mode = next(name for name in USED if not name or getattr(options, name))
    writes = options.plot or options.json not in (None, STREAM)
    used = {mode, *USED[mode], *(["force"] if writes else [])}
    refuse_unused(options, f"with --{mode}" if mode else "in this mode", used)


def run(options: argparse.Namespace) -> int:
    """Run the selected mode and print the result; return the exit status.

    Raises `UciError` for a file that cannot be read or written, or has invalid contents.
    """
    check_options(options)
    check_json_target(options.json, options.force)
    if options.show:
        with _ProgressDisplay() as progress:
            target = run_show(options, progress.show)
        print(target)
        return 0
    if options.plot and find_spec("matplotlib") is None:
        print(f"pv-lab: no plot: {missing('matplotlib', 'tools')}", file=sys.stderr)
        return 1
    if options.variants:
        from uci.apps.lab.compare_variants import run_variants

        depth = options.depth or VARIANT_DEPTH
        return run_variants(options.epd, options.sample, depth, print_now)
    from uci.apps.lab.pv_trace import run_trace, sample_positions

    if options.truth:
        return run_trace(options.epd, options.sample, print_now, tables=options.tables or "")
    from uci.apps.lab.comparison import LAB_POSITIONS
    from uci.chess_io.positions import read_positions

    if options.plot:
        _check_picture(options.plot, options.force)
    if options.seeding:
        boards = read_positions(options.epd, bench.POSITIONS)
        return _seed(options, boards)
    boards = read_positions(options.epd, LAB_POSITIONS)
    sample = options.sample or (None if options.epd else LAB_SAMPLE)
    return _compare(options, sample_positions(boards, sample))


def _compare(options: argparse.Namespace, boards: "Sequence[chess.Board]") -> int:
    """Compare all pairs, and print the measurements, also after Ctrl-C."""
    from uci.apps.lab import comparison

    depth, stopped = options.depth or LAB_DEPTH, False
    with _ProgressDisplay() as progress:
        labs = comparison.compile_pairs(progress.show)
        measured = comparison.Comparison(labs, boards, depth, options.tt == "on")
        try:
            measured.run(progress.show)
        except KeyboardInterrupt:
            stopped = True
    rows = measured.rows()
    if options.json:
        facts = {"positions": len(boards), "depth": depth, "tt": options.tt or "off"}
        facts |= {"runs": measured.runs, "stopped": stopped}
        write_json(options.json, {**facts, "rows": [asdict(row) for row in rows]})
    if options.json != STREAM:
        tt = options.tt or "off"
        title = f"{counted(len(boards), 'position')}, depth {depth}, hash table cut-offs {tt}"
        if stopped:
            title += f"; stopped: {len(rows)} of {len(labs)} pairs,"
            title += f" {measured.runs} of {comparison.RUNS} runs for the time"
        print_table(title, HEADINGS, [cells(row) for row in rows])
    if stopped:
        return INTERRUPTED
    if options.plot:
        plot(rows, options.plot)
    return 0


def _seed(options: argparse.Namespace, boards: "Sequence[chess.Board]") -> int:
    """Count nodes by the source of the first move, and print the counts, also after Ctrl-C."""
    from uci.apps.lab import comparison

    depth, stopped, nodes = options.depth or SEEDING_DEPTH, False, dict[str, list[int]]()
    with _ProgressDisplay() as progress:
        try:
            for name, counts in comparison.seeding(boards, depth, progress.show):
                nodes[name] = counts
        except KeyboardInterrupt:
            stopped = True
    if options.json:
        facts = {"positions": len(boards), "depth": depth, "stopped": stopped}
        write_json(options.json, {**facts, "nodes": nodes})
    if options.json != STREAM:
        columns = [f"depth {number}" for number in range(1, depth + 1)]
        title = f"Nodes over {counted(len(boards), 'position')} by the source of the first move"
        if stopped:
            title += f"; stopped: {len(nodes)} of {len(comparison.SEEDS)}"
        rows = [(name, *(f"{n:,}" for n in row)) for name, row in nodes.items()]
        print_table(title, ("first", *columns), rows)
    return INTERRUPTED if stopped else 0


def cells(row: "Row") -> tuple[str, ...]:
    """Return the cells of a row."""
    collects = row.collector != "none"
    return (
        row.search,
        row.collector,
        f"{row.whole:.0%}" if collects else "",
        f"{row.lengths[-1]:.2f}" if collects else "",
        f"{row.agreeing:.0%}" if collects else "",
        f"{row.nodes:,}",
        "" if row.time is None else f"{row.time:.3f}",
        f"{row.bytes:,}" if collects else "",
    )


def _check_picture(path: Path, force: bool) -> None:
    """Raise `UciError`, before the long measurement, if the picture cannot be written."""
    check_target(path, force)
    from matplotlib.backend_bases import FigureCanvasBase

    known = FigureCanvasBase.get_supported_filetypes()
    if _format(path) not in known:
        raise UciError(
            f"{shorten(str(path))}: expected a name that ends in .{', .'.join(sorted(known))}"
        )


def _format(path: Path) -> str:
    return path.suffix[1:].lower() or "png"


def plot(rows: Sequence["Row"], path: Path) -> None:
    """Draw the PVs' mean lengths by depth, and the relative times; the name sets the format.

    Raises `UciError` if the file cannot be written.
    """
    import matplotlib as mpl

    from uci.apps.console.output_file import write_target

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(14, 7), layout="constrained")
    collecting = [row for row in rows if row.collector != "none"]
    colours = mpl.colormaps["turbo"]
    for number, row in enumerate(collecting):
        depths, shade = range(1, len(row.lengths) + 1), colours(number / len(collecting))
        label = f"{row.search}: {row.collector}"
        left.plot(depths, row.lengths, marker="o", color=shade, label=label)
    left.set(xlabel="depth in plies", ylabel="mean length of the PV in plies")
    left.legend(fontsize="x-small")
    right.barh(
        [f"{r.search}: {r.collector}" for r in collecting], [r.time or 0.0 for r in collecting]
    )
    right.axvline(1.0, color="black", linewidth=1)
    right.set(xlabel="time, relative to the same search without a collector")
    right.invert_yaxis()
    drawn = BytesIO()
    figure.savefig(drawn, format=_format(path))
    pyplot.close(figure)
    write_target(path, drawn.getvalue())


class _ProgressDisplay(StatusBar):
    """The progress: a bar on a terminal, otherwise a line for each step."""

    def show(self, done: int, total: int, what: str) -> None:
        """Show that ``done`` of ``total`` steps are done and ``what`` is next."""
        if done == 0:
            self.begin(what, total)
        if self.drawn:
            self.update(what, done)
        elif what:
            self.say(f"[{done + 1}/{total}] {what}")
