"""What makes compiling faster leaves no trace."""

import gc
import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest

from engine.garbage import collecting_rarely
from engine.kernel import COMPILED


def test_garbage_is_collected_as_before() -> None:
    usual = gc.get_threshold()
    with collecting_rarely():
        assert gc.get_threshold() > usual
    assert gc.get_threshold() == usual


compiled = pytest.mark.skipif(not COMPILED, reason="there is no numba to be like")


@compiled
def test_flags_are_what_numba_says() -> None:
    from numba.core.compiler import Flags
    from numba.core.targetconfig import TargetConfig

    assert Flags.values is not TargetConfig.values
    flags, same, other = Flags(), Flags(), Flags()
    flags.release_gil = same.release_gil = True
    assert flags.values() == TargetConfig.values(flags)
    assert flags == same != other
    assert hash(flags) == hash(same)


@compiled
@pytest.mark.parametrize("function", [operator.add, operator.lt, abs, len])
def test_signatures_are_what_numba_finds(function: Callable[..., Any]) -> None:
    from numba.core import types
    from numba.core.registry import cpu_target
    from numba.core.types.functions import BaseFunction

    assert types.Function.get_call_type is not BaseFunction.get_call_type
    context = cpu_target.typing_context
    context.refresh()
    known = context.resolve_value_type(function)
    numbers = [types.int64, types.uint64, types.int32, types.float64, types.literal(3)]
    if function is len:
        calls: list[tuple[Any, ...]] = [(types.int64[::1],), (types.UniTuple(types.int64, 3),)]
    else:
        calls = list(itertools.product(numbers, repeat=1 if function is abs else 2))
    for call in calls:
        expected = BaseFunction.get_call_type(known, context, call, {})
        for _ in range(2):
            assert known.get_call_type(context, call, {}) == expected
            assert context.resolve_function_type(function, call, {}) == expected


@compiled
def test_what_does_not_type_is_found_out_every_time() -> None:
    from numba.core import errors, types
    from numba.core.registry import cpu_target

    context = cpu_target.typing_context
    context.refresh()
    for _ in range(2):
        with pytest.raises(errors.TypingError):
            context.resolve_function_type(operator.add, (types.int64, types.none), {})
