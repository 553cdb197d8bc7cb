"""Play thousands of fast games of the engine against itself, and replay each of them.

Usage: python -m scripts.reliability.soak_games [--games 5000] [--state FOLDER] …, or ``make
soak-games``. fastchess plays with all its checks as errors (``-strict``), so the match ends at the
first crash, loss on time, illegal move or wrong PV. The games up to then, or to Ctrl-C, are
replayed by python-chess. The exit status is 1 if either finds a defect.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess.pgn

from engine.user_folders import state_folder
from scripts.match.builds import MatchError, build, commit_of
from scripts.match.command_line import add_match_options, command_line
from scripts.match.exit_status import DEFECT, INTERRUPTED
from scripts.match.pgn import ORDINARY, OUR_NAME, ending_of
from scripts.match.runner import (
    HASH_MB,
    find_manager,
    find_openings,
    pairing_arguments,
    run_logged,
)

GAMES = "games.pgn"


def match_command(engine: Path, options: argparse.Namespace) -> list[str]:
    """Return the fastchess command line of ``engine`` against itself."""
    openings = find_openings(options.openings)
    sides = [("-engine", f"name={OUR_NAME}-{side}", f"cmd={engine}") for side in "AB"]
    return [
        find_manager("fastchess"), *sides[0], *sides[1],
        *("-each", "proto=uci", f"tc={options.tc}", "option.Threads=1", f"option.Hash={HASH_MB}"),
        *pairing_arguments(options.games, options.concurrency, openings, options.seed),
        *("-pgnout", f"file={GAMES}"),
        *("-log", "file=fastchess.log", "level=warn", "realtime=true"),
        *("-strict", "-check-mate-pvs"),
    ]  # fmt: skip


def replay(path: Path) -> Iterator[str]:
    """Yield the defect of each finished game of a PGN file, "" if there is none.

    The moves must be legal, and the game must end by the rules.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            ending = ending_of(game.headers)
            where = f"round {game.headers.get('Round', '?')}: "
            if game.headers.get("Result") == "*":
                continue  # the match was stopped
            if game.errors:
                yield f"{where}{game.errors[0]}"
            elif ending not in ORDINARY:
                yield f"{where}{ending}"
            elif game.end().board().outcome(claim_draw=True) is None:
                yield f"{where}the game is not over"
            else:
                yield ""


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak-games", description=__doc__.splitlines()[0])
    kept = state_folder("soak-games")
    parser.add_argument(
        "--state", type=Path, default=kept, help="folder for the games (%(default)s)"
    )
    parser.add_argument("--tc", default="1+0.01", help="seconds and increment (%(default)s)")
    parser.add_argument(
        "--new", metavar="REV", default="HEAD", help="revision to test (%(default)s)"
    )
    add_match_options(parser, games=5000)
    return parser.parse_args(arguments)


@command_line("soak-games")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
    commit = commit_of(options.new)
    folder = options.state / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{commit[:7]}"
    command = match_command(build(options.new).command, options)
    folder.mkdir(parents=True)
    status = run_logged(command, folder, lambda line: line.startswith(("Finished", "Warning")))
    games = folder / GAMES
    replayed = list(replay(games)) if games.exists() else []
    found = [finding for finding in replayed if finding]
    if status not in (0, INTERRUPTED):
        found.append(f"fastchess ended with status {status}: see {folder / 'log.txt'}")
    if not replayed and not found:
        raise MatchError(f"no games were finished: see {folder}")
    print(f"{len(replayed)} games in {folder}, {len(found)} defects")
    for finding in found:
        print(f"DEFECT {finding}")
    return DEFECT if found else status


if __name__ == "__main__":
    sys.exit(main())
