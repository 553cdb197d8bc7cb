"""The search's parameters as options, with ``PYTHAGORAS_TUNE=1`` in the environment."""

import os

from uci.protocol.options import Option


def tuning_options() -> tuple[Option, ...]:
    """Return an option for every parameter of the search; none unless tuning."""
    if os.environ.get("PYTHAGORAS_TUNE") != "1":  # before the slow import of the engine
        return ()
    import engine.search.pvs  # noqa: F401  (declares them)
    from engine.search.parameters import PARAMETERS

    return tuple(
        Option(each.name, "spin", "A parameter.", each.default, each.low, each.high)
        for each in PARAMETERS
    )
