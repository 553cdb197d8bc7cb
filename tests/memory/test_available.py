"""The memory that is left: the system's, or that of a container."""

from pathlib import Path

import pytest

from engine.memory import available
from engine.memory.available import is_available


@pytest.fixture(autouse=True)
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in place of the system's; it reports 400 MiB."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:  409600 kB\n")
    monkeypatch.setattr(available, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(available, "CGROUP", tmp_path)
    return tmp_path


def test_a_system(system: Path) -> None:
    assert available.available() == 400
    assert is_available(400)
    assert not is_available(401)
    (system / "meminfo").unlink()
    assert available.available() is None
    assert is_available(1 << 40)


@pytest.mark.parametrize(
    ("limit", "use", "prefix"),
    [
        ("memory.max", "memory.current", ""),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_"),
    ],
)
def test_a_container(limit: str, use: str, prefix: str, system: Path) -> None:
    """The container's limit counts if less is left of it; files that were read take nothing."""
    (system / "memory").mkdir()
    (system / limit).write_text("max\n")
    (system / use).write_text(f"{500 << 20}\n")
    assert available.available() == 400
    (system / limit).write_text(f"{512 << 20}\n")
    assert available.available() == 12
    details = f"anon 5\n{prefix}inactive_file {100 << 20}\n{prefix}active_file {50 << 20}\nfile 9\n"
    (system / limit).with_name("memory.stat").write_text(details)
    assert available.available() == 162
