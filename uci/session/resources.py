"""The files that options name: an opening book, tablebases, a log."""

from typing import TYPE_CHECKING

from uci.errors import UciError, shorten
from uci.protocol.debug_log import DebugLog
from uci.protocol.options import try_path

if TYPE_CHECKING:  # python-chess is imported after `uciok`
    from uci.chess_io.book import Book
    from uci.chess_io.syzygy import Tables


class Resources:
    """The currently open files.

    A search keeps the files it began with: replaced tables are closed when the last search that
    uses them ends. Only the input thread uses this; the `log` has a lock of its own.
    """

    def __init__(self) -> None:
        self.log = DebugLog()
        self.book: Book | None = None
        self.tables: Tables | None = None

    def open(self, option: str, path: str) -> str:
        """Open the file of ``option``, or close it if the path is empty; return a line for the
        user.

        See `try_path`. Raises `UciError` if it cannot be opened; the previous file then stays open.
        """
        match option:
            case "Book File":
                from uci.chess_io.book import open_book

                self.book = try_path(path, lambda name: open_book(name) if name else None)
            case "SyzygyPath":
                from uci.chess_io.syzygy import open_tables

                self.tables = try_path(path, lambda name: open_tables(name) if name else None)
                return "" if self.tables is None else self.tables.summary
            case "Debug Log File":
                try:
                    try_path(path, self.log.open)
                except OSError as error:
                    raise UciError(f"cannot write to {shorten(path)}: {error.strerror}") from None
        return ""

    def close(self) -> None:
        """Close all files, when no search runs."""
        self.log.open("")
        self.book = None
        if self.tables is not None and not self.tables.looking:
            self.tables.close()
        self.tables = None
