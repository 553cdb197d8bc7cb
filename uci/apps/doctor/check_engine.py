"""Checks of the packages and the engine, which import them: in a process of its own, as one that is
broken may crash."""

import platform
import re
import time
from contextlib import closing, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from engine.jit import cache
from engine.memory.available import read_number
from uci.apps.console.extras import install_command, project, reinstall_command
from uci.apps.doctor.check import REPORT, Check, Note, NotOk, Skipped, Wrong, check, needed
from uci.apps.doctor.check_installation import fits, reinstall_ours
from uci.session.backend import import_entry_points, load
from uci.session.bench import CHECK_DEPTH, CHECK_NODES

REINSTALL_COMPILER = f"{reinstall_command('numba', 'llvmlite')}; if that does not help, {REPORT}"

FEATURES = "avx2", "bmi2", "popcnt", "neon"
"""The processor features that make our kernels fast, by LLVM's names."""

NEEDED_FEATURE = {"x86_64": "avx2", "amd64": "avx2", "aarch64": "neon", "arm64": "neon"}
"""By machine, the feature without which the network is slow."""

LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

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

SLOWEST, FASTEST = 1 / 400, 1 / 80
"""The usual range of search nodes per leaf of perft, in the same time."""

SLOW_START = 3.0
"""Seconds from which a start is slow; half a second is usual."""


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


@check("extras", "analysis, for HTML reports", reinstall_command("rich", "jinja2"))
def _extras() -> str:
    for name in filter(find_spec, ("rich", "jinja2")):
        import_module(name)
    extras = project().extras
    whole = [extra for extra, needs in extras.items() if all(map(_is_installed, needs))]
    found = ", ".join(whole) or "none"
    if "analysis" not in whole:
        needs = extras.get("analysis", ["jinja2"])
        raise Note(found, f"{install_command(*needs)}, for HTML reports of games")
    return found


def _is_installed(requirement: str) -> bool:
    return find_spec(re.split(r"[\[<>=]", requirement)[0].replace("-", "_")) is not None


@check("processor", "AVX2 or NEON, and code for all its features", REINSTALL_COMPILER)
def _processor() -> str:
    config = needed(import_module, "numba").config
    host = import_module("llvmlite.binding")
    features = {name for name, present in host.get_host_cpu_features().items() if present}
    names = [name.upper() for name in FEATURES if name in features]
    found = ", ".join([host.get_host_cpu_name(), *names])
    if config.CPU_NAME or config.CPU_FEATURES is not None:
        fix = "unset NUMBA_CPU_NAME and NUMBA_CPU_FEATURES: code for another processor is slower"
        raise Wrong(f"{found}; the code is for {config.CPU_NAME or 'other features'}", fix)
    wanted = NEEDED_FEATURE.get(platform.machine().lower())
    if wanted and wanted not in features:
        raise Note(f"{found}; no {wanted.upper()}", "the engine plays, but searches slower")
    return found


@check("large pages", "allocated on request")
def _large_pages() -> str:
    pages = needed(import_module, "engine.memory.large_pages")
    rollup = Path("/proc/self/smaps_rollup")
    before = read_number(rollup, "AnonHugePages:")
    if before is None:
        raise Skipped("not known on this system")
    memory = pages.allocate(4 * pages.LARGE_PAGE)
    memory[:] = 1
    large = (read_number(rollup, "AnonHugePages:") or 0) - before
    if large <= 0:
        fix = "memory is short or fragmented"
        if LARGE_PAGES.exists() and "[never]" in LARGE_PAGES.read_text(encoding="utf-8"):
            fix = f"as root: echo madvise > {LARGE_PAGES}"
        raise Note("refused", f"{fix}; a large hash table is slower without them")
    return "given" if large << 10 >= memory.size else "only partly on large pages"


@check("network", "a valid checksum", reinstall_ours())
def _network() -> str:
    needed(import_module, "engine.jit.kernel")
    from engine.evaluation.network import default_network, fingerprint

    return fingerprint(default_network())


def _kernels() -> ModuleType:
    """Import all kernels; return `engine.jit.kernel`."""
    from engine.jit import kernel

    import_entry_points()
    return kernel


