"""Faults for a test's own child: the programs that inject them, and rights that root obeys."""

import os
import shutil
import subprocess

import pytest

OBEYING = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
"""Before a command: rights bind it, though root may have started it."""

NAMESPACE = (
    ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
)
"""Before a command: what it mounts, it alone sees."""


def need(*programs: str) -> None:
    """Skip the test where a program is missing; fail where none may be.

    Of ``unshare`` it takes that the system lets us have namespaces.
    """
    for program in programs:
        if shutil.which(program) is None:
            _lack(f"no {program} on the PATH")
        if program == "unshare" and subprocess.run([*NAMESPACE, "true"], check=False).returncode:
            _lack("the system gives us no namespace")


def _lack(what: str) -> None:
    if os.environ.get("PYTHAGORAS_REQUIRE_FAULTS"):
        pytest.fail(f"PYTHAGORAS_REQUIRE_FAULTS is set, but {what}")
    pytest.skip(what)
