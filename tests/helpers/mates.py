"""Mates by brute force, with python-chess alone."""

import chess

from uci.chess_io.mate_certificate import MateCertificate, certificate_of

IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
"""A problem by Paul Morphy, solved by 1. Ra6."""


def mates(board: chess.Board, moves: int, found: dict[str, chess.Move]) -> bool:
    """Return whether the side to move mates in at most ``moves``; ``found`` gets its moves."""
    for move in board.legal_moves if moves else ():
        board.push(move)
        mated = is_mated(board, moves - 1, found)
        board.pop()
        if mated:
            found[board.epd()] = move
            return True
    return False


def is_mated(board: chess.Board, moves: int, found: dict[str, chess.Move]) -> bool:
    """Return whether the side to move is mated in at most ``moves`` whatever it plays."""
    if not any(board.legal_moves):
        return board.is_check()
    for reply in board.legal_moves if moves else ():
        board.push(reply)
        mated = mates(board, moves, found)
        board.pop()
        if not mated:
            return False
    return moves > 0


def certificate(board: chess.Board, mate: int) -> MateCertificate | None:
    """Return a certificate by brute force, None if there is no mate; ``mate`` as in `prove`."""
    found: dict[str, chess.Move] = {}
    forced = mates(board, mate, found) if mate > 0 else is_mated(board, -mate, found)
    return certificate_of(board, found, defends=mate < 0) if forced else None
