"""The memory that this process may still allocate: the system's, or that of its container."""

import contextlib
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")

_CONTAINERS = (
    ("memory.max", "memory.current", "memory.stat", ""),
    (
        "memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat",
        "total_",
    ),
)  # fmt: skip
"""By version of cgroups: the files of limit, use and details, and what precedes names in these."""


def available() -> int | None:
    """Return the available MiB; ``None`` if the system does not report them."""
    system = read_number(MEMINFO, "MemAvailable:")
    found = [] if system is None else [system << 10]
    for limit, use, details, prefix in _CONTAINERS:
        most, now = read_number(CGROUP / limit), read_number(CGROUP / use)
        if most is not None and now is not None:
            # The file cache counts as used, but is freed when memory is needed.
            cache = (
                read_number(CGROUP / details, f"\n{prefix}{kind}_file ") or 0
                for kind in ("active", "inactive")
            )
            found.append(most - now + sum(cache))
    return min(found) >> 20 if found else None


def is_available(megabytes: int) -> bool:
    """Return whether ``megabytes`` MiB are available; true if the system does not report it."""
    free = available()
    return free is None or megabytes <= free


def read_number(file: Path, name: str = "") -> int | None:
    """Return the number after ``name`` in a file of the system; ``None`` if there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = "\n" + file.read_text(encoding="utf-8")
        return int(text[text.index(name) + len(name) :].split(maxsplit=1)[0])
    return None
