"""Timeouts of scripts and tests for engines, in seconds."""

PATIENCE = 10.0
"""For an answer of a ready engine: one that takes longer hangs, even on a busy machine."""

FOREVER = 60.0
"""For work that never ends by itself: far more than `PATIENCE`."""

COLD = 900.0
"""For an answer of an engine that may have to compile on a busy machine."""

SILENCE = 120.0
"""For a line of any engine under any load, if nothing has to be compiled."""