def _engine() -> None:
    """Load the engine.

    Raises `NotOk` if nothing is compiled, or because of what checks above the compiler's report.
    """
    kernel = _kernels()
    from engine.evaluation.network import default_network

    if not kernel.COMPILED:
        raise Skipped("needs compiled code")
    if not kernel.is_warm():
        raise Skipped("nothing is compiled yet")
    needed(import_module, "chess")
    needed(default_network)
    load(lambda _: None)


@check("compiler", "machine code", REINSTALL_COMPILER)
def _compiler() -> str:
    if needed(import_module, "numba").config.DISABLE_JIT:
        fix = "unset NUMBA_DISABLE_JIT: the engine is a thousand times slower"
        raise Wrong("switched off", fix)
    with suppress(NotOk):
        _engine()
    return "machine code"


@check("cache", "complete")
def _cache() -> str:
    kernel = needed(_kernels)
    if not kernel.COMPILED:
        raise Skipped("nothing to cache: interpreted")
    folder = cache.folder()
    if folder is None:
        raise Skipped("no cache folder")
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / (1 << 20)
    if kernel.is_warm():
        return f"complete, {megabytes:.1f} MB"
    raise Note(
        "parts are missing or damaged" if megabytes >= 0.1 else "nothing yet",
        "run pythagoras warm; otherwise the next start compiles, and plays weakly meanwhile",
    )


def _leaves(fen: str, depth: int) -> int:
    from engine.board.perft import perft
    from engine.board.position import new_position
    from uci.chess_io.convert import board_of, fill

    position = new_position()
    fill(position, board_of(fen))
    return perft(position, depth) or 0


def _small_bench() -> tuple[int, int]:
    """Return nodes and nodes per second. Raises `NotOk` without a compiled engine."""
    from uci.session.bench import bench

    needed(_engine)
    *_, summary = bench(CHECK_DEPTH, 1, lambda: False)
    nodes, _, speed, _ = summary.split()
    return int(nodes), int(speed)


@check("perft", "the known leaf counts", REINSTALL_COMPILER)
def _perft() -> str:
    needed(_engine)
    counts = [(known, _leaves(fen, depth)) for fen, depth, known in PERFT]
    wrong = [f"{found:,} instead of {known:,}" for known, found in counts if found != known]
    if wrong:
        raise Wrong("; ".join(wrong))
    return f"{sum(found for _, found in counts):,} leaves"


@check("bench", f"{CHECK_NODES:,} to depth {CHECK_DEPTH}", REINSTALL_COMPILER)
def _bench() -> str:
    nodes, _ = _small_bench()
    if nodes != CHECK_NODES:
        fix = f"expected after edits of the sources; otherwise: {REINSTALL_COMPILER}"
        raise Wrong(f"{nodes:,} nodes", fix)
    return f"{nodes:,} nodes"


@check("speed", f"1/{1 / FASTEST:.0f} to 1/{1 / SLOWEST:.0f} of perft's", REINSTALL_COMPILER)
def _speed() -> str:
    # Relative to perft, it is similar on any machine.
    fen, depth, known = PERFT[0]
    nodes, leaves = 1.0, 1.0
    for _ in range(ROUNDS):
        nodes = max(nodes, _small_bench()[1])
        start = time.perf_counter()
        _leaves(fen, depth)
        leaves = max(leaves, known / (time.perf_counter() - start))
    found = f"{nodes / 1000:,.0f} k nps, 1/{leaves / nodes:.0f} of perft's"
    if not SLOWEST <= nodes / leaves <= FASTEST:
        raise Note(found, f"close other programs and check again; if that does not help, {REPORT}")
    return found


@check("warm start", f"within {SLOW_START:.0f} s", "run pythagoras, then uci, for its error")
def _warm_start() -> str:
    needed(_engine)
    from uci.apps.engines.client import OURS, EngineClient

    start = time.perf_counter()
    with closing(EngineClient(OURS, {})) as client:
        client.start()
        seconds = time.perf_counter() - start
    found = f"ready in {seconds:.2f} s"
    if seconds > SLOW_START:
        raise Note(found, "slow disk, virus scanner or busy machine: check again when idle")
    return found


@check("cold start", "the same counts", REINSTALL_COMPILER)
def cold_start() -> str:
    """Check that everything can be compiled from scratch; the cache must be empty."""
    needed(import_module, "chess")
    kernel = needed(_kernels)
    if not kernel.COMPILED:
        raise Skipped("nothing to compile")
    start = time.perf_counter()
    load(lambda _: None)
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
