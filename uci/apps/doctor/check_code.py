"""Checks of the compiled code: numba's settings, the compiler, and the cache."""

import os
import shutil
from pathlib import Path

from engine.jit import cache as code_cache
from engine.user_folders import cache_variable
from uci.apps.doctor.check import check
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import REINSTALL_COMPILER, Note, Skipped, Wrong
from uci.errors import reason

FREE_BYTES = 100 << 20
"""Free disk space needed; compiled code takes a tenth of it."""

_OTHER_CHECKS = {"NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR"}
"""Settings to ignore: other checks report them, and the last one has no effect."""


@check("settings", "no settings of numba")
def settings(_: Diagnostics) -> str:
    """Check that no setting of numba changes or slows down the code."""
    found = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if (name.startswith("NUMBA_") and name not in _OTHER_CHECKS) or name == "PYTHAGORAS_TUNE"
    ]
    if Path(".numba_config.yaml").is_file():
        found.append(".numba_config.yaml in this folder")
    if found:
        fix = "unset what you do not need: the engine compiles again with these, and may be slower"
        raise Note(", ".join(found), fix)
    return "none"


@check("compiler", "machine code")
def compiler(diagnostics: Diagnostics) -> str:
    """Check that kernels are compiled; report why if not."""
    probe = diagnostics.probe
    numba = probe.value("settings")
    if numba is None:
        raise Skipped("interpreted: needs numba")
    if numba["interpreted"]:
        fix = "unset NUMBA_DISABLE_JIT: the engine is a thousand times slower"
        raise Wrong("switched off", fix)
    # Without python-chess or a network nothing is loaded, and other checks report that.
    loads = probe.value("chess") is not None and probe.value("network") is not None
    if why := probe.failure(*(("kernels", "warm", "load") if loads else ("kernels",))):
        raise Wrong(why, REINSTALL_COMPILER)
    return "machine code"


@check("cache folder", "private, with enough space")
def cache_folder(_: Diagnostics) -> str:
    """Check that compiled code can be saved: in a private folder, on a disk with enough space."""
    variable = f"set {cache_variable()} to a folder"
    try:
        folder = code_cache.open_folder().parent
        trial = folder / "doctor"
        code_cache.write(trial, bytes(4096))
        trial.unlink()
        free = shutil.disk_usage(folder).free
    except (OSError, RuntimeError) as error:
        fix = "free some space there"
        if isinstance(error, PermissionError):
            fix = "make it and all folders above it yours, writable only by you: chown, chmod go-w"
        path = getattr(error, "filename", None)
        found = f"{reason(error)}: {path}" if path else reason(error)
        raise Wrong(found, f"{fix}; or {variable} of your own") from error
    found = f"{folder}, {free / (1 << 30):.1f} GB free"
    if free < FREE_BYTES:
        raise Wrong(found, f"free some space on that disk, or {variable} on another disk")
    return found


@check("cache", "complete")
def cache(diagnostics: Diagnostics) -> str:
    """Check that all code is compiled and undamaged."""
    probe = diagnostics.probe
    if not (probe.value("kernels") or {}).get("compiled"):
        raise Skipped("nothing to cache: interpreted")
    try:
        files = [path for path in code_cache.open_folder().rglob("*") if path.is_file()]
    except (OSError, RuntimeError):
        raise Skipped("no cache folder") from None
    megabytes = sum(path.stat().st_size for path in files) / (1 << 20)
    if probe.value("warm"):
        return f"complete, {megabytes:.1f} MB"
    if probe.failure("warm"):
        raise Skipped("depends on a failed check above")
    raise Note(
        "parts are missing or damaged" if megabytes >= 0.1 else "nothing yet",
        "run pythagoras warm; otherwise the next start compiles, and plays weakly meanwhile",
    )
