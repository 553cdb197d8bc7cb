"""Checks of the packages and the engine, which import them: in a process of its own, as one that is
broken may crash."""

import re
import time
import timeit
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from engine.memory.available import read_number
from uci.apps.console.extras import install_command, project, reinstall_command
from uci.apps.doctor.check import DEPENDS, REPORT, Check, Note, Skipped, Wrong, check, needed
from uci.apps.doctor.check_installation import reinstall_ours
from uci.session.backend import import_entry_points
from uci.session.bench import CHECK_DEPTH, CHECK_NODES, bench

ANALYSIS = project().extras.get("analysis", ["jinja2"])
"""The requirements of HTML reports."""

REINSTALL_COMPILER = f"{reinstall_command('numba', 'llvmlite')}; if that does not help, {REPORT}"

PERFT = (
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326_672),
)
"""Positions, depths in plies, and known leaf counts. The second and third, by Peter McKenzie and
from the Chess Programming Wiki, cover most rules; the last covers castling in Chess960."""

ROUNDS = 3
"""Number of speed measurements; the best one counts, since other processes only slow it down."""

FASTEST, SLOWEST = 80, 400
"""The usual range of perft's leaves per node of the search, in the same time."""

SLOW_START = 3.0
"""Seconds from which a start is slow; half a second is usual."""


def fits(version: str, specifier: str) -> bool:
    """Return whether a version satisfies ``>=`` and ``<`` of a specifier, by its first numbers."""

    def numbers(text: str) -> list[int]:
        return [int(number) for number in re.findall("[0-9]+", text)[:2]]

    return all(
        (numbers(version) >= numbers(bound)) == bound.startswith(">=")
        for bound in filter(None, specifier.split(","))
    )


def _package_check(name: str) -> Check:
    """Return the check of a package that we require."""
    requirement = next((need for need in project().packages if need.startswith(name)), name)
    specifier = requirement.removeprefix(name)

    def find() -> str:
        if name == "numba":  # a broken numpy also breaks numba, and is already reported
            needed(import_module, "numpy")
        version = str(import_module(name).__version__)
        if not fits(version, specifier):
            raise Wrong(version)
        if name == "numba" and (slower := import_module("engine.jit.kernel").slower()):
            raise Note(version, slower)
        return version

    return Check(name, specifier, reinstall_command(requirement), find)


@check("extras", "analysis, for HTML reports", reinstall_command(*ANALYSIS))
def _extras() -> str:
    modules = [re.split(r"[\[<>=]", need)[0].replace("-", "_") for need in ANALYSIS]
    present = list(filter(find_spec, modules))
    for module in present:
        import_module(module)
    if present != modules:
        raise Note("not installed", f"{install_command(*ANALYSIS)}, for HTML reports of games")
    return "installed"


@check("processor", "AVX2 or NEON, and code for all its features", REINSTALL_COMPILER)
def _processor() -> str:
    config = needed(import_module, "numba").config
    host = import_module("llvmlite.binding")
    present = host.get_host_cpu_features()
    features = [name.upper() for name in ("avx2", "bmi2", "popcnt", "neon") if present.get(name)]
    found = ", ".join([host.get_host_cpu_name(), *features])
    if config.CPU_NAME or config.CPU_FEATURES is not None:
        fix = "unset NUMBA_CPU_NAME and NUMBA_CPU_FEATURES: code for another processor is slower"
        raise Wrong(f"{found}; the code is for {config.CPU_NAME or 'other features'}", fix)
    if not {"AVX2", "NEON"}.intersection(features):
        raise Note(f"{found}; neither AVX2 nor NEON", "the engine plays, but searches slower")
    return found


@check(
    "large pages", "allocated on request",
    "free some memory, or as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled;"
    " a large hash table is slower without them",
)  # fmt: skip
def _large_pages() -> str:
    pages = needed(import_module, "engine.memory.large_pages")
    rollup, name = Path("/proc/self/smaps_rollup"), "AnonHugePages:"
    before = read_number(rollup, name)
    if before is None:
        raise Skipped("not known on this system")
    memory = pages.allocate(4 * pages.LARGE_PAGE)
    memory[:] = 1
    large = (read_number(rollup, name) or 0) - before
    if large <= 0:
        raise Note("refused")
    return f"{large >> 10} of {memory.size >> 20} MB"


@check("network", "a valid checksum", reinstall_ours())
def _network() -> str:
    needed(import_module, "engine.jit.kernel")
    network = import_module("engine.evaluation.network")
    return str(network.fingerprint(network.default_network()))


