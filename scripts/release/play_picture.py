"""Make the picture of ``pythagoras play``: a real game on a real terminal, drawn by a browser.

Usage: python -m scripts.release.play_picture [FILE.png]

The engine plays weakly, and by chance, so each picture shows another game. It needs the extra
``dev`` and Chromium.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pyte.screens import Char
from rich.console import Console
from rich.text import Text

from scripts.release.terminal_session import TerminalSession

PICTURE = Path(__file__).resolve().parents[2] / ".github" / "play.png"
COLUMNS, ROWS = 72, 17
PATIENCE = 120.0
BROWSERS = "chromium", "chromium-browser", "google-chrome"


def session_lines() -> list[Text]:
    """Play some moves on a terminal, ask for help, and return what stands there."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "XDG_STATE_HOME": folder, "TERM": "xterm-256color", "COLORTERM": "",
        }  # fmt: skip
        environment.pop("NO_COLOR", None)
        command = [sys.executable, "-m", "uci", "play", "--theme", "dark", "--level", "2000"]
        with TerminalSession(command, COLUMNS, ROWS, environment) as session:
            session.until(lambda text: "You have white" in text, PATIENCE)
            for number, move in enumerate(("e4", "Nf3", "d4"), 1):
                session.type(f"{move}\r")
                session.until(partial(_answered, number), PATIENCE)
            session.type("Nd2\r")
            session.until(lambda text: "Nd2" in text and ":" in text, PATIENCE)
            session.type("hint\r")
            session.until(lambda text: "is good" in text, PATIENCE)
            return screen_lines(session)


def _answered(number: int, text: str) -> bool:
    """Return whether both sides have made their move of a number, and it is the person's turn."""
    line = next((line for line in text.splitlines() if f" {number}. " in line), "")
    return len(line.partition(f" {number}. ")[2].split()) >= 2 and "▸ You" in text


def screen_lines(session: TerminalSession) -> list[Text]:
    """Return the screen of a session as rich text."""
    lines = []
    for y in range(session.screen.lines):
        line = Text()
        row = session.screen.buffer[y]
        for x in range(session.screen.columns):
            cell: Char = row[x]
            line.append(cell.data, _style(cell))
        lines.append(line)
    return lines


def _style(cell: Char) -> str:
    words = []
    if cell.bold:
        words.append("bold")
    if cell.reverse:
        words.append("reverse")
    words.append(_colour(cell.fg))
    words.append(f"on {_colour(cell.bg)}")
    return " ".join(words)


def _colour(name: str) -> str:
    if name == "default":
        return name
    if len(name) == 6 and all(c in "0123456789abcdef" for c in name):
        return f"#{name}"
    return name.replace("bright", "bright_").replace("brown", "yellow")


def write_picture(lines: Sequence[Text], path: Path) -> None:
    """Draw lines of text as a terminal window. Raises `OSError` and `RuntimeError`."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise RuntimeError("no Chromium on the PATH: it makes the picture")
    width = max(line.cell_len for line in lines)
    with open(os.devnull, "w", encoding="utf-8") as null:  # noqa: PTH123
        console = Console(record=True, width=width, file=null, color_system="truecolor")
        for line in lines:
            console.print(line, no_wrap=True, crop=True)
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder, "play.svg")
        svg.write_text(console.export_svg(title="pythagoras play"), encoding="utf-8")
        box = svg.read_text(encoding="utf-8").split('viewBox="', 1)[1].split('"', 1)[0].split()
        w, h = (round(float(each)) for each in box[2:])
        page = Path(folder, "play.html")
        page.write_text(
            f'<body style="margin:0"><img src="play.svg" width="{w}" height="{h}">',
            encoding="utf-8",
        )
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--hide-scrollbars",
                "--default-background-color=00000000", f"--window-size={w},{h}",
                f"--screenshot={path}", page.as_uri(),
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="play_picture", description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, nargs="?", default=PICTURE, metavar="FILE.png")
    path = parser.parse_args(arguments).path
    try:
        write_picture(session_lines(), path.resolve())
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        print(f"play_picture: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
