"""The checksum at the end of a Syzygy file: that of 16 MiB at a time, and then of these.

Ronald de Man's generator writes 128 bits of CityHashCrc (Geoff Pike and Jyrki Alakuijala, 2011),
which mixes multiplications with the CRC-32C of five lanes.
"""

import struct
from pathlib import Path
from typing import Any

import numpy as np

from engine.board.annotations import Count
from engine.board.bitboard import U64
from engine.files import open_file
from engine.jit.intrinsics import load, store
from engine.jit.kernel import EntryPoints, kernel
from engine.syzygy.wdl_file import CHECKSUM_BYTES

_CHUNK = 1 << 24
_LEAST = 240
"""Least length in bytes of the hashed text; a shorter one is padded with zeros."""

_K0, _K1, _K2, _K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
_MUL = 0x9DDFEA08EB382D69
_WORD = (1 << 64) - 1

CHECKS = EntryPoints()
"""The entry point of this module, which playing never loads."""

_U0, _UMUL, _ONE, _32, _40, _47 = U64(_K0), U64(_MUL), U64(1), U64(32), U64(40), U64(47)
_BYTE, _EIGHT = U64(255), U64(8)


def _crc_table() -> Any:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return np.array(table, np.uint64)


_CRC = _crc_table()


@kernel
def _crc(crc: np.uint64, word: np.uint64) -> np.uint64:
    """Return the CRC-32C of ``crc`` continued by the eight bytes of ``word``."""
    for _ in range(8):
        crc = crc >> _EIGHT ^ _CRC[(crc ^ word) & _BYTE]
        word >>= _EIGHT
    return crc


@kernel
def _rotate(word: np.uint64, shift: int) -> np.uint64:
    return word >> U64(shift) | word << U64(64 - shift)


@kernel
def _shift_mix(word: np.uint64) -> np.uint64:
    return word ^ word >> _47


@kernel
def _mix(low: np.uint64, high: np.uint64) -> np.uint64:
    """Return 64 bits of 128."""
    a = _shift_mix((low ^ high) * _UMUL)
    return _shift_mix((high ^ a) * _UMUL) * _UMUL


@CHECKS.entry(*[np.int64] * 4)
def _crc256(text: Count, size: Count, seed: Count, result: Count) -> None:
    """Write the four words of the hash of ``size`` bytes at the address ``text`` to ``result``."""
    length = U64(size)
    a, b = load(text + 56) + _U0, load(text + 96) + _U0
    c, d = _mix(b, length), load(text + 120) * _U0 + length
    e, f = load(text + 184) + U64(seed), U64(seed)
    g = h = i = j = U64(0)
    first, second, t = c, d, c + d
    alternating, chunks = size // 240 * 6, (size + 39) // 40
    for chunk in range(chunks):
        # The last chunk may overlap the one before it.
        place = text + min(np.int64(40 * chunk), np.int64(size - 40))
        factor, turn = (_ONE, 1) if chunk < alternating and chunk & 1 == 0 else (_U0, 0)
        old = a
        a = _rotate(b, 41 ^ turn) * factor + load(place)
        b = _rotate(c, 27 ^ turn) * factor + load(place + 8)
        c = _rotate(d, 41 ^ turn) * factor + load(place + 16)
        d = _rotate(e, 33 ^ turn) * factor + load(place + 24)
        e = _rotate(t, 25 ^ turn) * factor + load(place + 32)
        t = old
        f, g, h, i, j = _crc(f, a), _crc(g, b), _crc(h, c), _crc(i, d), _crc(j, e)
    j += i << _32
    a = _mix(a, j)
    h += g << _32
    b += h
    c = _mix(c, f) + i
    d = _mix(d, e + first)
    j += e
    i += _mix(h, t)
    e = _mix(a, d) + j
    f = _mix(b, c) + a
    g = _mix(j, i) + c
    first = e + f + g + h
    a = _shift_mix((a + g) * _U0) * _U0 + b
    second += a + first
    a = _shift_mix(a * _U0) * _U0 + c
    third = a + second
    a = _shift_mix((a + e) * _U0) * _U0
    store(result, first)
    store(result + 8, second)
    store(result + 16, third)
    store(result + 24, a + third)


def hash256(text: bytes) -> bytes:
    """Return the 256 bits of CityHashCrc256."""
    seed = 0
    size = len(text)
    if size < _LEAST:
        text, seed = text.ljust(_LEAST, b"\0"), size ^ 0xFFFFFFFF
    words = np.frombuffer(text, np.uint8)
    result = np.zeros(4, np.uint64)
    _crc256(words.ctypes.data, len(text), seed, result.ctypes.data)
    return result.tobytes()


def hash128(text: bytes) -> bytes:
    """Return the 128 bits of CityHashCrc128, of 32 bytes or more."""
    return _city128(text) if len(text) <= 900 else hash256(text)[16:]


