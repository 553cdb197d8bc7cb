"""Clients with windows: an engine must not outlive its client."""

import os
from pathlib import Path

import pytest

from helpers.timing import PATIENCE
from scripts.clients import desktop
from scripts.clients.workplace import Failed, wait_for

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no groups of processes")


def started(folder: Path, script: str) -> desktop.Window:
    window = desktop.Window(["sh", "-c", script], folder, os.environ)
    output = folder / "output.txt"
    wait_for("it is up", lambda: output.read_bytes() == b"up\n", PATIENCE)
    return window


def test_a_client_takes_its_engine_along(tmp_path: Path) -> None:
    window = started(tmp_path, "echo up; exec sleep 1000")
    window.close()
    assert not running(window.popen.pid)


@pytest.mark.slow
def test_an_engine_that_outlives_its_client_is_told_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = started(tmp_path, "sleep 1000 & echo up; exec sleep 1000")
    window.popen.terminate()
    window.popen.wait(PATIENCE)
    monkeypatch.setattr(desktop, "PATIENCE", 1.0)
    with pytest.raises(Failed, match="an engine ends with its client"):
        window.close()
    wait_for("its end", lambda: not running(window.popen.pid), PATIENCE)


def running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
