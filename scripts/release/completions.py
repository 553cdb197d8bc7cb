"""Write the shell completion files of our commands.

Usage: python -m scripts.release.completions, or ``make completions``.

shtab generates them from the parser. They are stored in the repository, so that neither an
installation nor a shell needs shtab; a test checks that they are up to date.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab

from uci.cli.completion import SHELLS
from uci.cli.parser import argument_parser
from uci.protocol.commands import GO_FLAGS, GO_NUMBERS

FOLDER = Path(__file__).resolve().parents[2] / "uci" / "cli" / "completions"


def completions(shell: str) -> str:
    """Return the completion file of a shell."""
    parser = argument_parser()
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
    """Yield the arguments of all tasks, and drop their long descriptions."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for task in action.choices.values():
                task.description = None  # use the short help from the list of tasks
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
