"""The former name of `uci.apps.engines.preload`."""

from uci.apps.engines.preload import dask_setup

__all__ = ("dask_setup",)
