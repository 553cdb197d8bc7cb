"""Checks of Python, our files and the machine. They import no packages."""

import base64
import csv
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from engine.jit import cache
from engine.memory.available import available
from engine.user_folders import cache_variable
from uci.apps.console.extras import DISTRIBUTION, installed, project, reinstall_command
from uci.apps.console.own_command import ROOT
from uci.apps.doctor.check import Note, Skipped, Wrong, check
from uci.errors import shorten

COLUMNS = 80
NEEDED_MB = 500
"""MiB of memory that compilation needs, including its second process."""

FREE_MB = 100
"""MiB of disk space that must be free; compiled code takes a tenth of it."""

_OTHER_CHECKS = {"NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR"}
"""Settings to ignore: other checks report them, and the last one has no effect."""


@check("Python", f"CPython {project().python}, 64 bit")
def _python() -> str:
    found = f"{platform.python_implementation()} {platform.python_version()}"
    tested = [row.split()[-1] for row in project().classifiers if "Python :: 3." in row]
    version = ".".join(platform.python_version_tuple()[:2])
    if version not in tested or not found.startswith("CPython") or sys.maxsize < 1 << 32:
        raise Note(found, f"use a tested one: 64-bit CPython {', '.join(tested)}")
    return found


def reinstall_ours() -> str:
    """Return the command that reinstalls us, from the same origin if pip recorded it."""
    package = installed()
    origin = json.loads((package and package.read_text("direct_url.json")) or "{}")
    return reinstall_command("--no-deps", origin.get("url", DISTRIBUTION))


@check("files", "as installed", reinstall_ours())
def _files() -> str:
    package = installed()
    # `Distribution.files` omits missing files from Python 3.12 on.
    record = csv.reader(((package and package.read_text("RECORD")) or "").splitlines())
    folders = ("engine/", "uci/", "pythagoras/")
    ours = {name: checksum for name, checksum, _ in record if name.startswith(folders) and checksum}
    changed = [name for name, checksum in ours.items() if _checksum(ROOT / name) != checksum]
    if changed:
        raise Wrong(f"changed or missing: {shorten(', '.join(changed))}")
    return f"{len(ours)} files, all unchanged" if ours else _checkout()


def _checksum(file: Path) -> str:
    """Return the checksum of a file as pip records it; empty if it cannot be read."""
    try:
        digest = hashlib.sha256(file.read_bytes()).digest()
    except OSError:
        return ""
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _checkout() -> str:
    """Return the commit, with a ``+`` if files differ from it."""
    if not (ROOT / ".git").exists():
        return "not by pip"
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    with suppress(OSError, subprocess.SubprocessError):
        commit = subprocess.check_output(git, stderr=subprocess.DEVNULL, text=True, timeout=10)
        return f"a checkout, {commit.strip()}"
    return "a checkout"


@check(
    "terminal", f"UTF-8, {COLUMNS} columns",
    "set LANG to a UTF-8 locale such as C.UTF-8, or PYTHONUTF8=1",
)  # fmt: skip
def _terminal() -> str:
    "–→±½♔é".encode(sys.stdout.encoding)  # what our commands print
    columns = shutil.get_terminal_size().columns
    found = f"{sys.stdout.encoding}, {columns} columns"
    if columns < COLUMNS:
        raise Note(found, "make the window wider: tables are folded")
    return found


@check("memory", f"{NEEDED_MB} MB to compile", "close other programs, or give the container more")
def _memory() -> str:
    free = available()
    if free is None:
        raise Skipped("not known on this system")
    if free < NEEDED_MB:
        raise Wrong(f"{free} MB free")
    return f"{free:,} MB free"


@check(
    "cache folder", f"private, with {FREE_MB} MB free",
    "free some space there, and make it and the folders above it yours, writable only by you"
    f" (chown, chmod go-w); or set {cache_variable()} to a folder of your own",
)  # fmt: skip
def _cache_folder() -> str:
    folder = cache.open_folder()
    trial = folder / "doctor"
    cache.write(trial, bytes(4096))
    trial.unlink()
    free = shutil.disk_usage(folder).free >> 20
    found = f"{folder.parent}, {free:,} MB free"
    if free < FREE_MB:
        raise Wrong(found)
    return found


@check(
    "settings", "no settings of numba",
    "unset what you do not need: the engine compiles again with these, and may be slower",
)  # fmt: skip
def _settings() -> str:
    found = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if (name.startswith("NUMBA_") and name not in _OTHER_CHECKS) or name == "PYTHAGORAS_TUNE"
    ]
    if Path(".numba_config.yaml").is_file():
        found.append(".numba_config.yaml in this folder")
    if found:
        raise Note(", ".join(found))
    return "none"


CHECKS = _python, _files, _terminal, _memory, _cache_folder, _settings
