"""The proof of a forced mate: a move of the attacker after every reply, each found by a search.

An AND/OR search whose attacker's moves come from searches for a mate, so that the first is mostly
right. What such a search claims counts only when it has been proved for every reply.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from engine.board.types import MAX_PLY
from engine.search.limits import Limits
from uci.chess_io.convert import decode_move, encode_move, fill
from uci.chess_io.mate_certificate import MateCertificate, certificate_of
from uci.errors import UciError
from uci.session.worker import StopEvent

if TYPE_CHECKING:
    from engine.search.searcher import Searcher

MAX_MATE = (MAX_PLY - 2) // 2
"""Moves: the longest mate that a search can find or rule out."""


class Stopped(Exception):
    """The proof was stopped before it was clear whether there is a mate."""


@dataclass(frozen=True, slots=True)
class _MatingMove:
    """The attacker's ``move`` with which mate is forced in ``mate`` moves."""

    mate: int
    move: chess.Move


def prove(
    board: chess.Board,
    mate: int,
    hash_mb: int = 16,
    stop: StopEvent | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> MateCertificate | None:
    """Return the proof of a mate in at most ``mate`` moves, None if there is no such mate.

    With a negative ``mate`` the side to move is to be mated. Moves before ``board`` do not count.
    ``progress`` is called with the number of positions that are proved so far.
    Raises `UciError` for a mate that cannot be proved within the fifty-move rule or the depth of
    the search, and `Stopped` after ``stop``.
    """
    from engine.search.searcher import Searcher

    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if not 1 <= abs(mate) <= MAX_MATE:
        raise UciError(f"mate in {mate}: expected 1 to {MAX_MATE}, or -1 to -{MAX_MATE}")
    if board.halfmove_clock + plies > 100:
        raise UciError(
            f"halfmove clock {board.halfmove_clock}: the fifty-move rule may draw before a mate in"
            f" {abs(mate)}"
        )
    if not any(board.legal_moves):
        raise UciError("the game is over: no legal moves")
    prover = _Prover(Searcher(hash_mb), stop or StopEvent(), progress)
    searched = board.copy(stack=False)
    searched.chess960 = True  # as the engine writes castling
    found = prover.attack(searched, mate) if mate > 0 else prover.defend(searched, -mate)
    return prover.certificate(board.copy(stack=False), mate) if found else None


class _Prover:
    """The proved and the refuted positions, by their first four fields of FEN."""

    def __init__(
        self, searcher: "Searcher", stop: StopEvent, progress: Callable[[int], None]
    ) -> None:
        self._searcher = searcher
        self._stop = stop
        self._progress = progress
        self._proved: dict[str, _MatingMove] = {}
        self._refuted: dict[str, int] = {}
        self._hints: dict[str, _MatingMove] = {}
        stop.add_callback(searcher.stop)

    def attack(self, board: chess.Board, mate: int) -> bool:
        """Return whether the side to move mates in at most ``mate`` moves, and keep the proof."""
        key = board.epd()
        if key in self._proved and self._proved[key].mate <= mate:
            return True
        if mate <= self._refuted.get(key, 0):
            return False
        failed: list[chess.Move] = []
        while (found := self._find(board, key, mate, failed)) is not None:
            for left in dict.fromkeys((found.mate - 1, mate - 1)):
                board.push(found.move)
                holds = self.defend(board, left)
                board.pop()
                if holds:
                    self._keep(key, _MatingMove(left + 1, found.move))
                    return True
            failed.append(found.move)
        self._refuted[key] = mate
        return False

    def _keep(self, key: str, proof: _MatingMove) -> None:
        """Keep a proof, unless a shorter one of this position was found within its own tree."""
        if key not in self._proved or proof.mate < self._proved[key].mate:
            self._proved[key] = proof
            self._progress(len(self._proved))

    def defend(self, board: chess.Board, mate: int) -> bool:
        """Return whether the side to move is mated in at most ``mate`` moves whatever it plays."""
        replies = [*board.legal_moves]
        if not replies:
            return board.is_check()
        if mate < 1:
            return False
        for reply in replies:
            board.push(reply)
            mated = self.attack(board, mate)
            board.pop()
            if not mated:
                return False
        return True

    def _find(
        self, board: chess.Board, key: str, mate: int, failed: Sequence[chess.Move]
    ) -> _MatingMove | None:
        """Return a move that seems to mate in at most ``mate``, other than those that ``failed``.

        ``None`` is certain: then every other move was searched to that depth.
        """
        hint = self._hints.pop(key, None)
        if hint is not None and hint.mate <= mate and hint.move not in failed:
            return hint
        return self._search(board, mate, failed)

    def _search(
        self, board: chess.Board, mate: int, failed: Sequence[chess.Move]
    ) -> _MatingMove | None:
        from engine.search.results import Iteration
        from engine.search.score import moves_to_mate

        moves = [encode_move(board, move) for move in board.legal_moves if move not in failed]
        if not moves:
            return None
        searcher = self._searcher
        fill(searcher.pos, board)
        results = searcher.begin(Limits(mate=mate), None, 1, moves)
        if self._stop.is_set():  # `begin` drops a stop that came before it
            searcher.stop()
        found: Iteration | None = None
        for result in results:
            if isinstance(result, Iteration) and result.bound != "upper":
                claimed = moves_to_mate(result.score)
                found = result if claimed is not None and 0 < claimed <= mate else None
        if self._stop.is_set():
            raise Stopped
        if found is None:
            if not searcher.ruled_out:
                raise RuntimeError(f"neither found nor ruled out: mate in {mate}, {board.fen()}")
            return None
        claimed = moves_to_mate(found.score)
        assert claimed is not None
        self._keep_line(board, found.pv, claimed)
        return _MatingMove(claimed, decode_move(found.pv[0]))

    def _keep_line(self, board: chess.Board, line: Sequence[int], mate: int) -> None:
        """Keep the attacker's later moves of a line, so that no search is needed for them."""
        board = board.copy(stack=False)
        for ply, move in enumerate(line):
            decoded = decode_move(move)
            if ply % 2 == 0 and ply > 0:
                self._hints[board.epd()] = _MatingMove(mate - ply // 2, decoded)
            board.push(decoded)

    def certificate(self, root: chess.Board, mate: int) -> MateCertificate:
        """Return the proof from ``root``."""
        moves = {key: proved.move for key, proved in self._proved.items()}
        return certificate_of(root, moves, defends=mate < 0)
