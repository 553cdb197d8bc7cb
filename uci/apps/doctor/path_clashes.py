"""Other packages that are called like ours, where Python finds them first."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

from uci.apps.doctor.check import Check, Status
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.own_process import ROOT

OURS = {"engine": "jit", "uci": "session", "pythagoras": "transport.py"}
"""Our packages, each with what tells that it is ours."""


def check_packages(_: Findings) -> Check:
    """Check that no other package of our names is found before ours.

    The command has its own whatever is found; a program that imports `pythagoras` has not.
    """
    others = [place for name, part in OURS.items() if (place := _other(name, part))]
    found = ", ".join(map(str, others)) if others else "ours first"
    mend = "rename it, or take its folder out of PYTHONPATH: Python imports it in place of ours"
    status: Status = "wrong" if others else "ok"
    return Check("packages", status, found, "no others of our names", mend if others else "")


def _other(name: str, part: str) -> Path | None:
    """Return where Python finds another package ``name`` first; ``None`` if it is ours, or none."""
    spec = PathFinder.find_spec(name, _path())
    if spec is None:
        return None
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    if places and (places[0] / part).exists():
        return None
    return places[0] if places else Path(spec.origin or name)


def _path() -> list[str]:
    """Return Python's path as a program has it: without what a checkout puts first."""
    return [*sys.path, str(ROOT)]
