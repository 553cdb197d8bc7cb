"""What several checks ask of: the engine tried apart, and a start as a chess program makes it."""

import functools
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from uci.apps.doctor import own_process, probe

WARM_SECONDS, COLD_SECONDS = 120.0, 900.0
"""What takes longer than this, on the slowest machine, has stopped."""


@dataclass(frozen=True, slots=True)
class EngineStart:
    """Seconds to ``uciok`` and ``readyok``, and what it told meanwhile; or how it ended."""

    hello: float
    ready: float
    told: tuple[str, ...]
    trouble: str = ""


class Probed:
    """What the steps of `uci.apps.doctor.probe` told, and how they ended."""

    def __init__(self, steps: Mapping[str, Any], end: str) -> None:
        """Keep the ``steps``; the ``end`` is empty if the process ended in peace."""
        self.steps = steps
        self._failed = {name: found for name, found in steps.items() if probe.failed(found)}
        self._end = end

    def step(self, name: str) -> Any:
        """Return what a step told; ``None`` if it failed, or was not taken."""
        return None if name in self._failed else self.steps.get(name)

    def missing(self, name: str) -> bool:
        """Return whether a package is not there at all."""
        return bool(self._failed.get(name, {}).get("missing") == name)

    def failure(self, name: str) -> str:
        """Return why a step failed; empty if it did not, or was not to be taken."""
        if found := self._failed.get(name):
            return str(found.get("error") or f"{found['missing']} is missing")
        reached = next((each for each in probe.STEPS if each not in self.steps), "")
        return self._end if name == reached else ""

    def first_failure(self, *names: str) -> str:
        """Return why the first of some steps that failed did; empty if none did."""
        return next(filter(None, map(self.failure, names)), "")


class Findings:
    """Finds out each thing once, when a check asks for it."""

    def __init__(self, given: Mapping[str, str], cold: Path | None = None) -> None:
        """Have the values ``given`` to options; compile into the folder ``cold``, if given one."""
        self.given = given
        self.cold = cold

    @functools.cached_property
    def probe(self) -> Probed:
        """The engine as it is installed; nothing is compiled."""
        return Probed(*own_process.steps_of("uci.apps.doctor.probe", {}, WARM_SECONDS))

    @functools.cached_property
    def cold_probe(self) -> Probed | None:
        """The engine compiled from nothing; ``None`` if nobody asked for it."""
        if self.cold is None:
            return None
        place = str(self.cold)
        variables = {"XDG_CACHE_HOME": place, "LOCALAPPDATA": place, probe.COMPILE: "1"}
        return Probed(*own_process.steps_of("uci.apps.doctor.probe", variables, COLD_SECONDS))

    @property
    def imports_engine(self) -> bool:
        """Whether what the engine imports is there; numba may be missing, but not broken."""
        numba = self.probe.step("numba") is not None or self.probe.missing("numba")
        return numba and self.probe.step("numpy") is not None

    @property
    def engine(self) -> Probed | None:
        """The engine that could be loaded, warm or else cold."""
        for found in (self.probe, self.cold_probe):
            if found is not None and found.step("load") is not None:
                return found
        return None

    def counted(self, name: str) -> Any:
        """Return what a step of that engine told; ``None`` without an engine."""
        return None if self.engine is None else self.engine.step(name)

    @functools.cached_property
    def start(self) -> EngineStart:
        """A start as a chess program makes it, from nothing to ``readyok``."""
        began = time.perf_counter()
        hello, ready, told = 0.0, 0.0, list[str]()
        with subprocess.Popen(
            own_process.command("uci.cli.parser"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, encoding="utf-8", errors="replace",
        ) as engine:  # fmt: skip
            guard = threading.Timer(WARM_SECONDS, engine.kill)
            guard.start()
            assert engine.stdin
            assert engine.stdout
            try:
                engine.stdin.write("uci\nisready\n")
                engine.stdin.flush()
                for line in engine.stdout:
                    if line.startswith("uciok"):
                        hello = time.perf_counter() - began
                    elif line.startswith("readyok"):
                        ready = time.perf_counter() - began
                        break
                    elif line.startswith("info string "):
                        told.append(line.removeprefix("info string ").strip())
            except OSError:
                pass  # it has ended
            finally:
                guard.cancel()
                engine.kill()
        trouble = "" if ready else "it ended, and was not ready"
        return EngineStart(hello, ready, tuple(told), trouble)
