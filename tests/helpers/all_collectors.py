"""Every collector at once, watching one search."""

from engine.lab.collectors.collector import together
from engine.lab.collectors.line import LINE, LINE_TRIANGULAR
from engine.lab.laboratory import Lab
from engine.lab.registry import COLLECTORS

OWN_HANDLES = ("triangular, incremental", "line", "line, triangular", "line, np.empty")
WATCHERS = tuple(
    collector
    for name, collector in COLLECTORS.items()
    if name not in (*OWN_HANDLES, "none", "hash_walk, unprotected")
)
ALL = together("all", (*WATCHERS, LINE))
ALL_PVS = together("all too", (*WATCHERS, LINE_TRIANGULAR))
"""All collectors in one search, of which only one can have a buffer on its stack."""


def lab_for(search: str) -> Lab:
    return Lab(search, ALL_PVS if search == "PVS" else ALL)
