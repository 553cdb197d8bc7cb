"""Test whether the working tree plays better than a revision: a sequential test of games.

Usage: python -m scripts.match.sprt --base REVISION [--tc 4+0.04 | --nodes N] …, or ``make sprt``.
See README.md in `scripts`; the exit status is the verdict.
"""

import argparse
import json
import math
import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.match.builds import Build, MatchError, build
from scripts.match.command_line import add_sprt_options, command_line, refuse_same
from scripts.match.exit_status import INTERRUPTED, OF_VERDICT
from scripts.match.kept_games import open_match
from scripts.match.openings import distinct_pairs, read_openings
from scripts.match.runner import (
    HASH_MB,
    find_manager,
    find_openings,
    run_logged,
    tournament_arguments,
)

_REPORT = re.compile(
    r"nElo: (?P<nelo>\S+) \+/- (?P<error>\S+)\n.*\n"
    r"Games: (?P<games>\d+), Wins: (?P<wins>\d+), Losses: (?P<losses>\d+), Draws: (?P<draws>\d+), "
    r"Points: \S+ \((?P<score>\S+) %\)\n"
    r"Ptnml\(0-2\): \[(?P<pairs>[\d, ]+)\].*\n"
    r"LLR: (?P<llr>\S+) \(.*?\) \((?P<low>\S+), (?P<high>\S+)\) \[(?P<elo0>\S+), (?P<elo1>\S+)\]"
)
_PLAYER = re.compile(r"Player: (\S+)\n +Timeouts: (\d+)\n +Crashed: (\d+)")
_NAME = re.compile(r"\b(?:new|base)-\w+")


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a match as fastchess prints it; all figures are the new engine's.

    ``score`` is in per cent, ``pairs`` counts pairs of games by their points (0, ½, 1, 1½, 2).
    """

    games: int
    wins: int
    losses: int
    draws: int
    score: float
    pairs: str
    nelo: float
    error: float
    llr: float
    low: float
    high: float
    elo0: float
    elo1: float

    @property
    def verdict(self) -> str:
        """The test's verdict: ``accepted``, ``rejected``, or ``capped`` if the games ran out."""
        # fastchess prints both rounded to the same digits, so a reached bound compares as equal.
        if self.llr >= self.high:
            return "accepted"
        return "rejected" if self.llr <= self.low else "capped"

    def __str__(self) -> str:
        # NaN if all pairs have the same result: normalised Elo divides by their deviation.
        nelo = "–" if math.isnan(self.nelo) else f"{self.nelo:.1f} ± {self.error:.1f} (95 %)"
        return (
            f"+{self.wins} ={self.draws} -{self.losses} ({self.games} games, {self.score:.1f} %), "
            f"pairs [{self.pairs}], nElo {nelo}, "
            f"LLR {self.llr:.2f} ({self.low}, {self.high}) for [{self.elo0:g}, {self.elo1:g}]"
        )


def last_report(log: str) -> Report | None:
    """Return the last report in the log of fastchess; None when there is none."""
    reports = [*_REPORT.finditer(log)]
    if not reports:
        return None
    found = reports[-1]
    games, wins, losses, draws = map(int, found.group("games", "wins", "losses", "draws"))
    names = ("score", "nelo", "error", "llr", "low", "high", "elo0", "elo1")
    score, *rest = map(float, found.group(*names))
    return Report(games, wins, losses, draws, score, found["pairs"], *rest)


def defects(log: str) -> Counter[str]:
    """Return the problems in the games, with their counts, for both sides."""
    found: Counter[str] = Counter()
    for name, timeouts, crashes in _PLAYER.findall(log):
        found[f"{name}: losses on time"] += int(timeouts)
        found[f"{name}: crashes"] += int(crashes)
    for line in log.splitlines():
        if line.startswith("Warning; "):
            what, names = line.removeprefix("Warning; ").split(" - ")[0], _NAME.findall(line)
            found[f"{' and '.join(names) or 'fastchess'}: {what}"] += 1
    return +found  # drops the zeros


