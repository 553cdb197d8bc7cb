"""Data that several checks need: trials of the engine in its own process, and a start-up."""

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uci.apps.doctor import child_process, probe
from uci.apps.doctor.result import REINSTALL_COMPILER, Skipped, Wrong

WARM_SECONDS, COLD_SECONDS = 120.0, 900.0
"""Timeouts in seconds, generous even for slow machines."""


@dataclass(frozen=True, slots=True)
class StartUp:
    """Seconds to ``uciok`` and ``readyok``, 0 if missing; the info strings until then."""

    uciok: float
    readyok: float
    messages: tuple[str, ...]


class ProbeResults:
    """The results of the steps of `uci.apps.doctor.probe`, and how its process failed."""

    def __init__(self, steps: Mapping[str, Any], end: str) -> None:
        """Keep the ``steps`` by name; ``end`` is how the process failed, empty if it did not."""
        self.steps = steps
        self._end = end

    def value(self, name: str) -> Any:
        """Return the result of a step; ``None`` if it failed or did not run."""
        found = self.steps.get(name)
        return None if probe.failed(found) else found

    def missing(self, name: str) -> bool:
        """Return whether a package is not installed."""
        return self.value(name) is None and (self.steps.get(name) or {}).get("missing") == name

    def failure(self, *names: str) -> str:
        """Return the error of the first of these steps that failed; empty if none did."""
        unreached = next((each for each in probe.STEPS if each not in self.steps), "")
        for name in names:
            found = self.steps.get(name)
            if isinstance(found, dict) and probe.failed(found):
                return str(found.get("error") or f"{found['missing']} is missing")
            if name == unreached and self._end:
                return self._end
        return ""

    def require(self, *names: str, fix: str = REINSTALL_COMPILER) -> Any:
        """Return the result of the last of these steps.

        Raises `Wrong` if one of them failed, `Skipped` if the last did not run.
        """
        if why := self.failure(*names):
            raise Wrong(why, fix)
        if (found := self.value(names[-1])) is None:
            raise Skipped("depends on a failed check above")
        return found


class Diagnostics:
    """Collects each piece of data once, when a check first needs it."""

    def __init__(self, options: Mapping[str, str], cold: Path | None = None) -> None:
        """Use these values of UCI ``options``; also compile into the folder ``cold``, unless
        None."""
        self.options = options
        self.cold = cold

    @functools.cached_property
    def probe(self) -> ProbeResults:
        """The trial of the engine as it is installed; nothing is compiled."""
        return ProbeResults(*child_process.json_lines(probe.__name__, {}, WARM_SECONDS))

    @functools.cached_property
    def cold_probe(self) -> ProbeResults | None:
        """The trial of the engine compiled from scratch; ``None`` without a folder."""
        if self.cold is None:
            return None
        place = str(self.cold)
        variables = {"XDG_CACHE_HOME": place, "LOCALAPPDATA": place, probe.COMPILE: "1"}
        return ProbeResults(*child_process.json_lines(probe.__name__, variables, COLD_SECONDS))

    def require_package(self, name: str) -> None:
        """Raise `Skipped` unless a package can be imported."""
        if self.probe.value(name) is None:
            raise Skipped(f"needs {name}")

    def engine_result(self, name: str, compiled: bool = True) -> Any:
        """Return the result of an engine step, of the warm or else the cold trial. Raises
        `NotOk`."""
        kernels = self.probe.value("kernels")
        if kernels is None or (compiled and not kernels["compiled"]):
            raise Skipped("needs compiled code")
        for results in (self.probe, self.cold_probe):
            if results is not None and results.value("load") is not None:
                return results.require(name)
        if not self.probe.failure("warm", "load"):
            raise Skipped("nothing is compiled yet")
        return self.probe.require(name)

    @functools.cached_property
    def start_up(self) -> StartUp:
        """A start as a chess GUI performs it, until ``readyok``."""
        began = time.perf_counter()
        times = dict.fromkeys(("uciok", "readyok"), 0.0)
        messages = []
        with child_process.child("uci.cli.parser", WARM_SECONDS) as engine:
            assert engine.stdin
            assert engine.stdout
            try:
                engine.stdin.write("uci\nisready\n")
                engine.stdin.flush()
                for line in map(str.strip, engine.stdout):
                    if line in times:
                        times[line] = time.perf_counter() - began
                    elif line.startswith("info string "):
                        messages.append(line.removeprefix("info string "))
                    if line == "readyok":
                        break
            except OSError:
                pass  # the engine has ended
        return StartUp(times["uciok"], times["readyok"], tuple(messages))
