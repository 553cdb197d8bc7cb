"""The interface to python-chess: FEN, moves, books, tablebases."""
