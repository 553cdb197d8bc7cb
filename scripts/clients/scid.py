"""Scid: its window of an analysing engine."""

import re
import time
from pathlib import Path

from scripts.clients.desktop import PATIENCE, Desktop
from scripts.clients.workplace import Workplace, deepest, program, wait_for

DEPTH = 12
TAB, START = (520, 64), (437, 303)
"""Where the analysis and its start button are in a new home's layout."""


def begun(desktop: Desktop, log: Path) -> bool:
    """Press the start button of the analysis, and return whether it has begun.

    Scid takes no clicks before it is ready; once it analyses, another one would stop it.
    """
    desktop.click(*TAB)
    desktop.click(*START)
    time.sleep(3)
    return "go infinite" in log.read_text("utf-8")


def analyse(place: Workplace) -> str:
    """Let the engine analyse in Scid; return what was seen."""
    scid = program("scid")
    folder, env = place.home("scid")
    with open(scid, encoding="utf-8") as script:  # noqa: PTH123  (a path by name)
        found = re.search(r'scidVersionExpected "((\d+\.\d+)[\d.]*)"', script.read())
    version, short = found.groups() if found else ("of an unknown version", "")
    config, log = folder / f".scid{short}" / "config", folder / "engine-log.txt"
    config.mkdir(parents=True)
    (config / "options.dat").write_text("set startup(tip) 0\n", encoding="utf-8")
    options = f"{{{{Debug Log File}} {{{log}}}}} {{MultiPV 2}}"
    (config / "engines.dat").write_text(
        f"engine {{ Name Pythagoras Cmd {{{place.engine}}} Args {{}} Dir {{{folder}}}"
        f" Elo 0 Time 0 URL {{}} UCI 1 UCIoptions {{{options}}} }}\n",
        encoding="utf-8",
    )
    with Desktop(folder, env) as desktop:
        desktop.start(scid)
        desktop.activate("^Scid - ")  # in a new home it opens the first engine's window itself
        wait_for("the engine is started", log.is_file, PATIENCE)
        wait_for("the engine is ready", lambda: "readyok" in log.read_text("utf-8"), PATIENCE)
        wait_for("analysis begins", lambda: begun(desktop, log), PATIENCE)
        wait_for(f"lines to depth {DEPTH}", lambda: deepest(log) >= DEPTH, 2 * PATIENCE)
        desktop.photograph("analysis")
    return f"Scid {version}: two lines analysed to depth {deepest(log)}"
