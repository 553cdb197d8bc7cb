"""The machine: memory and large pages."""

import re
import sys
from pathlib import Path

from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.probe import SMALL_PAGES

NEEDED = 500
"""MiB that compiling takes, with its second process."""

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def check_memory(_: Findings) -> Check:
    """Check the memory that is free for us: the system's, or a container's."""
    wanted = f"{NEEDED} MB to compile"
    free = available()
    if free is None:
        return Check("memory", "skipped", "the system does not tell", wanted)
    found = f"{free:,} MB free"
    if free < NEEDED:
        mend = "end other programs, or give the container more"
        return Check("memory", "wrong", found, wanted, mend)
    return Check("memory", "ok", found, wanted)


def check_large_pages(findings: Findings) -> Check:
    """Check that the tables lie on large pages, where the system has them."""
    wanted = "given where asked for"
    if sys.platform != "linux":
        return Check("large pages", "skipped", "only Linux gives them on request", wanted)
    if findings.probe.step("numpy") is None:
        return Check("large pages", "skipped", "not tried: needs numpy", wanted)
    if why := findings.probe.failure("large pages"):
        return Check("large pages", "wrong", why, wanted, "tell us, with the last line")
    pages = findings.probe.step("large pages")
    if pages is None:
        return Check("large pages", "skipped", "after what is wrong above", wanted)
    if pages != SMALL_PAGES:
        return Check("large pages", "ok", "given" if pages == "all" else "given in part", wanted)
    mend = f"as root: echo madvise > {LARGE_PAGES}; a large table is slower without"
    if "[never]" not in _read(LARGE_PAGES):
        mend = "memory is short or in pieces; a large table is slower without"
    return Check("large pages", "note", "refused", wanted, mend)


def available() -> int | None:
    """Return the MiB that are free for this process; ``None`` where nobody tells."""
    rows = _read(MEMINFO).splitlines()
    found = [int(row.split()[1]) >> 10 for row in rows if row.startswith("MemAvailable:")]
    for most, used, kinds, files in (
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        (
            "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes",
            "memory/memory.stat", "total_inactive_file",
        ),
    ):  # fmt: skip
        limit, now = _read(GROUP / most).strip(), _read(GROUP / used).strip()
        if limit.isdigit() and now.isdigit():
            # What was read of files counts as used, and is given back as soon as it is needed.
            kept = re.search(rf"^{files} (\d+)$", _read(GROUP / kinds), re.MULTILINE)
            found.append(int(limit) - int(now) + int(kept[1] if kept else 0) >> 20)
    return min(found, default=None)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
