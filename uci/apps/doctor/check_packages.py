"""Checks of Python and the packages: installed, in a supported version, not shadowed."""

import functools
import platform
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from uci.apps.console.extras import install_command, project, reinstall_command
from uci.apps.console.own_command import ROOT
from uci.apps.doctor.check import Check, check
from uci.apps.doctor.check_files import OURS
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.probe import PACKAGES
from uci.apps.doctor.result import Note, Wrong

NEWEST_NUMPY = 2, 5
"""The newest tested numpy; `engine.jit` has that of numba."""


@functools.cache
def requirements() -> dict[str, str]:
    """Return the version specifiers by package, and ``Python``; ``tested`` is the newest Python."""
    tested = [row.split()[-1] for row in project().classifiers if "Python :: 3." in row]
    found = {"Python": project().python, "tested": tested[-1] if tested else "3.99"}
    for need in project().packages:
        name = need.split("<")[0].split(">")[0].split("=")[0].split("[")[0]
        found[name] = need.removeprefix(name)
    return found


def numbers(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    first, second, *_ = [*version.split("."), "0", "0"]
    return int(first), int("".join(filter(str.isdigit, second)) or 0)


def fits(version: str, specifier: str) -> bool:
    """Return whether a version satisfies ``>=`` and ``<`` of a specifier."""
    for part in filter(None, specifier.split(",")):
        bound = numbers(part.lstrip("<>="))
        if numbers(version) < bound if part.startswith(">=") else numbers(version) >= bound:
            return False
    return True


def python_version() -> str:
    """Return the name and version of this Python."""
    return f"{platform.python_implementation()} {'.'.join(map(str, sys.version_info[:3]))}"


@check("Python", lambda: requirements()["Python"])
def python(_: Diagnostics) -> str:
    """Check the version of Python."""
    narrow = sys.maxsize < 1 << 32
    found = f"{python_version()}, 32 bit" if narrow else python_version()
    specifier, tested = requirements()["Python"], requirements()["tested"]
    if not fits(found.split()[1].rstrip(","), specifier):
        raise Wrong(found, f"install Python {specifier}")
    if sys.version_info[:2] > numbers(tested) or not found.startswith("CPython") or narrow:
        raise Note(found, f"not tested; use 64-bit CPython {tested}")
    return found


def package_check(name: str, *below: str) -> Check:
    """Return the check of a package, and of the packages ``below`` that only it imports."""

    def find(diagnostics: Diagnostics) -> str:
        if name == "numba":  # a broken numpy also breaks numba, and is already reported
            diagnostics.require_package("numpy")
        probe, specifier = diagnostics.probe, requirements().get(name, "")
        fix = reinstall_command(f"{name}{specifier}")
        if probe.missing(name):
            raise Wrong("missing", fix)
        if why := probe.failure(name, *below):
            raise Wrong(f"broken: {why}", fix)
        version = str(probe.require(name)["version"])
        if not fits(version, specifier):
            raise Wrong(version, fix)
        if name == "numpy" and numbers(version) > NEWEST_NUMPY:
            raise Note(version, "not tested; if there are problems, install an older version")
        slower = (probe.value("kernels") or {}).get("slower")
        if name == "numba" and slower:
            raise Note(version, slower)
        return version

    return Check(name, lambda: requirements().get(name, ""), find)


numpy = package_check("numpy")
numba = package_check("numba", "llvmlite")
chess = package_check("chess")


@check("extras", "analysis, for HTML reports")
def extras(diagnostics: Diagnostics) -> str:
    """Check that installed extras work, and report which are not installed."""
    probe = diagnostics.probe
    modules = {extra: {*map(_module, needs)} for extra, needs in project().extras.items()}
    for name in PACKAGES:
        used = any(name in each for each in modules.values())
        if used and not probe.missing(name) and (why := probe.failure(name)):
            raise Wrong(f"{name} is broken: {why}", reinstall_command(name))
    whole = [extra for extra, needs in modules.items() if all(map(find_spec, needs))]
    found = ", ".join(whole) or "none"
    if "analysis" not in whole:
        needs = project().extras.get("analysis", ["jinja2"])
        raise Note(found, f"{install_command(*needs)}, for HTML reports of games")
    return found


def _module(requirement: str) -> str:
    return requirement.partition(">")[0].partition("[")[0].replace("-", "_")


@check("packages", "no other packages with our names")
def name_clashes(_: Diagnostics) -> str:
    """Check that Python finds no other package with one of our names before ours.

    The command always imports its own; a program that imports `pythagoras` does not.
    """
    others = [str(place) for name, part in OURS.items() if (place := _other(name, part))]
    if others:
        fix = "rename it, or remove its folder from PYTHONPATH: Python imports it instead of ours"
        raise Wrong(", ".join(others), fix)
    return "ours first"


def _other(name: str, part: str) -> Path | None:
    """Return where Python finds another package ``name``; ``None`` if there is none."""
    spec = PathFinder.find_spec(name, [*sys.path, str(ROOT)])
    if spec is None:
        return None
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    if places and (places[0] / part).exists():
        return None
    return places[0] if places else Path(spec.origin or name)
