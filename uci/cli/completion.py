"""Shell completion of our commands: prints the scripts that `make completions` has written."""

import argparse
from collections.abc import Sequence
from importlib import resources
from typing import Any

SHELLS = "bash", "zsh", "fish"


def completion(shell: str) -> str:
    """Return the completion script of a shell."""
    folder = resources.files(__package__) / "completions"
    return (folder / f"pythagoras.{shell}").read_text(encoding="utf-8")


class PrintCompletion(argparse.Action):
    """The option ``--print-completion``: prints a completion script and ends the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the completion script of the shell ``values``."""
        print(completion(str(values)), end="")
        parser.exit()
