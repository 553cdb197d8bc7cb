"""Intrinsics and their Python twins, 16-bit moves and keys agree, compiled and interpreted."""

import threading
import time
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import move as moves
from engine.board import zobrist
from engine.board.bitboard import more_than_one as plain_more_than_one
from engine.board.perft import _perft, perft
from engine.jit import intrinsics, kernel
from engine.jit.kernel import COMPILED, entry
from helpers import naive

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]
patient = settings(deadline=None)  # the first example compiles
words = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda square: 1 << square)


@entry(np.uint64)
def popcount(word: Any) -> Any:
    return intrinsics.popcount(word)


@entry(np.uint64)
def lsb(word: Any) -> Any:
    return intrinsics.lsb(word)


@entry(np.uint64)
def more_than_one(word: Any) -> Any:
    return plain_more_than_one(word)


@entry(np.uint64, np.uint64, np.uint64)
def slider_attacks(rooks: Any, bishops: Any, occupied: Any) -> Any:
    return intrinsics.slider_attacks(rooks, bishops, occupied)


@entry(np.int64)
def load(address: Any) -> Any:
    return intrinsics.load(address)


@entry(np.int64, np.uint64)
def store(address: Any, value: Any) -> None:
    intrinsics.store(address, value)


@entry(np.int64)
def prefetch(address: Any) -> None:
    intrinsics.prefetch(address)


@entry(np.int64, np.int64, np.int64)
def encode(origin: Any, target: Any, flag: Any) -> Any:
    return moves.encode(origin, target, flag)


@entry(np.int64)
def decode(move: Any) -> Any:
    return (
        moves.origin_of(move),
        moves.target_of(move),
        moves.flag_of(move),
        moves.is_capture(move),
        moves.is_promotion(move),
        moves.is_noisy(move),
        moves.promoted_type(move),
    )


@patient
@given(words)
def test_counts(word: int) -> None:
    for count in (popcount, intrinsics._popcount):
        assert count(np.uint64(word)) == word.bit_count()
    assert more_than_one(np.uint64(word)) == (word.bit_count() > 1)


@patient
@given(words.filter(bool))
def test_lowest_square(word: int) -> None:
    expected = min(chess.SquareSet(word))
    assert lsb(np.uint64(word)) == expected
    assert intrinsics._lsb(np.uint64(word)) == expected


@patient
@given(words, words, words)
def test_all_sliders(rooks: int, bishops: int, occupied: int) -> None:
    straight, diagonal = 0, 0
    for square in chess.SquareSet(rooks):
        straight |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        straight |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    for square in chess.SquareSet(bishops):
        diagonal |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    given = np.uint64(rooks), np.uint64(bishops), np.uint64(occupied)
    for attacks in (slider_attacks, intrinsics._slider_attacks):
        assert attacks(*given) == (straight, diagonal)


@patient
@given(words, st.integers(0, 7))
def test_memory(word: int, index: int) -> None:
    memory = np.arange(8, dtype=np.uint64)
    address = memory.ctypes.data + 8 * index
    prefetch(address)
    for write, read in ((store, intrinsics._load), (intrinsics._store, load)):
        write(address, np.uint64(word))
        assert memory[index] == word
        assert read(address) == word
        assert memory.tolist()[:index] == list(range(index))
        assert memory.tolist()[index + 1 :] == list(range(index + 1, 8))
        memory[index] = ~memory[index]
    prefetch(0)  # any address is allowed: it is only a hint


@patient
@given(st.integers(0, 63), st.integers(0, 63), st.integers(0, 15))
def test_moves_in_16_bits(origin: int, target: int, flag: int) -> None:
    move = encode(origin, target, flag)
    assert 0 <= move < 1 << 16
    assert decode(move)[:3] == (origin, target, flag)
    capture, promotion = flag in (4, 5, 6, 7, 12, 13, 14, 15), flag >= 8
    assert decode(move)[3:6] == (capture, promotion, capture or promotion)
    if promotion:
        assert decode(move)[6] == flag % 4 + 1


def test_keys_are_random() -> None:
    """No two Zobrist numbers are equal, and each bit is set in about half of them."""
    features = [
        *zobrist.PIECE_KEYS.ravel().tolist(),
        *zobrist._CASTLING.tolist(),
        *zobrist._EN_PASSANT[1:].tolist(),
        int(zobrist.SIDE_KEY),
    ]
    assert len(set(features)) == len(features) == 12 * 64 + 16 + 63 + 1
    assert zobrist._EN_PASSANT[0] == 0
    for bit in range(64):
        assert 0.42 < sum(word >> bit & 1 for word in features) / len(features) < 0.58


@pytest.mark.skipif(not COMPILED, reason="only compiled kernels have signatures")
def test_records_and_integers_fit_the_signature_compiled_ahead() -> None:
    """Records and integers match the precompiled signatures, so the first `go` does not compile."""
    import numba

    pos = naive.position(chess.STARTING_FEN)
    registered = dict(kernel.PLAY._known)
    assert registered[_perft] == (numba.typeof(pos), *[numba.typeof(3)] * 4)
    perft(pos, 3)
    assert registered[_perft] in _perft.signatures


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the interpreter keeps its lock")
def test_kernels_release_the_interpreter() -> None:
    pos = naive.position(chess.STARTING_FEN)
    perft(pos, 1)
    worker = threading.Thread(target=perft, args=(pos, 6))
    turns = 0
    worker.start()
    while worker.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 5
