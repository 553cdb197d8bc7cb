"""What completes our commands in a shell: files that `make completions` has written."""

import argparse
from collections.abc import Sequence
from importlib import resources
from typing import Any

SHELLS = "bash", "zsh", "fish"


def completion(shell: str) -> str:
    """Return what a shell reads to complete our commands."""
    folder = resources.files(__package__) / "completions"
    return (folder / f"pythagoras.{shell}").read_text(encoding="utf-8")


class PrintCompletion(argparse.Action):
    """The option ``--print-completion``, which ends the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print the file of the shell that ``values`` names."""
        print(completion(str(values)), end="")
        parser.exit()
