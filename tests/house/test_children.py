"""Processes that tests start end with them."""

import os
import signal
import subprocess
import sys

import pytest

from helpers.processes import ending_children

SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)"]
KILLED = -signal.SIGKILL if os.name == "posix" else 1


def test_a_child_that_is_left_is_killed() -> None:
    with ending_children():
        child = subprocess.Popen(SLEEPER)
        ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
        ended.wait()
        assert child.poll() is None
    assert (child.returncode, ended.returncode) == (KILLED, 3)


def test_a_test_that_fails_does_not_wait_for_its_child() -> None:
    with pytest.raises(ZeroDivisionError), subprocess.Popen(SLEEPER) as child:
        raise ZeroDivisionError
    assert child.returncode == KILLED


def test_a_with_that_does_not_fail_waits() -> None:
    code = "import time; time.sleep(0.3); raise SystemExit(3)"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        pass
    assert child.returncode == 3
