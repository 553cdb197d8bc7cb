"""The check of mate certificates, which needs python-chess alone and trusts no engine.

Usage: python certificate_check.py FILE ...

The file runs by itself, wherever it is copied. The format is described in the page of the command
``pythagoras prove``. Exit status 1 if a file is not a valid certificate.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import chess

FORMAT, VERSION = "mate certificate", 1

NO_GAME = (
    chess.STATUS_NO_WHITE_KING | chess.STATUS_NO_BLACK_KING | chess.STATUS_TOO_MANY_KINGS
    | chess.STATUS_PAWNS_ON_BACKRANK | chess.STATUS_OPPOSITE_CHECK
)  # fmt: skip
"""Faults of a position in which moves have no meaning. Problems may have more than eight pawns."""


class CertificateError(ValueError):
    """A file that is not a valid certificate; the message is one line that says where and why."""


class Proved(NamedTuple):
    """What a valid certificate proves: ``attacker`` mates in at most ``moves`` from ``fen``."""

    fen: str
    attacker: chess.Color
    moves: int
    positions: int
    replies: int

    def __str__(self) -> str:
        side = chess.COLOR_NAMES[self.attacker].capitalize()
        moves = "1 move" if self.moves == 1 else f"at most {self.moves} moves"
        return f"{side} mates in {moves} from {self.fen}"

    @property
    def size(self) -> str:
        """Return how many positions and replies were checked, in words."""
        positions = f"{self.positions:,} position{'s' * (self.positions != 1)}"
        return f"{positions}, {self.replies:,} {'reply' if self.replies == 1 else 'replies'}"


def read(data: bytes) -> Proved:
    """Return what the certificate in the bytes of a file proves. Raises `CertificateError`."""
    try:
        document = json.loads(data, object_pairs_hook=_without_twins)
    except CertificateError:
        raise
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"not valid JSON: {error}") from None
    return check(document)


def check(document: object) -> Proved:
    """Return what a certificate, as JSON values, proves. Raises `CertificateError`."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CertificateError(f'not a mate certificate: "format" must be "{FORMAT}"')
    if type(document.get("version")) is not int or document["version"] != VERSION:
        raise CertificateError(f"unknown version: this program checks version {VERSION}")
    fen, chess960 = _typed(document, "fen", str), _typed(document, "chess960", bool)
    mate, entries = _typed(document, "mate", int), _typed(document, "positions", list)
    root = _board(fen, chess960, "fen")
    if mate == 0 or not entries:
        raise CertificateError("nothing to check: no moves to mate, or no positions")
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if root.fen() != fen:
        raise CertificateError(f"fen: written {fen!r}, expected {root.fen()!r}")
    if root.halfmove_clock + plies > 100:
        raise CertificateError(
            f"the fifty-move rule may draw first: halfmove clock {root.halfmove_clock},"
            f" and the mate may take {plies} plies"
        )
    numbers: dict[str, int] = {}
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise CertificateError(f"position {number}: not a JSON object")
        position, moves = _typed(entry, "position", str, number), _typed(entry, "mate", int, number)
        if numbers.setdefault(position, number) != number:
            raise CertificateError(f"position {number}: the same as position {numbers[position]}")
        if moves < 1:
            raise CertificateError(f"position {number}: mate in {moves} is impossible")
    if entries[0]["position"] != root.epd():
        raise CertificateError(f"position 0 is not that of the FEN, {root.epd()}")
    if entries[0]["mate"] != abs(mate):
        raise CertificateError(
            f"mate in {abs(mate)} claimed, in {entries[0]['mate']} at position 0"
        )
    reached, replies = {0}, 0
    for number in range(len(entries)):
        targets = _check_entry(entries, number, chess960, defends=number == 0 and mate < 0)
        reached.update(targets)
        replies += len(targets)
    if lost := set(range(len(entries))) - reached:
        raise CertificateError(f"position {min(lost)}: no reply leads to it")
    return Proved(fen, root.turn == (mate > 0), abs(mate), len(entries), replies)


def _check_entry(entries: list[Any], number: int, chess960: bool, defends: bool) -> list[int]:
    """Check one position, in which the attacker moves unless the defender ``defends``.

    Return the positions after the replies. Mate is nearer in each, so there is no cycle.
    """
    entry, where = entries[number], f"position {number}"
    board, left = _board(entry["position"], chess960, where), entry["mate"]
    if board.epd() != entry["position"]:
        raise CertificateError(f"{where}: written {entry['position']!r}, expected {board.epd()!r}")
    if not defends:
        board.push(_move(board, _typed(entry, "move", str, number), where))
        left -= 1
    elif "move" in entry:
        raise CertificateError(f"{where}: a move of the side that is mated, where all must be")
    replies = _typed(entry, "replies", dict, number)
    for text in replies:
        _move(board, text, where)
    for move in board.legal_moves:
        if move.uci() not in replies:
            raise CertificateError(f"{where}: the legal reply {move.uci()} is missing")
    if not replies and not board.is_checkmate():
        raise CertificateError(f"{where}: the last position is not checkmate, but stalemate")
    for text, target in replies.items():
        if type(target) is not int or not 0 <= target < len(entries):
            raise CertificateError(f"{where}: the reply {text} leads to no position")
        board.push_uci(text)
        if entries[target]["position"] != board.epd():
            raise CertificateError(f"{where}: the reply {text} does not lead to position {target}")
        board.pop()
        if entries[target]["mate"] > left:
            raise CertificateError(
                f"{where}: mate in {entry['mate']} claimed, but after {text} it is mate in"
                f" {entries[target]['mate']} (position {target})"
            )
    return [*replies.values()]


def _typed(values: dict[str, Any], name: str, kind: type, number: int | None = None) -> Any:
    """Return a value of a JSON object, which must be of this type."""
    value = values.get(name)
    if type(value) is not kind:  # not isinstance: a bool is an int
        where = "" if number is None else f"position {number}: "
        raise CertificateError(f'{where}"{name}" is missing or not of type {kind.__name__}')
    return value


def _board(text: str, chess960: bool, where: str) -> chess.Board:
    """Return the board of a FEN, or of its first four fields."""
    try:
        board = chess.Board(text if len(text.split()) > 4 else f"{text} 0 1", chess960=chess960)
    except ValueError as error:
        raise CertificateError(f"{where}: {error}") from None
    if board.status() & NO_GAME:
        raise CertificateError(f"{where}: no game can be played from {text!r}")
    return board


def _move(board: chess.Board, text: str, where: str) -> chess.Move:
    """Return a legal move, which must be written as python-chess writes it."""
    for move in board.legal_moves:
        if move.uci() == text:
            return move
    raise CertificateError(f"{where}: the move {text[:20]!r} is illegal")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise an error for a duplicate name, whose value would be ambiguous."""
    names = dict(pairs)
    if len(names) < len(pairs):
        raise CertificateError("a name stands twice in a JSON object")
    return names


def main(names: Iterable[str]) -> int:
    """Check files and print the results; return the exit status."""
    status = 0
    for name in names:
        try:
            proved = read(Path(name).read_bytes())
            print(f"{name}: valid, {proved.size}")
            print(proved)
        except (OSError, CertificateError) as error:
            print(f"{name}: {getattr(error, 'strerror', error)}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if sys.argv[1:] else f"usage: {sys.argv[0]} FILE ...")
