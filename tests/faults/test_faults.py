"""The tools that inject faults are installed and have an effect."""

import subprocess
from pathlib import Path

import pytest

from helpers.faults import NAMESPACE, OBEYING, need


def test_rights_bind_a_child(tmp_path: Path) -> None:
    need("setpriv")
    tmp_path.chmod(0o500)
    assert subprocess.run([*OBEYING, "touch", tmp_path / "file"], check=False).returncode


def test_what_a_child_mounts_only_it_sees(tmp_path: Path) -> None:
    need("unshare")
    mount = 'mount -t tmpfs -o size=4k none "$0" && touch "$0/file" && test -e "$0/file"'
    subprocess.run([*NAMESPACE, "sh", "-c", mount, tmp_path], check=True)
    assert not (tmp_path / "file").exists()


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHAGORAS_REQUIRE_FAULTS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no such-program on the PATH"):
        need("such-program")
    monkeypatch.setenv("PYTHAGORAS_REQUIRE_FAULTS", "1")
    with pytest.raises(pytest.fail.Exception, match="is set, but there is no such-program"):
        need("such-program")
