"""How long scripts and tests wait for an engine, in seconds."""

PATIENCE = 10.0
"""An answer of a ready engine on the busiest machine: later, the engine hangs."""

FOREVER = 60.0
"""What never ends by itself: far more than `PATIENCE`."""

COLD = 900.0
"""An answer of an engine that may have to compile on a busy machine: later, it hangs."""

SILENCE = 120.0
"""A line of any engine under any load, where nothing has to compile: later, it counts as hung."""