def prepare(options: argparse.Namespace) -> Path:
    """Build both engines and return the match's folder, the same for the same match.

    Raises `MatchError`.
    """
    fastchess = find_manager("fastchess")
    suite = find_openings(options.openings)
    if options.nodes:
        options.games = 2 * distinct_pairs(options.games // 2, read_openings(suite))
    new, base = build(options.new), build(options.base)
    refuse_same(options, new == base and options.base_nodes in (None, options.nodes))
    arguments = [*_engine_arguments(options, new, base), *_match_arguments(options, suite)]
    folder: Path = options.state / f"sprt-{new.key}-{base.key}{_suffix(options)}"
    open_match(folder, "command.json", [fastchess, *arguments])
    return folder


def _suffix(options: argparse.Namespace) -> str:
    """Return the part of the folder's name that distinguishes matches of the same two engines."""
    if options.nodes:
        limit = f"{options.nodes}n" + (f"-{options.base_nodes}n" if options.base_nodes else "")
    else:
        limit = str(options.tc)
    low, high = options.bounds
    return f"-{limit.replace('/', 'in').replace(':', 'm')}-{low:g}to{high:g}-seed{options.seed}"


def _engine_arguments(options: argparse.Namespace, new: Build, base: Build) -> list[str]:
    """Return fastchess's arguments for the two players."""
    words: list[str] = []
    for name, player, nodes in (
        ("new", new, options.nodes),
        ("base", base, options.base_nodes or options.nodes),
    ):
        words += ["-engine", f"name={name}-{player.key}", f"cmd={player.command}"]
        words += [f"nodes={nodes}" if nodes else f"tc={options.tc}"]
    return [*words, "-each", f"option.Hash={HASH_MB}", "option.Threads=1"]


def _match_arguments(options: argparse.Namespace, suite: Path) -> list[str]:
    """Return fastchess's arguments for the match."""
    low, high = options.bounds
    sprt = [f"elo0={low:g}", f"elo1={high:g}", f"alpha={options.alpha:g}", f"beta={options.beta:g}"]
    return [
        *("-sprt", *sprt, "model=normalized"),
        *tournament_arguments(options.games, options.concurrency, suite, options.seed),
        *("-pgnout", "file=games.pgn", "nodes=true"),
        *("-config", "outname=config.json"),
        *("-autosaveinterval", "10"),
    ]


def play(folder: Path) -> Report:
    """Play the match in ``folder`` to its end, resuming it if necessary; return the result.

    Raises `MatchError` if it failed, `KeyboardInterrupt` if it was stopped.
    """
    log, result = folder / "log.txt", folder / "result.txt"
    if not result.exists():
        command = json.loads((folder / "command.json").read_text(encoding="utf-8"))
        if (folder / "config.json").exists():
            command = [command[0], "-config", "file=config.json"]
        else:
            # They may be left from a match that ended before its state was saved.
            for name in ("games.pgn", "log.txt"):
                (folder / name).unlink(missing_ok=True)
        print(f"{shlex.join(command)}\nin {folder}", flush=True)
        status = run_logged(
            command, folder, lambda line: not line.startswith(("Started", "Finished"))
        )
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        if status != 0:
            why = ", ".join(defects(log.read_text(encoding="utf-8"))) or f"status {status}"
            raise MatchError(f"the match failed ({why}): see {log}")
    report = last_report(log.read_text(encoding="utf-8"))
    if report is None:
        raise MatchError(f"no result in {log}")
    result.write_text(f"{report} → {report.verdict}\n", encoding="utf-8")
    return report


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sprt", description=__doc__.splitlines()[0])
    parser.add_argument("--base", metavar="REV", help="revision to play against")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--tc", default="4+0.04", help="seconds and increment (default %(default)s)")
    limit.add_argument("--nodes", type=int, help="nodes per move, instead of a clock")
    add_sprt_options(parser)
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="folder of a match to resume")
    options = parser.parse_args(arguments)
    if (options.base is None) == (options.resume is None):
        parser.error("--base or --resume is required: make sprt BASE=REVISION, or RESUME=FOLDER")
    if options.base_nodes and not options.nodes:
        parser.error("--base-nodes requires --nodes")
    return options


@command_line("sprt")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    folder = options.resume.resolve() if options.resume else prepare(options)
    if not (folder / "command.json").is_file():
        raise MatchError(f"there is no match in {folder}")
    try:
        report = play(folder)
    except KeyboardInterrupt:
        print(f"sprt: stopped; run make sprt RESUME={folder} to resume", file=sys.stderr)
        return INTERRUPTED
    for what, number in defects((folder / "log.txt").read_text(encoding="utf-8")).items():
        print(f"DEFECT  {what}: {number}")
    print(f"{report} → {report.verdict}")
    return OF_VERDICT[report.verdict]


if __name__ == "__main__":
    sys.exit(main())
