"""The engine at another path, and certificates as Dask and we are told of them."""

import shutil
from pathlib import Path


def copy_sources(root: Path, to: Path) -> Path:
    """Copy the engine to another path, as another machine has it."""
    for package in "engine", "uci":
        shutil.copytree(root / package, to / package, ignore=shutil.ignore_patterns("__pycache__"))
    return to


def dask_options(certificates: Path) -> tuple[str, ...]:
    """Return how Dask is told of certificates."""
    return (
        "--tls-ca-file", str(certificates / "ca.pem"),
        "--tls-cert", str(certificates / "cert.pem"),
        "--tls-key", str(certificates / "key.pem"),
    )  # fmt: skip


def our_options(certificates: Path) -> tuple[str, ...]:
    """Return how our commands are told of them."""
    words = dask_options(certificates)
    return ("--tls-ca", *words[1:])
