"""lichess-bot from source: plays a whole game in its default configuration.

The stand-in of lichess-bot's own tests acts as Lichess. The opponent is Stockfish at its weakest,
or this engine at its weakest if Stockfish is missing.
"""

import json
import shutil
import subprocess
import venv
from pathlib import Path

from scripts.clients.workplace import Failed, NotRun, Workplace, revision, run_to_end, whole_game
from scripts.match.runner import find_engine

OPTIONS = {
    "Move Overhead": "100",
    "Threads": "4",
    "Hash": "512",
    "SyzygyPath": "./syzygy/",
    "UCI_ShowWDL": "true",
}
"""The UCI options that lichess-bot sets by default."""


def environment(clone: Path, folder: Path) -> Path:
    """Return a Python with lichess-bot's dependencies, created once for each ``out`` folder."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        needed = ["-r", str(clone / "requirements.txt")]
        if subprocess.run([*install, *needed], check=False).returncode:
            shutil.rmtree(folder)
            raise NotRun("could not install the dependencies of lichess-bot")
    return python


def play(place: Workplace) -> str:
    """Let lichess-bot play a game; return a summary. Raises `Failed` for a lost game."""
    clone = place.clone("lichess-bot")
    folder, env = place.home("lichess-bot")
    python = environment(clone, place.out / "lichess-bot-environment")
    bot = folder / "lichess-bot"  # a copy, since it writes into its folder
    shutil.copytree(clone, bot, ignore=shutil.ignore_patterns(".git"))
    opponent = find_engine("stockfish") or str(place.engine)
    script = Path(__file__).with_name("lichess_game.py")
    command = [str(python), str(script), str(place.engine), opponent, str(folder)]
    status = run_to_end(command, bot, env | {"PYTHONPATH": str(bot)}, folder / "output.txt", 1200)
    summary, log = folder / "game.json", folder / "lichess-bot.log"
    if status or not summary.is_file():
        raise Failed(f"lichess-bot ends with {status}: see {folder}")
    game = json.loads(summary.read_text("utf-8"))
    said = log.read_text("utf-8")
    wanted = [f"<< setoption name {name} value {value}" for name, value in OPTIONS.items()]
    if missing := [line for line in [*wanted, "<< go ponder", "<< ponderhit"] if line not in said]:
        raise Failed(f"the engine never received {missing}: see {log}")
    seen = whole_game(folder / "game.pgn")
    if game["result"] == "1-0" or game["left"] < 0:
        raise Failed(f"{seen}, with {game['left']:.1f} s left: see {folder}")
    return (
        f"lichess-bot {game['version']} ({revision(clone)}): black against {game['opponent']},"
        f" {seen}, {game['left']:.1f} s left, {said.count('<< ponderhit')} times ponderhit"
    )
