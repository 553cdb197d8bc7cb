"""Runs all checks, those of the engine in a process of their own."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict
from tempfile import TemporaryDirectory

from uci.apps.console.own_command import own_command
from uci.apps.doctor import check_engine, check_installation
from uci.apps.doctor.check import DEPENDS, Check, Result
from uci.apps.doctor.check_options import option_check

WARM_SECONDS, COLD_SECONDS = 120.0, 900.0
"""Timeouts in seconds, generous even for slow machines."""


def run_checks(options: Mapping[str, str], cold: bool) -> Generator[Result]:
    """Yield the result of each check, slow ones last; those of the UCI ``options`` at the end.

    ``cold`` also compiles everything, in a temporary folder.
    """
    yield from (check.run() for check in check_installation.CHECKS)
    yield from run_apart(check_engine.CHECKS, WARM_SECONDS)
    if cold:
        with TemporaryDirectory() as folder:
            yield from run_apart(
                [check_engine.cold_start], COLD_SECONDS, XDG_CACHE_HOME=folder, LOCALAPPDATA=folder
            )
    yield from (option_check(name, value).run() for name, value in options.items())


def run_apart(checks: Sequence[Check], seconds: float, **variables: str) -> Generator[Result]:
    """Run checks in another process, with environment ``variables``; yield results as they come.

    If it crashes or takes more than ``seconds``, the current check fails, and the rest is skipped.
    """
    left, output = list(checks), ""
    with subprocess.Popen(
        own_command(*(check.name for check in checks), module=__name__),
        env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        assert process.stdout
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            for line in filter(None, map(str.strip, process.stdout)):
                if line.startswith("{"):
                    yield Result(**json.loads(line))
                    del left[0]
                output = "" if line.startswith("{") else line
            if not timer.is_alive():
                output = f"it took more than {seconds:.0f} s"
        finally:
            timer.cancel()
            process.kill()
    failure = output or f"the process ended with status {process.returncode}"
    yield from (check.result("wrong", failure) for check in left[:1])
    yield from (check.result("skipped", DEPENDS) for check in left[1:])


def main() -> None:
    """Run the checks that the arguments name; print each result as a line of JSON."""
    checks = {check.name: check for check in (*check_engine.CHECKS, check_engine.cold_start)}
    for name in sys.argv[1:]:
        print(json.dumps(asdict(checks[name].run())), flush=True)
