"""The engine and what it needs, tried step by step, in a process of its own.

Each step prints a line of JSON: what comes after a step that ends the process is missing.
"""

import json
import os
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from uci.apps.doctor.known_counts import PERFT, PERFT_INTERPRETED
from uci.errors import reason

PACKAGES = "numpy", "llvmlite", "numba", "chess", "rich", "jinja2"
"""Imported in this order, each by those after it that need it."""

COMPILE = "PYTHAGORAS_DOCTOR_COMPILES"
"""The variable that lets the probe compile what is not compiled yet."""

ROUNDS = 3
"""Times that speed is measured; the best counts, since other processes only ever slow it down."""

SMALL_PAGES = "small"


def main() -> None:
    """Take all steps. One that raises is told; of those of the engine it ends the others."""
    for name in PACKAGES:
        _take(name, partial(_package, name))
    for name, step in APART.items():
        _take(name, step)
    for name, step in ENGINE.items():
        if not _take(name, step):
            return


def _take(name: str, step: Callable[[], Any]) -> bool:
    """Take a step and print what it returns; return whether to go on."""
    found: Any
    try:
        found = step()
    except Exception as error:  # noqa: BLE001  (anything may be broken)
        missing = isinstance(error, ModuleNotFoundError) and error.name
        found = {"missing": missing} if missing else {"error": reason(error)}
    print(json.dumps({name: found}), flush=True)
    return found is not None and not failed(found)


def failed(found: Any) -> bool:
    """Return whether a step told that it failed."""
    return isinstance(found, dict) and bool({"missing", "error"} & found.keys())


def _package(name: str) -> dict[str, str]:
    module = import_module(name)
    version = getattr(module, "__version__", None) or metadata.version(name)
    return {"version": str(version)}


def _processor() -> dict[str, Any]:
    """The processor's name and all its features, as LLVM calls them."""
    binding = import_module("llvmlite.binding")
    features = binding.get_host_cpu_features()
    return {
        "name": binding.get_host_cpu_name(),
        "features": sorted(name for name, there in features.items() if there),
    }


def _settings() -> dict[str, Any]:
    """What numba's settings make of the processor, and whether it compiles."""
    config = import_module("numba").config
    return {
        "processor": config.CPU_NAME or "", "features": config.CPU_FEATURES,
        "interpreted": bool(config.DISABLE_JIT),
    }  # fmt: skip


def _network() -> str:
    from engine.evaluation.network import default_network, fingerprint

    return fingerprint(default_network())


def _large_pages() -> str:
    """How much of what asks for large pages lies on them: ``all``, ``some`` or ``small``."""
    from engine.memory.large_pages import LARGE_PAGE, allocate

    memory = allocate(4 * LARGE_PAGE)
    memory[:] = 1
    kilobytes, inside = 0, False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        head = line.partition(" ")[0]
        if "-" in head:
            low, high = (int(number, 16) for number in head.split("-"))
            inside = low <= memory.ctypes.data < high
        elif inside and head == "AnonHugePages:":
            kilobytes = int(line.split()[1])
    if kilobytes << 10 >= memory.size:
        return "all"
    return "some" if kilobytes else SMALL_PAGES


def _kernels() -> dict[str, Any]:
    from engine.jit import kernel

    return {"compiled": kernel.COMPILED, "slower": kernel.slower()}


def _is_warm() -> bool | None:
    """Whether all kernels are there, compiled; ``None`` where they are not and must not be."""
    from engine.jit import kernel
    from uci.session.backend import import_entry_points

    import_entry_points()
    if kernel.is_warm():
        return True
    return False if COMPILE in os.environ else None


def _load() -> dict[str, Any]:
    from engine.jit import kernel
    from uci.session.backend import load

    said: list[str] = []
    start = time.perf_counter()
    load(said.append)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "said": said, "unkept": kernel.unkept()}


def _perft() -> list[tuple[str, int, int, int]]:
    """Known positions, each with its depth, the count that is known, and that of the engine."""
    from engine.board.perft import perft
    from engine.board.position import new_position
    from engine.jit import kernel
    from uci.chess_io.convert import board_of, fill

    found = []
    for fen, depth, known in PERFT if kernel.COMPILED else PERFT_INTERPRETED:
        position = new_position()
        fill(position, board_of(fen))
        found.append((fen, depth, known, perft(position, depth) or 0))
    return found


def _bench() -> int | None:
    """The nodes of the small bench; ``None`` without compiled code, which it would take minutes."""
    from engine.jit import kernel

    return _small_bench()[0] if kernel.COMPILED else None


def _small_bench() -> tuple[int, int]:
    """Return nodes and nodes per second."""
    from uci.session.bench import CHECK_DEPTH, bench

    *_, summary = bench(CHECK_DEPTH, 1, lambda: False)
    nodes, _, speed, _ = summary.split()
    return int(nodes), int(speed)


def _speed() -> tuple[int, int]:
    """Nodes of the search and leaves of perft in a second, measured by turns."""
    from engine.board.perft import perft
    from engine.board.position import new_position
    from uci.chess_io.convert import board_of, fill

    fen, depth, known = PERFT[0]
    position = new_position()
    fill(position, board_of(fen))
    nodes = leaves = 0
    for _ in range(ROUNDS):
        nodes = max(nodes, _small_bench()[1])
        start = time.perf_counter()
        perft(position, depth)
        leaves = max(leaves, int(known / (time.perf_counter() - start)))
    return nodes, leaves


APART: dict[str, Callable[[], Any]] = {
    "processor": _processor,
    "settings": _settings,
    "network": _network,
    "large pages": _large_pages,
}
"""Steps that need none before them."""

ENGINE: dict[str, Callable[[], Any]] = {
    "kernels": _kernels,
    "warm": _is_warm,
    "load": _load,
    "perft": _perft,
    "bench": _bench,
    "speed": _speed,
}
"""Steps that each need those before them."""

STEPS = (*PACKAGES, *APART, *ENGINE)
