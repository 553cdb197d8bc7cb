"""What makes compiling faster leaves no trace."""

import gc

import pytest

from engine.garbage import collecting_rarely
from engine.kernel import COMPILED


def test_garbage_is_collected_as_before() -> None:
    usual = gc.get_threshold()
    with collecting_rarely():
        assert gc.get_threshold() > usual
    assert gc.get_threshold() == usual


@pytest.mark.skipif(not COMPILED, reason="there is no numba to be like")
def test_flags_are_what_numba_says() -> None:
    from numba.core.compiler import Flags
    from numba.core.targetconfig import TargetConfig

    assert Flags.values is not TargetConfig.values
    flags, same, other = Flags(), Flags(), Flags()
    flags.release_gil = same.release_gil = True
    assert flags.values() == TargetConfig.values(flags)
    assert flags == same != other
    assert hash(flags) == hash(same)
