"""Machine instructions that Python does not have, each with a Python twin for the interpreter.

Bitboards are ``uint64``; counts and squares are ``int64``; addresses are ``int64``.
"""

import ctypes
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.jit.kernel import COMPILED

_Word: TypeAlias = int | np.int64


def _popcount(bitboard: np.uint64) -> np.int64:
    return np.int64(int(bitboard).bit_count())


def _lsb(bitboard: np.uint64) -> np.int64:
    value = int(bitboard)
    return np.int64((value & -value).bit_length() - 1)


def _load(address: int | np.int64) -> np.uint64:
    return np.uint64(ctypes.c_uint64.from_address(int(address)).value)


def _store(address: int | np.int64, value: np.uint64) -> None:
    ctypes.c_uint64.from_address(int(address)).value = int(value)


def _prefetch(address: int | np.int64) -> None:
    """Do nothing: the interpreter has no use for a hint to the cache."""


def _alloca(length: np.int64) -> NDArray[np.uint16]:
    return np.empty(length, np.uint16)


def _address(buffer: NDArray[np.uint16]) -> np.int64:
    return np.int64(buffer.ctypes.data)


def _load_big_endian(address: int | np.int64) -> np.uint64:
    return np.uint64(int.from_bytes(ctypes.string_at(int(address), 8), "big"))


def _read_file(pread: _Word, file: _Word, buffer: _Word, size: _Word, at: _Word) -> np.int64:
    try:
        data = os.pread(int(file), int(size), int(at))
    except OSError:
        return np.int64(-1)
    ctypes.memmove(int(buffer), data, len(data))
    return np.int64(len(data))


_DIRECTIONS = (
    *((8, 0xFF), (1, 0x0101010101010101), (-8, 0xFF << 56), (-1, 0x8080808080808080)),
    *((9, 0x01010101010101FF), (7, 0x80808080808080FF)),
    *((-9, 0xFF80808080808080), (-7, 0xFF01010101010101)),
)
"""Of a rook and of a bishop: how far a step goes, and the squares where none ends."""


