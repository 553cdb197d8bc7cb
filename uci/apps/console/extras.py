"""Install commands for missing packages: of pip, pipx or uv, as this installation needs."""

import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

EXTRAS = {
    "analysis": ("charset-normalizer>=3.3", "jinja2>=3.1", "rich>=13.0"),
    "cluster": ("cryptography>=42.0", "dask[distributed]>=2026.7"),
    "play": ("prompt_toolkit>=3.0.40", "rich>=13.0"),
    "tools": ("matplotlib>=3.7", "rich>=13.0"),
    "train": ("matplotlib>=3.7", "torch>=2.2"),
}
"""The packages of each extra of pyproject.toml."""


def missing(package: str, extra: str) -> str:
    """Return a message that ``package`` is missing and how to install its ``extra``."""
    return f"{package} is missing; install it with: {install_command(*EXTRAS[extra])}"


def install_command(*requirements: str) -> str:
    """Return the command that adds packages to the environment of this Python."""
    if _has("pipx_metadata.json"):
        return _joined(["pipx", "inject", Path(sys.prefix).name, *requirements])
    return _joined([*_installer(), *requirements])


def reinstall_command(*requirements: str) -> str:
    """Return the command that installs packages again, even if parts of them are installed."""
    if _has("pipx_metadata.json"):
        pip = ["pipx", "runpip", Path(sys.prefix).name, "install"]
    else:
        pip = _installer()
    return _joined([*pip, "--force-reinstall", *requirements])


def _installer() -> list[str]:
    """Return the pip command for this Python, or uv's in an environment without pip."""
    if find_spec("pip") is None and (_has("uv-receipt.toml") or _made_by_uv()):
        return ["uv", "pip", "install", "--python", sys.executable]
    command = [sys.executable, "-m", "pip", "install"]
    managed = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
    if sys.prefix == sys.base_prefix and managed:
        command.append("--break-system-packages")
    return command


def _has(name: str) -> bool:
    return Path(sys.prefix, name).exists()


def _made_by_uv() -> bool:
    try:
        settings = Path(sys.prefix, "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    return any(line.startswith("uv =") for line in settings.splitlines())


def _joined(words: Sequence[str]) -> str:
    """Return a command line, quoted for the system's shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
