"""xboard, which speaks to UCI engines through polyglot: one game of a match."""

from scripts.clients.desktop import Desktop
from scripts.clients.workplace import Workplace, output, program, wait_for, whole_game

GAME = 900.0
"""Seconds within which the game is over."""


def play(place: Workplace) -> str:
    """Let xboard play a game of the engine with itself; return what was seen."""
    xboard, polyglot = program("xboard"), program("polyglot")
    folder, env = place.home("xboard")
    version = output([xboard, "--version"], env).splitlines()[0]
    bridge = output([polyglot, "--help"], env).splitlines()[0].removesuffix(" by Fabien Letouzey.")
    for name in ("white", "black"):
        lines = (
            "[PolyGlot]", f"EngineCommand = {place.engine}", f"EngineDir = {folder}",
            "Log = true", f"LogFile = {folder / name}.log", "[Engine]", "Hash = 16",
        )  # fmt: skip
        (folder / f"{name}.ini").write_text("\n".join(lines) + "\n", encoding="utf-8")
    games = folder / "games.pgn"
    with Desktop(folder, env) as desktop:
        window = desktop.start(
            xboard, "-fcp", f"{polyglot} white.ini", "-scp", f"{polyglot} black.ini",
            "-fd", str(folder), "-sd", str(folder), "-mg", "1", "-tc", "1", "-inc", "1",
            "-sgf", str(games), "-debug",
        )  # fmt: skip
        wait_for("xboard saves the game", games.is_file, GAME)
        desktop.activate("Exiting")  # it tells the score of the match
        desktop.photograph("over")
        desktop.press("Return")
        wait_for("xboard exits", lambda: window.popen.poll() == 0, GAME)
        seen = whole_game(games)
    return f"{version} through {bridge}: a game of the engine with itself, {seen}"
