"""Play thousands of fast games, half under each tournament manager, and find what goes wrong.

Usage: python -m scripts.reliability.soak_games [--games 5000] [--state FOLDER] …, or ``make
soak-games``. It goes on where it was stopped: the games lie in batches in a folder of their own,
and those of other commits do not count. In the end, or when it is stopped, it prints a row for each
sitting.
"""

import argparse
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

import chess.pgn

from engine.user_folders import state_folder
from scripts.console import print_table
from scripts.match.builds import MatchError, build, commit_of
from scripts.match.command_line import add_match_options, command_line
from scripts.match.exit_status import DEFECT, INTERRUPTED
from scripts.match.kept_games import digest_of
from scripts.match.pgn import ORDINARY, OUR_NAME, ending_of
from scripts.match.runner import (
    HASH_MB,
    find_engine,
    find_manager,
    find_openings,
    pairing_arguments,
    run_logged,
)
from scripts.reliability.busy import stress_ng
from scripts.reliability.game_batches import (
    HEADER,
    Batch,
    TimeLoss,
    games_of,
    read_batches,
    sittings,
    verdict,
)
from scripts.reliability.stalls import Watchdogs

MANAGERS = "fastchess", "cutechess-cli"
STOCKFISH = "Stockfish"
BUSY = " beside stress-ng"
BESIDE = 1.0
"""Seconds before a loss on time in which a stall is beside it."""

FORFEIT = "time forfeit"
LATE = re.compile(r"\[WARN *\] \[(\d+):(\d+):([\d.]+)\].*--- (Engine .* loses on time by \d+ms)")
FAILED_IN_A_ROW = 3


def manager_command(
    batch: Batch, engine: Path, games: int, options: argparse.Namespace
) -> list[str]:
    """Return the words that have a manager play ``games`` of an engine against itself."""
    fast = batch.manager == "fastchess"
    name = batch.players.split()[0]
    sides = [("-engine", f"name={name}-{side}", f"cmd={engine}") for side in "AB"]
    command = [
        find_manager(batch.manager), *sides[0], *sides[1],
        *("-each", "proto=uci", f"tc={options.tc}", "option.Threads=1", f"option.Hash={HASH_MB}"),
        *pairing_arguments(games, options.concurrency, options.openings, batch.seed),
        *("-pgnout", "file=games.pgn" if fast else "games.pgn"),
    ]  # fmt: skip
    if not fast:
        return [*command, "-recover"]
    command += ["-log", "file=fastchess.log", "level=warn", "realtime=true"]
    if not options.busy:
        command.append("-strict")  # which ends a batch at a loss on time: where they are rare
    return command if STOCKFISH in batch.players else [*command, "-check-mate-pvs"]


class Ends:
    """Notes the time at which a manager says that a game was lost on time."""

    def __init__(self) -> None:
        self.losses: list[tuple[float, str]] = []
        self.warnings: list[str] = []

    def hear(self, line: str) -> bool:
        """Take a line of the manager's; return whether to show it."""
        if line.startswith("Finished game") and "on time" in line:
            self.losses.append((time.time(), line.strip()))
        elif line.startswith("Warning"):
            self.warnings.append(line.strip())
        else:
            return False
        return True

    def read_log(self, path: Path) -> None:
        """Add what fastchess, which stops at a loss on time, has logged instead."""
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        for hours, minutes, seconds, what in LATE.findall(text):
            today = time.localtime()
            of_day = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
            midnight = time.mktime((*today[:3], 0, 0, 0, 0, 0, today.tm_isdst))
            self.losses.append((midnight + of_day, what))


def judge(path: Path) -> Iterator[str]:
    """Yield, for each game of a PGN file, what is wrong with it; "" where nothing is.

    Each is replayed: its moves are legal, and the rules have ended it, unless it was lost on time.
    """
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            ending = ending_of(game.headers)
            where = f"round {game.headers.get('Round', '?')}: "
            if game.headers.get("Result") == "*":
                continue  # the manager was stopped
            if game.errors:
                yield f"{where}{game.errors[0]}"
            elif ending not in (*ORDINARY, FORFEIT):
                yield f"{where}{ending}"
            elif ending != FORFEIT and game.end().board().outcome(claim_draw=True) is None:
                yield f"{where}it ended before its end"
            else:
                yield ""


