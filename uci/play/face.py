"""What shows a game to a person: a whole terminal, or lines."""

from typing import Protocol


class Face(Protocol):
    """What shows a game to a person."""

    def say(self, text: str) -> None:
        """Show some lines."""

    def moved(self, text: str) -> None:
        """Show a move: who, its number and what it is. The board has changed."""

    def finished(self, pgn: str) -> None:
        """Show a game that is over."""