def _slider_attacks(
    rooks: np.uint64, bishops: np.uint64, occupied: np.uint64
) -> tuple[np.uint64, np.uint64]:
    found = [0, 0]
    for index, (step, wrapped) in enumerate(_DIRECTIONS):
        moved = int(bishops if index >= 4 else rooks)
        while moved:
            moved = (moved << step if step > 0 else moved >> -step) & ~wrapped & (1 << 64) - 1
            found[index // 4] |= moved
            moved &= ~int(occupied)
    return np.uint64(found[0]), np.uint64(found[1])


def _record_reader(dtype: np.dtype[Any]) -> Callable[[_Word], Any]:
    def record_at(address: _Word) -> Any:
        """Return the record at ``address``."""
        memory = memoryview((ctypes.c_char * dtype.itemsize).from_address(int(address)))
        return np.ndarray(1, dtype, memory).view(np.recarray)[0]

    return record_at


popcount, lsb, load, store, prefetch = _popcount, _lsb, _load, _store, _prefetch
alloca, address = _alloca, _address
load_big_endian, read_file = _load_big_endian, _read_file
slider_attacks = _slider_attacks

if COMPILED:
    from llvmlite import ir
    from numba import from_dtype, types
    from numba.extending import intrinsic

    _I1, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
    _BYTES = ir.IntType(8).as_pointer()
    _MOVES = types.CPointer(types.uint16)

    def _llvm(
        builder: ir.IRBuilder, name: str, result: ir.Type, arguments: list[ir.Value]
    ) -> ir.Value:
        signature = ir.FunctionType(result, [argument.type for argument in arguments])
        function = builder.module.globals.get(name) or ir.Function(builder.module, signature, name)
        return builder.call(function, arguments)

    @intrinsic
    def popcount(typing_context: Any, bitboard: Any) -> Any:
        """Return the number of set bits."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return _llvm(builder, "llvm.ctpop.i64", _I64, [arguments[0]])

        return types.int64(types.uint64), generate

    @intrinsic
    def lsb(typing_context: Any, bitboard: Any) -> Any:
        """Return the square of the lowest set bit; undefined for an empty bitboard."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return _llvm(builder, "llvm.cttz.i64", _I64, [arguments[0], _I1(1)])

        return types.int64(types.uint64), generate

    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:
        """Return the 64-bit word at ``address``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return builder.load(builder.inttoptr(arguments[0], _I64.as_pointer()))

        return types.uint64(types.int64), generate

    @intrinsic
    def store(typing_context: Any, address: Any, value: Any) -> Any:
        """Write the 64-bit ``value`` at ``address``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            builder.store(arguments[1], builder.inttoptr(arguments[0], _I64.as_pointer()))
            return context.get_dummy_value()

        return types.void(types.int64, types.uint64), generate

    @intrinsic
    def prefetch(typing_context: Any, address: Any) -> Any:
        """Prefetch the cache line at ``address``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], _BYTES)
            hints = [_I32(0), _I32(3), _I32(1)]
            _llvm(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
            return context.get_dummy_value()

        return types.void(types.int64), generate

    @intrinsic
    def alloca(typing_context: Any, length: Any) -> Any:
        """Return an uninitialised buffer of ``length`` 16-bit words on the calling kernel's stack.

        The buffer is invalid once that kernel has returned.
        """

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return builder.alloca(ir.IntType(16), size=arguments[0])

        return _MOVES(types.int64), generate

    @intrinsic
    def address(typing_context: Any, buffer: Any) -> Any:
        """Return the address of a buffer of `alloca`."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            return builder.ptrtoint(arguments[0], _I64)

        return types.int64(_MOVES), generate

    @intrinsic
    def load_big_endian(typing_context: Any, address: Any) -> Any:
        """Return the 64-bit word at ``address``, whose first byte is the highest."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            word = builder.load(builder.inttoptr(arguments[0], _I64.as_pointer()), align=1)
            return _llvm(builder, "llvm.bswap.i64", _I64, [word])

        return types.uint64(types.int64), generate

    @intrinsic
    def read_file(
        typing_context: Any, pread: Any, file: Any, buffer: Any, size: Any, at: Any
    ) -> Any:
        """Read ``size`` bytes at the place ``at`` of an open ``file`` to the address ``buffer``.

        ``pread`` is the address of the system's function. Return the number of bytes read, -1
        after an error.
        """

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            pread, file, buffer, size, at = arguments
            kind = ir.FunctionType(_I64, [_I32, _BYTES, _I64, _I64])
            function = builder.inttoptr(pread, kind.as_pointer())
            file, buffer = builder.trunc(file, _I32), builder.inttoptr(buffer, _BYTES)
            return builder.call(function, [file, buffer, size, at])

        return types.int64(*[types.int64] * 5), generate

    _BITBOARDS = ir.VectorType(_I64, 8)
    _UNDEFINED = ir.Constant(_BITBOARDS, ir.Undefined)
    _REACHABLE = ir.Constant(_BITBOARDS, [~wrapped & (1 << 64) - 1 for _, wrapped in _DIRECTIONS])

    def _select(builder: ir.IRBuilder, vector: ir.Value, places: list[int]) -> ir.Value:
        kind = ir.VectorType(_I32, len(places))
        return builder.shuffle_vector(vector, _UNDEFINED, ir.Constant(kind, places))

    def _moved(builder: ir.IRBuilder, vector: ir.Value, times: int) -> ir.Value:
        """Rotate each bitboard by ``times`` steps in its direction."""
        steps = ir.Constant(_BITBOARDS, [step * times % 64 for step, _ in _DIRECTIONS])
        return _llvm(builder, "llvm.fshl.v8i64", _BITBOARDS, [vector, vector, steps])

    @intrinsic
    def slider_attacks(typing_context: Any, rooks: Any, bishops: Any, occupied: Any) -> Any:
        """Return the squares that all ``rooks`` and those that all ``bishops`` attack.

        A vector has a bitboard for each direction; all are filled at once, without a branch (the
        Kogge-Stone algorithm: Steffen Westcott and Gerd Isenberg, Chess Programming Wiki).
        """

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            given = _UNDEFINED
            for place, squares in enumerate(arguments):
                given = builder.insert_element(given, squares, _I32(place))
            filled = _select(builder, given, [0] * 4 + [1] * 4)
            free = builder.and_(builder.not_(_select(builder, given, [2] * 8)), _REACHABLE)
            for times in (1, 2, 4):
                filled = builder.or_(filled, builder.and_(free, _moved(builder, filled, times)))
                free = builder.and_(free, _moved(builder, free, times))
            attacked = builder.and_(_moved(builder, filled, 1), _REACHABLE)
            found = []
            for first in (0, 4):
                half = _select(builder, attacked, [*range(first, first + 4)])
                found.append(_llvm(builder, "llvm.vector.reduce.or.v4i64", _I64, [half]))
            return context.make_tuple(builder, signature.return_type, found)

        return types.UniTuple(types.uint64, 2)(*[types.uint64] * 3), generate


def record_reader(dtype: np.dtype[Any]) -> Callable[[_Word], Any]:
    """Return an intrinsic that returns the record of ``dtype`` at an address."""
    twin = _record_reader(dtype)
    if not COMPILED:
        return twin

    @intrinsic
    def record_at(typing_context: Any, address: Any) -> Any:
        """Return the record at ``address``."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(signature.return_type)
            return builder.inttoptr(arguments[0], kind)

        return from_dtype(dtype)(types.int64), generate

    TWINS[record_at] = twin
    reader: Callable[[_Word], Any] = record_at
    return reader


def caller(function: Callable[..., Any], dtype: np.dtype[Any]) -> Callable[..., Any]:
    """Return an intrinsic that calls the machine code at an address with the address of a record of
    ``dtype`` and three numbers, and returns a number.

    See `engine.jit.kernel.code_address`. Interpreted, ``function`` is called with the record.
    """

    def twin(address: _Word, *arguments: Any) -> Any:
        """Call ``function``, whatever the address."""
        return function(*arguments)

    if not COMPILED:
        return twin

    @intrinsic
    def call_at(
        typing_context: Any, address: Any, record: Any, first: Any, second: Any, third: Any
    ) -> Any:
        """Return what the machine code at ``address`` returns."""

        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            address, record, *numbers = arguments
            kind = ir.FunctionType(_I64, [_I64] * (1 + len(numbers)))
            function = builder.inttoptr(address, kind.as_pointer())
            return builder.call(function, [builder.ptrtoint(record, _I64), *numbers])

        return types.int64(types.int64, from_dtype(dtype), *[types.int64] * 3), generate

    TWINS[call_at] = twin
    call: Callable[..., Any] = call_at
    return call


TWINS: dict[Any, Any] = {
    popcount: _popcount,
    lsb: _lsb,
    load: _load,
    store: _store,
    prefetch: _prefetch,
    alloca: _alloca,
    address: _address,
    load_big_endian: _load_big_endian,
    read_file: _read_file,
    slider_attacks: _slider_attacks,
}
"""The Python twin of each intrinsic, for running Python in a process that has machine code."""