def play(batch: Batch, engine: Path, games: int, folder: Path, options: argparse.Namespace) -> int:
    """Play a batch in ``folder`` and fill in what was seen; return the manager's status."""
    command = manager_command(batch, engine, games, options)
    ends = Ends()
    with Watchdogs(folder) as watchdogs, stress_ng(2) if options.busy else nullcontext():
        status = run_logged(command, folder, ends.hear)
    if not options.busy:
        ends.read_log(folder / "fastchess.log")
    judged = list(judge(folder / "games.pgn"))
    unwritten = sum(what.startswith("Engine") for _, what in ends.losses)
    batch.games = len(judged) + unwritten
    batch.findings = [finding for finding in judged if finding] + ends.warnings
    for at, what in ends.losses:
        stalls = [str(stall) for stall in watchdogs.seen(at - BESIDE, at)]
        batch.time_losses.append(TimeLoss(what, stalls))
    explained = batch.findings or batch.time_losses or status == INTERRUPTED
    if status and not explained:
        batch.findings.append(f"{batch.manager} ended with status {status}")
    return status


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak-games", description=__doc__.splitlines()[0])
    kept = state_folder("soak-games")
    parser.add_argument("--state", type=Path, default=kept, help="folder (%(default)s)")
    parser.add_argument("--tc", default="1+0.01", help="seconds and increment (%(default)s)")
    parser.add_argument("--batch", type=int, default=100, help="games at once (%(default)s)")
    parser.add_argument("--new", metavar="REV", default="HEAD", help="who plays (%(default)s)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no batch after them")
    parser.add_argument("--stockfish", action="store_true", help="it plays itself instead")
    parser.add_argument("--busy", action="store_true", help="beside stress-ng on two cores")
    parser.add_argument("--report", action="store_true", help="play nothing")
    add_match_options(parser, games=5000)
    parser.set_defaults(seed=None)
    return parser.parse_args(arguments)


@command_line("soak-games")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    status = 0 if options.report else soak(options)
    batches = read_batches(options.state)
    print_table(HEADER, sittings(batches))
    for batch in batches:
        for loss in batch.time_losses:
            print(f"{batch.sitting}  {loss.what}: {', '.join(loss.stalls) or 'NO STALL'}")
        for finding in batch.findings:
            print(f"{batch.sitting}  FOUND  {finding}")
    if {OUR_NAME, STOCKFISH} <= {batch.players for batch in batches}:
        print(verdict(batches, OUR_NAME, STOCKFISH))
    if status:
        return status
    ours = [batch for batch in batches if batch.players.startswith(OUR_NAME)]
    broken = any(b.findings or not all(loss.stalls for loss in b.time_losses) for b in ours)
    return DEFECT if broken else 0


def soak(options: argparse.Namespace) -> int:
    """Play batches until there are enough games or no time is left; return 0 or `INTERRUPTED`."""
    options.openings = find_openings(options.openings)
    for name in MANAGERS:
        find_manager(name)
    players = (STOCKFISH if options.stockfish else OUR_NAME) + BUSY * options.busy
    engine = _stockfish() if options.stockfish else build(options.new).command
    commit = digest_of(engine) if options.stockfish else commit_of(options.new)
    seed = random.randrange(10**6) if options.seed is None else options.seed
    sitting, end = time.strftime("%Y-%m-%d %H:%M"), time.monotonic() + 60 * options.minutes
    failed = 0
    while failed < FAILED_IN_A_ROW and time.monotonic() < end:
        known = read_batches(options.state)
        facts = {"players": players, "commit": commit}
        played = {name: games_of(known, manager=name, **facts) for name in MANAGERS}
        missing = options.games - sum(played.values())
        if missing <= 0:
            return 0
        manager = min(MANAGERS, key=lambda name: played[name])
        batch = Batch(sitting, players, commit, manager, seed)
        number = len(list(options.state.glob("*/"))) + 1
        folder = options.state / f"{number:04}-{batch.players.replace(' ', '-')}-{manager}"
        folder.mkdir(parents=True)
        games = min(options.batch, missing + missing % 2)
        status = play(batch, engine, games, folder, options)
        batch.save(folder)
        done = sum(played.values()) + batch.games
        print(f"{folder.name}: {batch.games} games, {done} in all", flush=True)
        if status == INTERRUPTED:
            return INTERRUPTED
        failed = 0 if batch.games else failed + 1
        seed += 1
    if failed:
        raise MatchError(f"{failed} batches in a row played no game: see {options.state}")
    return 0


def _stockfish() -> Path:
    path = find_engine("stockfish")
    if path is None:
        raise MatchError("stockfish is not installed")
    return Path(path)


if __name__ == "__main__":
    sys.exit(main())
