"""Write the files that complete our commands in a shell.

Usage: python -m scripts.release.completions, or ``make completions``.

shtab makes them of the parser. They are kept, so that neither an installation nor a shell needs
shtab; a test holds that they are those of the parser.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab

from uci.cli.completion import SHELLS
from uci.cli.parser import _parser
from uci.protocol.commands import GO_FLAGS, GO_NUMBERS

FOLDER = Path(__file__).resolve().parents[2] / "uci" / "cli" / "completions"


def completions(shell: str) -> str:
    """Return the file for a shell."""
    parser = _parser()
    for action in _actions(parser):
        names = action.metavar if isinstance(action.metavar, tuple) else [action.metavar or ""]
        if action.type is Path or any(name.endswith(("FILE", ".pgn", ".epd")) for name in names):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif "DIR" in names:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif action.dest == "limit":
            action.choices = sorted({*GO_NUMBERS, *GO_FLAGS, "searchmoves"})
    return f"{shtab.complete(parser, shell=shell).strip()}\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of all tasks, which then have no long descriptions."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for task in action.choices.values():
                task.description = None  # what it is in the list of tasks is shorter
                yield from _actions(task)


def main() -> None:
    """Write the files."""
    argparse.ArgumentParser(prog="completions", description=__doc__.splitlines()[0]).parse_args()
    FOLDER.mkdir(exist_ok=True)
    for shell in SHELLS:
        path = FOLDER / f"pythagoras.{shell}"
        path.write_text(completions(shell), encoding="utf-8", newline="\n")
        print(path)


if __name__ == "__main__":
    main()
