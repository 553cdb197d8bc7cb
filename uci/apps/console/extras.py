"""What this installation requires, and the commands of pip, pipx or uv that install it."""

import functools
import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from uci.apps.console.own_command import ROOT

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DISTRIBUTION = "pythagoras-chess"


def installed() -> "Distribution | None":
    """Return pip's metadata of the running files; ``None`` if there is none."""
    import json
    from importlib.metadata import distributions

    for found in distributions(name=DISTRIBUTION):
        if Path(str(found.locate_file("uci"))).resolve() == ROOT / "uci":
            return found
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable") and origin.get("url") == ROOT.as_uri():
            return found
    return None


class Project(NamedTuple):
    """What the project requires: versions of Python, packages, and those of each extra."""

    python: str
    packages: list[str]
    extras: dict[str, list[str]]
    classifiers: list[str]


@functools.cache
def project() -> Project:
    """Return what pip's metadata says, or pyproject.toml in a checkout or a one-file build."""
    if (found := installed()) is not None:
        needs: dict[str, list[str]] = {"": []}
        for need in found.requires or ():
            requirement, _, marker = need.partition(";")
            needs.setdefault(marker.partition("==")[2].strip(" '\""), []).append(requirement)
        python = "".join(found.metadata.get_all("Requires-Python", []))
        classifiers = found.metadata.get_all("Classifier", [])
        return Project(python, needs.pop(""), needs, classifiers)
    import tomllib
    from importlib.resources import files

    file = cast("Path", files("uci")).parent / "pyproject.toml"  # perhaps within a zip
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    table = tomllib.loads(text).get("project", {})
    return Project(
        table.get("requires-python", ""),
        table.get("dependencies", []),
        table.get("optional-dependencies", {}),
        table.get("classifiers", []),
    )


def missing(package: str, extra: str) -> str:
    """Return a message that ``package`` is missing and how to install its ``extra``."""
    needs = project().extras.get(extra, [package])
    return f"{package} is missing; install it with: {install_command(*needs)}"


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
