"""A machine that has no time: stress-ng on some of its cores."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.match.runner import find_program


def find_stress_ng() -> str:
    """Return the path of stress-ng. Raises `MatchError`."""
    return find_program("stress-ng", "it keeps cores busy")


@contextmanager
def stress_ng(cores: int) -> Iterator[None]:
    """Keep ``cores`` cores busy. Raises `MatchError` where stress-ng is not installed."""
    program = find_stress_ng()
    with subprocess.Popen([program, "--cpu", str(cores), "--quiet"]) as stress:
        try:
            yield
        finally:
            stress.terminate()
