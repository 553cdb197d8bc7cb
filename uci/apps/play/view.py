"""What shows a game to a person: a whole terminal, or lines."""

from typing import Protocol


class Face(Protocol):
    """What shows a game to a person."""

    def say(self, text: str) -> None:
        """Show some lines."""

    def ask(self, text: str) -> None:
        """Show a question, which is answered by yes or no, next to where the answer is typed."""

    def moved(self, text: str) -> None:
        """Show a move: who, its number and what it is. The board has changed."""

    def finished(self, pgn: str) -> None:
        """Show a game that is over."""
