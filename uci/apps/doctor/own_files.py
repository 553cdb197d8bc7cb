"""The files that were installed, and the network among them."""

import base64
import csv
import hashlib
import json
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

from uci import __version__
from uci.apps.console.extras import install_command, reinstall_command
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.own_process import ROOT
from uci.apps.doctor.path_clashes import OURS
from uci.errors import reason

DISTRIBUTION = "pythagoras-chess"


def check_files(_: Findings) -> Check:
    """Check that each file is as it was installed; of a checkout, tell the commit."""
    wanted = "as they were installed"
    installed = distribution()
    if installed is None:
        found = f"a checkout{_of_commit()}" if (ROOT / ".git").exists() else "not by pip"
        return Check("files", "ok", found, wanted)
    changed = sorted(_changed(installed))
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        found = f"changed or missing: {changed[0]}{more}"
        return Check("files", "wrong", found, wanted, _again(installed))
    count = sum(1 for _ in _hashed(installed))
    if count:
        return Check("files", "ok", f"{count} files, all whole", wanted)
    if installed.version != __version__:
        again = install_command("--editable", str(ROOT))
        mend = f"{again}: pip and the sources name different versions"
        return Check(
            "files", "note", f"{__version__}, installed as {installed.version}", wanted, mend
        )
    return Check("files", "ok", f"a checkout{_of_commit()}", wanted)


def check_network(findings: Findings) -> Check:
    """Check the network that evaluates positions."""
    wanted = "whole, by its checksum"
    if not findings.imports_engine:
        return Check("network", "skipped", "not tried: needs numpy, and numba", wanted)
    if why := findings.probe.failure("network"):
        return Check("network", "wrong", why, wanted, _again(distribution()))
    return Check("network", "ok", str(findings.probe.step("network")), wanted)


def distribution() -> metadata.Distribution | None:
    """Return what pip knows of these very files; ``None`` if it does not know them."""
    for found in metadata.distributions(name=DISTRIBUTION):
        if found.locate_file("uci").resolve() == (ROOT / "uci"):  # type: ignore[attr-defined]
            return found
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable") and origin.get("url") == ROOT.as_uri():
            return found
    return None


def _again(installed: metadata.Distribution | None) -> str:
    """Return the command that installs us again, from where we came if pip has noted that."""
    origin = json.loads((installed and installed.read_text("direct_url.json")) or "{}")
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


def _of_commit() -> str:
    found = commit()
    return f", {found}" if found else ""


def _hashed(installed: metadata.Distribution) -> Iterator[tuple[str, str]]:
    """Yield the files of our packages whose checksums pip has kept, and these.

    From pip's own list: the standard library's leaves out what is missing, from Python 3.12 on.
    """
    for name, checksum, *_ in csv.reader((installed.read_text("RECORD") or "").splitlines()):
        if checksum and PurePosixPath(name).parts[0] in OURS:
            yield name, checksum


def _changed(installed: metadata.Distribution) -> Iterator[str]:
    """Yield the names of files that are missing, or not as they were installed."""
    for name, checksum in _hashed(installed):
        try:
            data = Path(str(installed.locate_file(name))).read_bytes()
        except OSError as error:
            yield f"{name} ({reason(error)})"
            continue
        mode, _, value = checksum.partition("=")
        digest = base64.urlsafe_b64encode(hashlib.new(mode, data).digest())
        if digest.rstrip(b"=").decode() != value:
            yield name
