"""The error that a user sees as one line, and texts made fit for such a line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UciError(ValueError):
    """A command that is rejected as a whole; the message is one line for the user."""


@contextmanager
def named_errors(file: Path | str) -> Iterator[None]:
    """Raise an `OSError` as a `UciError` with the name of the ``file`` and the reason."""
    try:
        yield
    except OSError as error:
        raise UciError(f"{shorten(str(file))}: {reason(error)}") from None


def counted(number: int, noun: str) -> str:
    """Return ``1 game`` or ``1,234 games``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def one_line(text: str) -> str:
    """Return ``text``, a name, if a line of UCI can hold it. Raises `UciError`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UciError(f"{shorten(text)}: the name is not UTF-8") from None
    if "\n" in text or "\r" in text:
        raise UciError(f"{shorten(text)}: the name has more than one line")
    return text


def printable(text: str) -> str:
    """Return ``text`` with a blank for each character that a terminal would interpret."""
    return "".join(c if c.isprintable() else " " for c in text)


def reason(error: BaseException) -> str:
    """Return the message of an error as one line; for an `OSError` the system's, without the file
    name."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(said).strip().splitlines()[0]


def shorten(text: str) -> str:
    """Return ``text`` shortened for a message: printable, and at most 60 characters."""
    text = printable(text).strip()
    return text if len(text) <= 60 else text[:57] + "..."
