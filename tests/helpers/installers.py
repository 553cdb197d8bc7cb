"""Programs that install Python packages, each into an environment of its own."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from helpers.required import skip_or_fail

INDEX = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}
"""pip's settings, and uv's variables for the same."""


def installer(name: str) -> list[str]:
    """Return the command of an installer; skip without one, or fail where one is required."""
    beside = Path(sys.executable).with_name(name)
    path = str(beside) if beside.exists() else shutil.which(name)
    if path is None:
        skip_or_fail("installers", f"no {name} on the PATH")
    return [path]


def pip_settings() -> dict[str, str]:
    """Return pip's settings of where to find packages; variables override configuration files."""
    words = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found: dict[str, str] = {}
    for row in sorted(told.splitlines(), key=lambda row: row.startswith(":env:")):
        name, _, value = row.partition("=")
        found[name.rpartition(".")[2]] = " ".join(shlex.split(value))
    return found


def uv_settings() -> dict[str, str]:
    """Return variables by which uv finds the packages that pip would."""
    return {INDEX[name]: value for name, value in pip_settings().items() if name in INDEX}


def install(words: Sequence[str | Path], settings: Mapping[str, str]) -> None:
    """Run an installer to its end; on failure its output is reported."""
    done = subprocess.run(
        [*map(str, words)], env={**os.environ, **settings}, cwd="/",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
