"""Proofs of mates, compared with brute force; false claims of the search are found out."""

import random
import threading
from collections.abc import Iterator, Sequence

import chess
import chess.pgn
import pytest

from engine.jit.kernel import COMPILED
from helpers.mates import IN_TWO, certificate
from uci.chess_io.mate_certificate import MateCertificate
from uci.errors import UciError
from uci.session import prover
from uci.session.prover import Stopped, prove
from uci.session.worker import StopEvent

pytestmark = pytest.mark.skipif(not COMPILED, reason="needs thousands of nodes")


@pytest.mark.parametrize(
    ("fen", "mate"),
    [
        (IN_TWO, 2),
        ("kbK5/pp6/RP6/8/8/8/8/8 b - - 1 1", -1),
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3),
        ("rb6/k1p4R/P1P5/PpK5/8/8/8/5B2 w - b6 0 1", 1),
        ("3k4/1R6/1N3N2/8/8/8/8/R3K3 w Q - 0 1", 1),
        ("2K4N/3PP1k1/5N2/6n1/8/8/8/8 w - - 0 1", 3),
        ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", 2),
    ],
)
def test_mates(fen: str, mate: int) -> None:
    for chess960 in False, True:
        proof = prove(chess.Board(fen, chess960=chess960), mate)
        assert proof is not None
        assert (proof.check().fen, proof.check().moves) == (fen, abs(mate))
        if mate > 1:
            assert prove(proof.board(), mate - 1) is None


def few_pieces() -> Iterator[chess.Board]:
    """Yield positions of king, queen, rook and knight against king and pawn."""
    rng = random.Random(62)
    while True:
        board = chess.Board(None)
        for piece, square in zip("KQRNkp", rng.sample(range(64), 6), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        if board.is_valid() and any(board.legal_moves):
            yield board


def test_there_is_a_proof_where_there_is_a_mate() -> None:
    """A proof is found exactly if brute force finds a mate, in one or two moves."""
    found = {True: 0, False: 0}
    for board in few_pieces():
        for mate in 1, 2:
            proof, expected = prove(board, mate), certificate(board, mate)
            assert (proof is None) == (expected is None), board.fen()
            found[proof is not None] += 1
            if proof is not None:
                assert proof.check().moves <= mate
        if min(found.values()) >= 4:
            return


def test_what_a_search_claims_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that first claims a mate by each other move leads to the same proof."""
    search = prover._Prover._search
    lies = 0

    def lying(
        self: prover._Prover, board: chess.Board, mate: int, failed: Sequence[chess.Move]
    ) -> prover._MatingMove | None:
        nonlocal lies
        true = search(self, board, mate, failed)
        for move in board.legal_moves:
            if move not in failed and (true is None or move != true.move):
                lies += 1
                return prover._MatingMove(1 + lies % mate, move)
        return true

    expected = prove(chess.Board(IN_TWO), 2)
    monkeypatch.setattr(prover._Prover, "_search", lying)
    proof = prove(chess.Board(IN_TWO), 2)
    assert lies > 20
    assert proof is not None
    assert expected is not None
    assert proof.check() == expected.check()
    assert prove(chess.Board(IN_TWO), 1) is None


def test_a_position_that_comes_again_keeps_its_shorter_mate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A repeated position keeps its shorter mate: here the rook moves back and forth first."""
    moves = {3: "a1b1", 2: "b1a1", 1: "a1a8"}
    monkeypatch.setattr(
        prover._Prover,
        "_search",
        lambda self, board, mate, failed: prover._MatingMove(mate, board.parse_uci(moves[mate])),
    )
    proof = prove(chess.Board("7k/3N4/6K1/8/8/8/8/R7 w - - 0 1"), 3)
    assert proof is not None
    assert proof.check().moves == 1


def test_the_game_shows_every_position_once() -> None:
    proof = prove(chess.Board("8/8/5pp1/6k1/6p1/6K1/8/7Q w - - 0 1"), 4)
    assert proof is not None
    assert "as after 1. Q" in str(proof.game())
    shown = after_attacker(proof.game())
    assert {board.epd() for board in shown} == {board.epd() for board in after_moves(proof)}
    again = [board for board in shown if not board.is_checkmate()]
    assert len({board.epd() for board in again}) == len(again)
    assert proof.game().end().board().is_checkmate()
    assert [node.move for node in proof.game().mainline()] == proof.line()
    assert len(proof.line()) == 2 * proof.mate - 1


def after_attacker(game: chess.pgn.Game) -> list[chess.Board]:
    """Return the positions after the attacker's moves of a game that contains every reply."""
    found, nodes = [], list[chess.pgn.GameNode]([game])
    while nodes:
        node = nodes.pop()
        nodes += node.variations
        board = node.board()
        if board.turn != game.turn():
            found.append(board)
            assert len(node.variations) == board.legal_moves.count()
        else:
            assert bool(node.variations) != node.comment.startswith("as after 1. ")
    return found


def after_moves(proof: MateCertificate) -> Iterator[chess.Board]:
    for entry in proof.positions:
        board = chess.Board(f"{entry.position} 0 1")
        board.push_uci(entry.move or "")
        yield board


@pytest.mark.parametrize(
    ("fen", "mate", "told"),
    [
        (IN_TWO, 0, "mate in 0: expected 1 to 63, or -1 to -63"),
        (IN_TWO, 64, "mate in 64"),
        (IN_TWO.replace(" 0 1", " 98 90"), 2, "halfmove clock 98: the fifty-move rule may draw"),
        ("k1K5/1Q6/8/8/8/8/8/8 b - - 0 1", -1, "no legal moves"),
    ],
)
def test_what_cannot_be_proved(fen: str, mate: int, told: str) -> None:
    with pytest.raises(UciError, match=told):
        prove(chess.Board(fen), mate)


def test_the_fifty_move_rule_comes_after_the_mate() -> None:
    proof = prove(chess.Board(IN_TWO.replace(" 0 1", " 97 90")), 2)
    assert proof is not None
    assert proof.check().moves == 2


def test_stopping() -> None:
    """It can be stopped before the first search, within one, and between two."""
    stop = StopEvent()
    stop.set()
    with pytest.raises(Stopped):
        prove(chess.Board(), 20, stop=stop)
    stop = StopEvent()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Stopped):
        prove(chess.Board(), 20, stop=stop)
    stop = StopEvent()
    with pytest.raises(Stopped):
        prove(chess.Board(IN_TWO), 2, stop=stop, progress=lambda _: stop.set())