def _turn(word: int, shift: int) -> int:
    return (word >> shift | word << 64 - shift) & _WORD


def _blend(word: int) -> int:
    return word ^ word >> 47


def _join(low: int, high: int) -> int:
    a = _blend((low ^ high) * _MUL & _WORD)
    return _blend((high ^ a) * _MUL & _WORD) * _MUL & _WORD


def _city128(text: bytes) -> bytes:
    """Return CityHash128 of 16 bytes or more, multiples of 16."""
    x, y = struct.unpack_from("<QQ", text)
    rest = text[16:]
    first, second = (_murmur if len(rest) < 128 else _city)(rest, x ^ _K3, y)
    return struct.pack("<QQ", first, second)


def _murmur(text: bytes, a: int, b: int) -> tuple[int, int]:
    """Hash a short text, after Austin Appleby's MurmurHash."""
    words, size = struct.unpack(f"<{len(text) // 8}Q", text), len(text)
    if size == 16:
        a = _blend(a * _K1 & _WORD) * _K1 & _WORD
        end = words[1] + size & _WORD
        c = b * _K1 + (_join(words[0], _turn(end, size)) ^ words[1]) & _WORD
        d = _blend(a + words[0] & _WORD)
    else:
        c = _join(words[-1] + _K1 & _WORD, a)
        d = _join(b + size & _WORD, c + words[-2] & _WORD)
        a = a + d & _WORD
        for low, high in zip(words[:-2:2], words[1:-2:2], strict=True):
            a = (a ^ _blend(low * _K1 & _WORD) * _K1) * _K1 & _WORD
            b ^= a
            c = (c ^ _blend(high * _K1 & _WORD) * _K1) * _K1 & _WORD
            d ^= c
    a, b = _join(a, c), _join(d, b)
    return a ^ b, _join(b, a)


def _weak(words: tuple[int, ...], at: int, a: int, b: int) -> tuple[int, int]:
    """Hash four words quickly."""
    w, x, y, z = words[at : at + 4]
    a = a + w & _WORD
    b = _turn(b + a + z & _WORD, 21)
    c = a
    a = a + x + y & _WORD
    b = b + _turn(a, 44) & _WORD
    return a + z & _WORD, b + c & _WORD


def _city(text: bytes, x: int, y: int) -> tuple[int, int]:
    """Hash a text of 128 bytes or more."""
    words, size = struct.unpack(f"<{len(text) // 8}Q", text), len(text)
    z = size * _K1 & _WORD
    v0 = _turn(y ^ _K1, 49) * _K1 + words[0] & _WORD
    v1 = _turn(v0, 42) * _K1 + words[1] & _WORD
    w0 = _turn(y + z & _WORD, 35) * _K1 + x & _WORD
    w1 = _turn(x + words[11] & _WORD, 53) * _K1 & _WORD
    at = 0
    while len(words) - at >= 16:
        for _ in range(2):
            x = _turn(x + y + v0 + words[at + 1] & _WORD, 37) * _K1 & _WORD
            y = _turn(y + v1 + words[at + 6] & _WORD, 42) * _K1 & _WORD
            x ^= w1
            y = y + v0 + words[at + 5] & _WORD
            z = _turn(z + w0 & _WORD, 33) * _K1 & _WORD
            v0, v1 = _weak(words, at, v1 * _K1 & _WORD, x + w0 & _WORD)
            w0, w1 = _weak(words, at + 4, z + w1 & _WORD, y + words[at + 2] & _WORD)
            x, z = z, x
            at += 8
    x = x + _turn(v0 + z & _WORD, 49) * _K0 & _WORD
    z = z + _turn(w0, 37) * _K0 & _WORD
    end = len(words)
    done = 0
    while done < end - at:
        done += 4
        y = _turn(x + y & _WORD, 42) * _K0 + v1 & _WORD
        w0 = w0 + words[end - done + 2] & _WORD
        x = x * _K0 + w0 & _WORD
        z = z + w1 + words[end - done] & _WORD
        w1 = w1 + v0 & _WORD
        v0, v1 = _weak(words, end - done, v0 + z & _WORD, v1)
    x, y = _join(x, v0), _join(y + z & _WORD, w0)
    return _join(x + v1 & _WORD, w1) + y & _WORD, _join(x + w1 & _WORD, y + v1 & _WORD)


def has_right_checksum(path: Path) -> bool:
    """Return whether a file of tables ends with the checksum of what it holds.

    Raises `OSError`.
    """
    with open_file(path) as file:
        left = file.seek(0, 2) - CHECKSUM_BYTES
        file.seek(0)
        parts = []
        while left > 0:
            data = file.read(min(left, _CHUNK))
            if not data:
                return False
            parts.append(hash256(data))
            left -= len(data)
        return bool(parts) and hash128(b"".join(parts)) == file.read()
