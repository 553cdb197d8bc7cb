"""Whether kernels run as machine code, for this very processor, and what settings say to it."""

import os
import platform
from pathlib import Path

from uci.apps.doctor.check import TELL, Check
from uci.apps.doctor.diagnostics import Findings

GAINS = {"avx2": "AVX2", "bmi2": "BMI2", "popcnt": "POPCNT", "neon": "NEON"}
"""What our kernels gain most by, as LLVM and as people call it."""

NEEDED = {"x86_64": "avx2", "amd64": "avx2", "aarch64": "neon", "arm64": "neon"}
"""By machine, what the network is slow without."""

_ELSEWHERE = {"NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR"}
"""Of these the other checks tell; the last has no effect."""


def check_processor(findings: Findings) -> Check:
    """Check that the code is for this processor, and that it has what the network wants."""
    feature = NEEDED.get(platform.machine().lower(), "")
    wanted = f"{GAINS[feature]}, used in full" if feature else "known to LLVM"
    processor, settings = findings.probe.step("processor"), findings.probe.step("settings")
    if findings.probe.step("numba") is None:
        return Check("processor", "skipped", "not asked: needs numba", wanted)
    if why := findings.probe.first_failure("processor", "settings"):
        return Check("processor", "wrong", why, wanted, TELL)
    if processor is None or settings is None:
        return Check("processor", "skipped", "after what is wrong above", wanted)
    gains = [name for key, name in GAINS.items() if key in processor["features"]]
    found = ", ".join([processor["name"], *gains])
    if settings["processor"] or settings["features"] is not None:
        other = settings["processor"] or "other features"
        mend = "unset NUMBA_CPU_NAME and NUMBA_CPU_FEATURES: code for another one is slower"
        return Check("processor", "wrong", f"{found}; code is for {other}", wanted, mend)
    if feature and feature not in processor["features"]:
        mend = "it plays, but searches fewer positions in a second"
        return Check("processor", "note", f"{found}; no {GAINS[feature]}", wanted, mend)
    return Check("processor", "ok", found, wanted)


def check_compiled(findings: Findings) -> Check:
    """Check that kernels are compiled, and tell why not."""
    wanted = "machine code"
    settings = findings.probe.step("settings")
    if settings is None:
        return Check("compiler", "skipped", "interpreted: needs numba", wanted)
    if settings["interpreted"]:
        mend = "unset NUMBA_DISABLE_JIT: the engine is a thousand times slower"
        return Check("compiler", "wrong", "switched off", wanted, mend)
    # Without python-chess or a network nothing is loaded, and other checks tell that.
    loads = findings.probe.step("chess") is not None and findings.probe.step("network") is not None
    for step in ("kernels", "warm", "load") if loads else ("kernels",):
        if why := findings.probe.failure(step):
            return Check("compiler", "wrong", why, wanted, TELL)
    return Check("compiler", "ok", "machine code", wanted)


def check_settings(_: Findings) -> Check:
    """Check that no setting of numba's changes or slows down the code."""
    found = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if (name.startswith("NUMBA_") and name not in _ELSEWHERE) or name == "PYTHAGORAS_TUNE"
    ]
    if Path(".numba_config.yaml").is_file():
        found.append(".numba_config.yaml in this folder")
    if not found:
        return Check("settings", "ok", "none", "none of numba's")
    mend = "unset what you do not need: with it the engine compiles anew, and may be slower"
    return Check("settings", "note", ", ".join(found), "none of numba's", mend)
