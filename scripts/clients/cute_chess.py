"""Cute Chess: a game in its window, and an analysis, which is a game without a clock."""

import json
from pathlib import Path

from scripts.clients.desktop import PATIENCE, Desktop
from scripts.clients.workplace import Workplace, deepest, output, program, wait_for, whole_game

GAME = 900.0
"""Seconds within which the game is over."""

DEPTH = 14
CLOCK = {"moves_per_tc": 0, "time_per_tc": 30_000, "increment": 1000}
"""Milliseconds; enough for a machine that is busy."""

POSITION = "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9"
"""The Dragon: something to analyse."""


def configure(place: Workplace, home: Path, settings: dict[str, str], log: Path | None) -> None:
    """Write the files from which Cute Chess knows the engine, and what its dialogue begins with."""
    folder = home / ".config" / "cutechess"
    folder.mkdir(parents=True)
    engine: dict[str, object] = {
        "name": "Pythagoras", "command": str(place.engine), "protocol": "uci",
        "workingDirectory": str(home),
    }  # fmt: skip
    if log:
        engine["options"] = [{"name": "Debug Log File", "value": str(log)}]
    (folder / "engines.json").write_text(json.dumps([engine]), encoding="utf-8")
    lines = [f"{name}={value}" for name, value in settings.items()]
    (folder / "cutechess.ini").write_text("\n".join(["[games]", *lines, ""]), encoding="utf-8")


def version(cutechess: str, env: dict[str, str]) -> str:
    """Return the versions of Cute Chess and of Qt."""
    said = output([cutechess, "--version"], env | {"QT_QPA_PLATFORM": "offscreen"}).splitlines()
    return f"{said[0]} with {said[1].removeprefix('Using ')}"


def begin(desktop: Desktop, cutechess: str) -> None:
    """Start a game between the first engine and itself, by the dialogue."""
    desktop.start(cutechess)
    desktop.activate("Cute Chess|Human")
    desktop.press("ctrl+n")
    desktop.activate("^New Game$")
    desktop.press("Down", "Tab", "Tab", "Tab", "Down")  # White, and Black: the computer
    desktop.photograph("dialogue")
    desktop.press("Return")


def play(place: Workplace) -> str:
    """Let Cute Chess play a game of the engine with itself; return what was seen."""
    cutechess = program("cutechess")
    folder, env = place.home("cutechess")
    games = folder / "games.pgn"
    settings = {"default_pgn_output_file": str(games)}
    for side in ("", "second_time_control\\"):
        settings |= {rf"{side}time_control\{name}": str(value) for name, value in CLOCK.items()}
    configure(place, folder, settings, None)
    with Desktop(folder, env) as desktop:
        begin(desktop, cutechess)
        wait_for("Cute Chess saves the game", games.is_file, GAME)
        desktop.photograph("over")
        seen = whole_game(games)
    return f"{version(cutechess, env)}: a game of the engine with itself, {seen}"


def analyse(place: Workplace) -> str:
    """Let the engine think without a limit in Cute Chess; return what was seen."""
    cutechess = program("cutechess")
    folder, env = place.home("cutechess-analysis")
    log = folder / "engine-log.txt"
    settings = {r"opening_suite\fen": POSITION, r"time_control\infinite": "true"}
    settings[r"second_time_control\time_control\infinite"] = "true"
    configure(place, folder, settings, log)
    with Desktop(folder, env) as desktop:
        begin(desktop, cutechess)
        wait_for(f"a line of depth {DEPTH}", lambda: deepest(log) >= DEPTH, PATIENCE)
        desktop.photograph("analysis")
    return f"{version(cutechess, env)}: a position analysed to depth {deepest(log)}"
