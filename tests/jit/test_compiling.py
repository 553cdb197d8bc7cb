"""The accelerations of compiling change nothing else."""

import gc
import itertools
import operator
import threading
from collections.abc import Callable
from typing import Any

import pytest

from engine.jit.gc_pauses import collecting_rarely
from engine.jit.kernel import COMPILED


def test_garbage_is_collected_as_before() -> None:
    usual = gc.get_threshold()
    with collecting_rarely():
        assert gc.get_threshold() > usual
    assert gc.get_threshold() == usual


def test_the_last_of_several_restores_the_collector() -> None:
    usual = gc.get_threshold()
    first, second = collecting_rarely(), collecting_rarely()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() > usual
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


compiled = pytest.mark.skipif(not COMPILED, reason="there is no numba to be like")


@compiled
def test_flags_are_what_numba_says() -> None:
    from numba.core.compiler import Flags
    from numba.core.targetconfig import TargetConfig

    from engine.jit.typing_memory import remembering_types

    flags, same, other = Flags(), Flags(), Flags()
    flags.release_gil = same.release_gil = True
    with remembering_types():
        assert Flags.values is not TargetConfig.values
        assert flags.values() == TargetConfig.values(flags)
        assert flags == same != other
        assert hash(flags) == hash(same)
    assert Flags.values is TargetConfig.values


@compiled
@pytest.mark.parametrize("function", [operator.add, operator.lt, abs, len])
def test_signatures_are_what_numba_finds(function: Callable[..., Any]) -> None:
    from numba.core import types
    from numba.core.registry import cpu_target
    from numba.core.types.functions import BaseFunction

    from engine.jit.typing_memory import remembering_types

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
            with remembering_types():
                assert types.Function.get_call_type is not BaseFunction.get_call_type
                assert known.get_call_type(context, call, {}) == expected
                assert context.resolve_function_type(function, call, {}) == expected


@compiled
def test_what_does_not_type_is_found_out_every_time() -> None:
    from numba.core import errors, types
    from numba.core.registry import cpu_target

    from engine.jit.typing_memory import remembering_types

    context = cpu_target.typing_context
    context.refresh()
    for _ in range(2):
        with pytest.raises(errors.TypingError), remembering_types():
            context.resolve_function_type(operator.add, (types.int64, types.none), {})


@compiled
def test_only_the_thread_that_compiles_tells_no_clock() -> None:
    from numba.core import event

    from engine.jit.typing_memory import remembering_types

    heard: list[int] = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            heard.append(event.data)

        def on_end(self, event: Any) -> None:
            heard.append(-event.data)

    def tell(number: int) -> None:
        event.start_event("test", data=number)
        event.end_event("test", data=number)

    with event.install_listener("test", Listener()):
        with remembering_types(), remembering_types():
            tell(1)
            other = threading.Thread(target=tell, args=(2,))
            other.start()
            other.join()
        tell(3)
    assert heard == [2, -2, 3, -3]