def _kernels() -> ModuleType:
    """Import all kernels; return `engine.jit.kernel`."""
    import_entry_points()
    return import_module("engine.jit.kernel")


def _engine() -> None:
    """Load the compiled engine. Raises what checks above report, or `NotOk` to compile nothing."""
    kernel = _kernels()
    if not (kernel.COMPILED and kernel.is_warm()):
        raise Skipped(DEPENDS)
    import_module("chess")
    import_module("engine.evaluation.network").default_network()
    kernel.warm()


@check("compiler", "machine code", REINSTALL_COMPILER)
def _compiler() -> str:
    if needed(import_module, "numba").config.DISABLE_JIT:
        fix = "unset NUMBA_DISABLE_JIT: the engine is a thousand times slower"
        raise Wrong("switched off", fix)
    kernel = _kernels()
    if kernel.is_warm():  # otherwise it would compile
        kernel.warm()
    return "machine code"


@check(
    "cache", "complete",
    "run pythagoras warm; otherwise the next start compiles, and plays weakly meanwhile",
)  # fmt: skip
def _cache() -> str:
    kernel = needed(_kernels)
    if not kernel.COMPILED or kernel.PLAY.folder is None:
        raise Skipped(DEPENDS)
    if not kernel.is_warm():
        raise Note("incomplete")
    return "complete"


def _leaves(fen: str, depth: int) -> int:
    from engine.board.perft import perft
    from engine.board.position import new_position
    from uci.chess_io.convert import board_of, fill

    position = new_position()
    fill(position, board_of(fen))
    return perft(position, depth) or 0


@check("perft", "the known leaf counts", REINSTALL_COMPILER)
def _perft() -> str:
    needed(_engine)
    for fen, depth, known in PERFT:
        if (found := _leaves(fen, depth)) != known:
            raise Wrong(f"{found:,} instead of {known:,}")
    return f"{sum(known for _, _, known in PERFT):,} leaves"


def _small_bench() -> tuple[int, int]:
    """Return nodes, and nodes per second."""
    *_, summary = bench(CHECK_DEPTH, 1, lambda: False)
    nodes, _, speed, _ = summary.split()
    return int(nodes), int(speed)


@check("bench", f"{CHECK_NODES:,} to depth {CHECK_DEPTH}", REINSTALL_COMPILER)
def _bench() -> str:
    needed(_engine)
    nodes, _ = _small_bench()
    if nodes != CHECK_NODES:
        fix = f"expected after edits of the sources; otherwise: {REINSTALL_COMPILER}"
        raise Wrong(f"{nodes:,} nodes", fix)
    return f"{nodes:,} nodes"


@check("speed", f"1/{FASTEST} to 1/{SLOWEST} of perft's", REINSTALL_COMPILER)
def _speed() -> str:
    # Relative to perft, it is similar on any machine.
    needed(_engine)
    speed = max(_small_bench()[1] for _ in range(ROUNDS))
    fen, depth, leaves = PERFT[0]
    seconds = min(timeit.repeat(lambda: _leaves(fen, depth), number=1, repeat=ROUNDS))
    ratio = leaves / seconds / speed
    found = f"{speed / 1000:,.0f} k nps, 1/{ratio:.0f} of perft's"
    if not FASTEST <= ratio <= SLOWEST:
        raise Note(found, f"close other programs and check again; if that does not help, {REPORT}")
    return found


@check("warm start", f"within {SLOW_START:.0f} s", "run pythagoras, then uci, for its error")
def _warm_start() -> str:
    needed(_engine)
    from uci.apps.engines.client import OURS, EngineClient

    with closing(EngineClient(OURS, {})) as client:
        seconds = timeit.timeit(client.start, number=1)
    found = f"ready in {seconds:.2f} s"
    if seconds > SLOW_START:
        raise Note(found, "slow disk, virus scanner or busy machine: check again when idle")
    return found


@check("cold start", "the same counts", REINSTALL_COMPILER)
def cold_start() -> str:
    """Check that everything can be compiled from scratch; the cache must be empty."""
    kernel = needed(_kernels)
    start = time.perf_counter()
    kernel.warm()
    seconds = time.perf_counter() - start
    if kernel.unkept():
        raise Wrong(kernel.unkept(), "free some space for temporary files")
    _perft.find()
    _bench.find()
    return f"compiled in {seconds:.0f} s"


CHECKS = (
    *map(_package_check, ("numpy", "numba", "chess")), _extras, _processor, _large_pages, _network,
    _compiler, _cache, _perft, _bench, _speed, _warm_start,
)  # fmt: skip
"""The checks in order; each may depend on those before it."""
