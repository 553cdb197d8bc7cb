"""Checks of the installed files, including the network."""

import base64
import csv
import hashlib
import json
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

from uci import __version__
from uci.apps.console.extras import DISTRIBUTION, install_command, installed, reinstall_command
from uci.apps.console.own_command import ROOT
from uci.apps.doctor.check import check
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import Note, Wrong
from uci.errors import reason

OURS = {"engine": "jit", "uci": "session", "pythagoras": "transport.py"}
"""Our packages, each with an entry of its folder that other packages do not have."""


@check("files", "as installed")
def files(_: Diagnostics) -> str:
    """Check that each file is as it was installed; report the commit of a checkout."""
    revision = f", {found}" if (found := commit()) else ""
    package = installed()
    if package is None:
        return f"a checkout{revision}" if (ROOT / ".git").exists() else "not by pip"
    hashed = list(_hashed(package))
    changed = sorted(_changed(package, hashed))
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise Wrong(f"changed or missing: {changed[0]}{more}", _reinstall(package))
    if hashed:
        return f"{len(hashed)} files, all unchanged"
    if package.version != __version__:
        fix = f"{install_command('--editable', str(ROOT))}: pip's version is not that of the files"
        raise Note(f"{__version__}, installed as {package.version}", fix)
    return f"a checkout{revision}"


@check("network", "a valid checksum")
def network(diagnostics: Diagnostics) -> str:
    """Check the network file."""
    diagnostics.require_package("numpy")
    if not diagnostics.probe.missing("numba"):  # without it the engine is interpreted
        diagnostics.require_package("numba")
    return str(diagnostics.probe.require("network", fix=_reinstall(installed())))


def _reinstall(package: metadata.Distribution | None) -> str:
    """Return the command that reinstalls us, from the same origin if pip recorded it."""
    origin = json.loads((package and package.read_text("direct_url.json")) or "{}")
    return reinstall_command("--no-deps", origin.get("url", DISTRIBUTION))


def commit() -> str:
    """Return the commit of a checkout, with a ``+`` if files differ from it; empty elsewhere."""
    if not (ROOT / ".git").exists():
        return ""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(git, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _hashed(package: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """Yield our files that have a checksum, with the checksum.

    They are from pip's list: `Distribution.files` omits missing files from Python 3.12 on.
    """
    for name, checksum, *_ in csv.reader((package.read_text("RECORD") or "").splitlines()):
        if checksum and PurePosixPath(name).parts[0] in OURS:
            yield name, checksum


def _changed(package: metadata.Distribution, hashed: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the names of files that are missing or changed."""
    for name, checksum in hashed:
        try:
            data = Path(str(package.locate_file(name))).read_bytes()
        except OSError as error:
            yield f"{name} ({reason(error)})"
            continue
        algorithm, _, value = checksum.partition("=")
        digest = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest())
        if digest.rstrip(b"=").decode() != value:
            yield name
