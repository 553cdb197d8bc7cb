"""The engine at another path, and certificates as options of Dask and of our commands."""

import shutil
from pathlib import Path


def copy_sources(root: Path, to: Path) -> Path:
    """Copy the engine to another path, as another machine has it."""
    for package in "engine", "uci":
        shutil.copytree(root / package, to / package, ignore=shutil.ignore_patterns("__pycache__"))
    return to


def dask_options(certificates: Path) -> tuple[str, ...]:
    """Return Dask's options for the certificates."""
    return (
        "--tls-ca-file", str(certificates / "ca.pem"),
        "--tls-cert", str(certificates / "cert.pem"),
        "--tls-key", str(certificates / "key.pem"),
    )  # fmt: skip


def our_options(certificates: Path) -> tuple[str, ...]:
    """Return our commands' options for the certificates."""
    words = dask_options(certificates)
    return ("--tls-ca", *words[1:])
