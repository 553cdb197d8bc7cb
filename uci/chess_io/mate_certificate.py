"""Mate certificates: a forced mate with every reply of the defender, as JSON and as a game."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import chess
import chess.pgn

from uci import __version__
from uci.chess_io.certificate_check import FORMAT, VERSION, Proved, check


@dataclass(frozen=True, slots=True)
class ProvedPosition:
    """A position with mate in at most ``mate`` moves of the attacker, who plays ``move``.

    ``replies`` are all legal replies, in UCI notation, and the numbers of the positions to which
    they lead. ``move`` is None only in a first position in which the defender is to move.
    """

    position: str
    mate: int
    move: str | None
    replies: Mapping[str, int]

    def to_json(self) -> dict[str, object]:
        """Return the entry of the document."""
        move = {} if self.move is None else {"move": self.move}
        return {"position": self.position, "mate": self.mate, **move, "replies": {**self.replies}}


@dataclass(frozen=True, slots=True)
class MateCertificate:
    """A proof that one side mates in at most ``abs(mate)`` moves from ``fen``.

    ``mate`` is positive if the side to move mates, and negative if it is mated. ``positions`` holds
    each position once, the first that of ``fen``; the page of ``pythagoras prove`` describes it.
    """

    fen: str
    chess960: bool
    mate: int
    positions: tuple[ProvedPosition, ...]

    def check(self) -> Proved:
        """Return what this proves. Raises `ValueError` if it is not valid."""
        return check(json.loads(self.to_json()))

    def to_json(self) -> str:
        """Return the document, a line for each position."""
        head = {
            "format": FORMAT, "version": VERSION, "engine": f"Pythagoras {__version__}",
            "fen": self.fen, "chess960": self.chess960, "mate": self.mate,
        }  # fmt: skip
        lines = ",\n".join(json.dumps(entry.to_json()) for entry in self.positions)
        return f'{json.dumps(head)[:-1]}, "positions": [\n{lines}\n]}}\n'

    def board(self) -> chess.Board:
        """Return the position from which the mate is forced."""
        return chess.Board(self.fen, chess960=self.chess960)

    def line(self) -> list[chess.Move]:
        """Return a variation that lasts longest: the main line of `game`."""
        board, number, line = self.board(), 0, list[chess.Move]()
        while True:
            entry = self.positions[number]
            if entry.move is not None:
                line.append(board.push_uci(entry.move))
            if not entry.replies:
                return line
            reply, number = next(self._longest_first(entry))
            line.append(board.push_uci(reply))

    def game(self) -> chess.pgn.Game:
        """Return the proof as a game with variations, the main line one of the longest.

        A position is shown once with all replies. When it is repeated, a comment names the moves
        after which it was shown, unless the next move is checkmate.
        """
        game = chess.pgn.Game()
        game.setup(self.board())
        game.headers["Event"] = f"Mate in {abs(self.mate)}"
        game.headers["Result"] = "1-0" if game.turn() == (self.mate > 0) else "0-1"
        shown: dict[int, str] = {}
        self._add(game, 0, shown)
        return game

    def _add(self, node: chess.pgn.GameNode, number: int, shown: dict[int, str]) -> None:
        """Add the moves from position ``number`` below ``node``, which is that position."""
        if number in shown:
            node.comment = f"as after {shown[number]}"
            return
        entry = self.positions[number]
        if entry.replies:
            shown[number] = _moves_to(node)
        if entry.move is not None:
            node = node.add_variation(node.board().parse_uci(entry.move))
        board = node.board()
        for text, target in self._longest_first(entry):
            self._add(node.add_variation(board.parse_uci(text)), target, shown)

    def _longest_first(self, entry: ProvedPosition) -> Iterator[tuple[str, int]]:
        yield from sorted(entry.replies.items(), key=lambda reply: -self.positions[reply[1]].mate)


def _moves_to(node: chess.pgn.GameNode) -> str:
    """Return all moves before ``node``, as ``1. Rd6 Nb7``."""
    board = node.board()
    return board.root().variation_san(board.move_stack)


def certificate_of(
    root: chess.Board, moves: Mapping[str, chess.Move], defends: bool
) -> MateCertificate:
    """Return the certificate for ``root`` from the attacker's ``moves``.

    Their keys are positions, as the first four fields of FEN. The defender moves first if it
    ``defends``. Raises `KeyError` if the move of a position is missing.
    """
    replies: dict[str, dict[str, str]] = {}
    mates: dict[str, int] = {}
    written: dict[str, str] = {}

    def add(board: chess.Board, attacks: bool = True) -> str:
        """Add a position and all later ones; return its key."""
        key = board.epd()
        if key not in mates:
            if attacks:
                written[key] = board.uci(moves[key])
                board.push(moves[key])
            after = {}
            for reply in board.legal_moves:
                name = board.uci(reply)
                board.push(reply)
                after[name] = add(board)
                board.pop()
            if attacks:
                board.pop()
            replies[key] = after
            mates[key] = max((mates[each] for each in after.values()), default=0) + attacks
        return key

    start = add(root.copy(stack=False), not defends)
    order = sorted(mates, key=lambda key: (key != start, -mates[key]))
    numbers = {key: number for number, key in enumerate(order)}
    positions = tuple(
        ProvedPosition(
            key,
            mates[key],
            written.get(key),
            {name: numbers[after] for name, after in replies[key].items()},
        )
        for key in order
    )
    mate = -mates[start] if defends else mates[start]
    return MateCertificate(root.fen(), root.chess960, mate, positions)
