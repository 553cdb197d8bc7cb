"""Tries the engine and its packages step by step, in a process of its own.

Each step prints a line of JSON; if one crashes, the later ones are missing.
"""

import json
import os
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from uci.errors import reason

PACKAGES = "numpy", "llvmlite", "numba", "chess", "rich", "jinja2"
"""Packages in the order of import: later ones import earlier ones."""

COMPILE = "PYTHAGORAS_DOCTOR_COMPILES"
"""The environment variable that allows the probe to compile."""

ROUNDS = 3
"""Number of speed measurements; the best one counts, since other processes only slow it down."""

SMALL_PAGES = "small"

PERFT = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326_672),
)
"""Positions, depths in plies, and known leaf counts. The second and third, by Peter McKenzie and
from the Chess Programming Wiki, cover most rules; the last covers castling in Chess960."""

PERFT_INTERPRETED = ((PERFT[0][0], 3, 8_902), (PERFT[1][0], 2, 2_039))
"""The same with few leaves, for interpreted kernels."""


def main() -> None:
    """Run all steps; if an engine step fails, the later ones are skipped."""
    for name in PACKAGES:
        _run(name, partial(_package, name))
    for name, step in INDEPENDENT.items():
        _run(name, step)
    for name, step in ENGINE.items():
        if not _run(name, step):
            return


def _run(name: str, step: Callable[[], Any]) -> bool:
    """Run a step and print its result; return whether the next can run."""
    found: Any
    try:
        found = step()
    except Exception as error:  # noqa: BLE001  (anything may be broken)
        missing = isinstance(error, ModuleNotFoundError) and error.name
        found = {"missing": missing} if missing else {"error": reason(error)}
    print(json.dumps({name: found}), flush=True)
    return found is not None and not failed(found)


def failed(found: Any) -> bool:
    """Return whether the result of a step is a failure."""
    return isinstance(found, dict) and bool({"missing", "error"} & found.keys())


def _package(name: str) -> dict[str, str]:
    module = import_module(name)
    version = getattr(module, "__version__", None) or metadata.version(name)
    return {"version": str(version)}


def _processor() -> dict[str, Any]:
    """Return the processor's name and features, by LLVM's names."""
    binding = import_module("llvmlite.binding")
    features = binding.get_host_cpu_features()
    return {
        "name": binding.get_host_cpu_name(),
        "features": sorted(name for name, there in features.items() if there),
    }


def _settings() -> dict[str, Any]:
    """Return numba's processor settings, and whether it is disabled."""
    config = import_module("numba").config
    return {
        "processor": config.CPU_NAME or "", "features": config.CPU_FEATURES,
        "interpreted": bool(config.DISABLE_JIT),
    }  # fmt: skip


def _network() -> str:
    from engine.evaluation.network import default_network, fingerprint

    return fingerprint(default_network())


def _large_pages() -> str:
    """Return how much requested memory is on large pages: ``all``, ``some`` or ``small``."""
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
    """Return whether all code is cached; ``None`` if it is not, and must not be compiled."""
    from engine.jit import kernel
    from uci.session.backend import import_entry_points

    import_entry_points()
    if kernel.is_warm():
        return True
    return False if COMPILE in os.environ else None


def _load() -> dict[str, Any]:
    from engine.jit import kernel
    from uci.session.backend import load

    start = time.perf_counter()
    load(lambda _: None)
    return {"seconds": time.perf_counter() - start, "unkept": kernel.unkept()}


def _leaves(fen: str, depth: int) -> int:
    from engine.board.perft import perft
    from engine.board.position import new_position
    from uci.chess_io.convert import board_of, fill

    position = new_position()
    fill(position, board_of(fen))
    return perft(position, depth) or 0


def _perft() -> list[tuple[str, int, int, int]]:
    """Return known positions, with depth, known leaf count, and the engine's count."""
    from engine.jit import kernel

    positions = PERFT if kernel.COMPILED else PERFT_INTERPRETED
    return [(fen, depth, known, _leaves(fen, depth)) for fen, depth, known in positions]


def _bench() -> int | None:
    """Return the nodes of the small bench; ``None`` if interpreted, where it takes minutes."""
    from engine.jit import kernel

    return _small_bench()[0] if kernel.COMPILED else None


def _small_bench() -> tuple[int, int]:
    """Return nodes and nodes per second."""
    from uci.session.bench import CHECK_DEPTH, bench

    *_, summary = bench(CHECK_DEPTH, 1, lambda: False)
    nodes, _, speed, _ = summary.split()
    return int(nodes), int(speed)


def _speed() -> tuple[int, int]:
    """Return search nodes and perft leaves per second, measured alternately."""
    fen, depth, known = PERFT[0]
    nodes = leaves = 0
    for _ in range(ROUNDS):
        nodes = max(nodes, _small_bench()[1])
        start = time.perf_counter()
        _leaves(fen, depth)
        leaves = max(leaves, int(known / (time.perf_counter() - start)))
    return nodes, leaves


INDEPENDENT: dict[str, Callable[[], Any]] = {
    "processor": _processor,
    "settings": _settings,
    "network": _network,
    "large pages": _large_pages,
}
"""Steps that do not depend on others."""

ENGINE: dict[str, Callable[[], Any]] = {
    "kernels": _kernels,
    "warm": _is_warm,
    "load": _load,
    "perft": _perft,
    "bench": _bench,
    "speed": _speed,
}
"""Steps that depend on all before them."""

STEPS = (*PACKAGES, *INDEPENDENT, *ENGINE)
