"""Checks of the terminal, memory, large pages and the processor."""

import platform
import shutil
import sys
from pathlib import Path

from engine.memory.available import available
from uci.apps.doctor.check import check
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.probe import SMALL_PAGES
from uci.apps.doctor.result import REPORT, Note, Skipped, Wrong

SYMBOLS = "–→±½♔é"
"""The non-ASCII characters that our commands print; players' names may have others."""

COLUMNS = 80
NEEDED_MB = 500
"""MiB that compilation needs, including its second process."""

LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

FEATURES = {"avx2": "AVX2", "bmi2": "BMI2", "popcnt": "POPCNT", "neon": "NEON"}
"""The processor features that make our kernels fast, by LLVM's names."""

NEEDED_FEATURE = {"x86_64": "avx2", "amd64": "avx2", "aarch64": "neon", "arm64": "neon"}
"""By machine, the feature without which the network is slow."""


@check("terminal", f"UTF-8, {COLUMNS} columns")
def terminal(_: Diagnostics) -> str:
    """Check that the output can represent what our commands print."""
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    found = f"{encoding}, {columns} columns" if columns else f"none: {encoding} to a file or pipe"
    try:
        SYMBOLS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        raise Wrong(found, "set LANG to a UTF-8 locale such as C.UTF-8, or PYTHONUTF8=1") from None
    if 0 < columns < COLUMNS:
        raise Note(found, "make the window wider: tables are folded")
    return found


@check("memory", f"{NEEDED_MB} MB to compile")
def memory(_: Diagnostics) -> str:
    """Check the available memory: the system's, or a container's."""
    free = available()
    if free is None:
        raise Skipped("not known on this system")
    found = f"{free:,} MB free"
    if free < NEEDED_MB:
        raise Wrong(found, "close other programs, or give the container more")
    return found


@check("large pages", "allocated on request")
def large_pages(diagnostics: Diagnostics) -> str:
    """Check that the tables are on large pages, if the system has them."""
    if sys.platform != "linux":
        raise Skipped("only on Linux")
    diagnostics.require_package("numpy")
    pages = diagnostics.probe.require("large pages", fix=REPORT)
    if pages == SMALL_PAGES:
        fix = "memory is short or fragmented"
        if LARGE_PAGES.exists() and "[never]" in LARGE_PAGES.read_text(encoding="utf-8"):
            fix = f"as root: echo madvise > {LARGE_PAGES}"
        raise Note("refused", f"{fix}; a large hash table is slower without them")
    return "given" if pages == "all" else "only partly on large pages"


@check("processor", "AVX2 or NEON, and code for all its features")
def processor(diagnostics: Diagnostics) -> str:
    """Check that the code is compiled for this processor, with the features that the network
    needs."""
    diagnostics.require_package("numba")
    settings = diagnostics.probe.require("processor", "settings")
    host = diagnostics.probe.require("processor")
    features = [name for key, name in FEATURES.items() if key in host["features"]]
    found = ", ".join([host["name"], *features])
    if settings["processor"] or settings["features"] is not None:
        fix = "unset NUMBA_CPU_NAME and NUMBA_CPU_FEATURES: code for another processor is slower"
        raise Wrong(f"{found}; the code is for {settings['processor'] or 'other features'}", fix)
    needed = NEEDED_FEATURE.get(platform.machine().lower())
    if needed and needed not in host["features"]:
        raise Note(f"{found}; no {FEATURES[needed]}", "the engine plays, but searches slower")
    return found
