"""Checks of Python, our files and the machine. They import no packages."""

import base64
import csv
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath

from engine.jit import cache
from engine.memory.available import available
from engine.user_folders import cache_variable
from uci.apps.console import extras
from uci.apps.console.own_command import ROOT
from uci.apps.doctor.check import Note, Skipped, Wrong, check
from uci.errors import reason

OURS = "engine", "uci", "pythagoras"
"""The folders of our packages."""

SYMBOLS = "–→±½♔é"
"""The non-ASCII characters that our commands print; players' names may have others."""

COLUMNS = 80
NEEDED_MB = 500
"""MiB of memory that compilation needs, including its second process."""

FREE_BYTES = 100 << 20
"""Free disk space needed; compiled code takes a tenth of it."""

_OTHER_CHECKS = {"NUMBA_DISABLE_JIT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_CACHE_DIR"}
"""Settings to ignore: other checks report them, and the last one has no effect."""


def numbers(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version."""
    first, second, *_ = [*re.findall(r"[0-9]+", version), "0", "0"]
    return int(first), int(second)


def fits(version: str, specifier: str) -> bool:
    """Return whether a version satisfies ``>=`` and ``<`` of a specifier."""
    return all(
        (numbers(version) >= numbers(bound)) == bound.startswith(">=")
        for bound in filter(None, specifier.split(","))
    )


@check("Python", f"CPython {extras.project().python}, 64 bit")
def _python() -> str:
    found = f"{platform.python_implementation()} {platform.python_version()}"
    rows = extras.project().classifiers
    tested = [row.split()[-1] for row in rows if "Python :: 3." in row]
    version = ".".join(platform.python_version_tuple()[:2])
    if version not in tested or not found.startswith("CPython") or sys.maxsize < 1 << 32:
        raise Note(found, f"not tested; use 64-bit CPython {', '.join(tested)}")
    return found


def reinstall_ours() -> str:
    """Return the command that reinstalls us, from the same origin if pip recorded it."""
    package = extras.installed()
    origin = json.loads((package and package.read_text("direct_url.json")) or "{}")
    return extras.reinstall_command("--no-deps", origin.get("url", extras.DISTRIBUTION))


@check("files", "as installed", reinstall_ours())
def _files() -> str:
    checkout = _checkout() if (ROOT / ".git").exists() else ""
    package = extras.installed()
    if package is None:
        return checkout or "not by pip"
    # `Distribution.files` omits missing files from Python 3.12 on.
    record = csv.reader((package.read_text("RECORD") or "").splitlines())
    ours = [row for row in record if row[1] and PurePosixPath(row[0]).parts[0] in OURS]
    changed = [fault for name, checksum, _ in ours if (fault := _fault(package, name, checksum))]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise Wrong(f"changed or missing: {changed[0]}{more}")
    return f"{len(ours)} files, all unchanged" if ours else checkout


def _checkout() -> str:
    """Return the commit, with a ``+`` if files differ from it."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return "a checkout"
    return f"a checkout, {done.stdout.strip()}"


def _fault(package: Distribution, name: str, checksum: str) -> str:
    """Return the name of a file that is not as installed, and why if it cannot be read."""
    algorithm, _, value = checksum.partition("=")
    try:
        data = Path(str(package.locate_file(name))).read_bytes()
    except OSError as error:
        return f"{name} ({reason(error)})"
    digest = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest())
    return "" if digest.decode().rstrip("=") == value else name


@check("terminal", f"UTF-8, {COLUMNS} columns")
def _terminal() -> str:
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    found = f"{encoding}, {columns} columns" if columns else f"none: {encoding} to a file or pipe"
    try:
        SYMBOLS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        raise Wrong(found, "set LANG to a UTF-8 locale such as C.UTF-8, or PYTHONUTF8=1") from None
    if 0 < columns < COLUMNS:
        raise Note(found, "make the window wider: tables are folded")
    return found


@check("memory", f"{NEEDED_MB} MB to compile")
def _memory() -> str:
    free = available()
    if free is None:
        raise Skipped("not known on this system")
    if free < NEEDED_MB:
        raise Wrong(f"{free} MB free", "close other programs, or give the container more")
    return f"{free:,} MB free"


@check("cache folder", "private, with enough space")
def _cache_folder() -> str:
    variable = f"set {cache_variable()} to a folder"
    try:
        folder = cache.open_folder().parent
        trial = folder / "doctor"
        cache.write(trial, bytes(4096))
        trial.unlink()
        free = shutil.disk_usage(folder).free
    except (OSError, RuntimeError) as error:
        fix = "free some space there"
        if isinstance(error, PermissionError):
            fix = "make it and all folders above it yours, writable only by you: chown, chmod go-w"
        path = getattr(error, "filename", None)
        found = f"{reason(error)}: {path}" if path else reason(error)
        raise Wrong(found, f"{fix}; or {variable} of your own") from error
    found = f"{folder}, {free / (1 << 30):.1f} GB free"
    if free < FREE_BYTES:
        raise Wrong(found, f"free some space on that disk, or {variable} on another disk")
    return found


@check("settings", "no settings of numba")
def _settings() -> str:
    found = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if (name.startswith("NUMBA_") and name not in _OTHER_CHECKS) or name == "PYTHAGORAS_TUNE"
    ]
    if Path(".numba_config.yaml").is_file():
        found.append(".numba_config.yaml in this folder")
    if found:
        fix = "unset what you do not need: the engine compiles again with these, and may be slower"
        raise Note(", ".join(found), fix)
    return "none"


CHECKS = _python, _files, _terminal, _memory, _cache_folder, _settings
