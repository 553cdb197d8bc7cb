"""Checks whether two machines have the same engine, so that their results are the same.

It does not use `engine.jit.cache.digest`, which covers the path, the Python build and settings:
these may differ.
"""

import functools
import hashlib
import json
import platform
from collections.abc import Mapping
from importlib import metadata, resources

from engine.jit.cache import sources
from uci import __version__

ENGINE = "engine"
"""Dask resource of which each worker has one: it runs one task at a time."""

NETWORK = "evaluation", "nets", "default.nnue"
PACKAGES = ("numba", "numpy", "chess", "dask", "distributed")
LEFT_OUT = "uci/library/"
"""Excluded from the digest: installed packages have it in another folder, and no task uses it."""


@functools.cache
def facts() -> Mapping[str, str]:
    """Return the versions and digests that machines must share, by name; computed once."""
    return {
        "Pythagoras": __version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: _version(name) for name in PACKAGES},
        "network": _short(
            hashlib.sha256(resources.files("engine").joinpath(*NETWORK).read_bytes())
        ),
        "sources": _sources_digest(),
    }


def engine_facts() -> dict[str, str]:
    """Return the engine's version and digests, for documents: results depend on these."""
    known = facts()
    return {
        "name": "Pythagoras",
        "version": known["Pythagoras"],
        "network": known["network"],
        "sources": known["sources"],
    }


def fingerprint() -> str:
    """Return the name of a Dask resource that only workers with the same `facts` have."""
    return f"pythagoras {_short(hashlib.sha256(json.dumps(facts()).encode()))}"


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Return a text on the differences of two machines; empty if there are none."""
    return "; ".join(
        f"{name} {theirs.get(name, 'none')}, here {ours.get(name, 'none')}"
        for name in {**ours, **theirs}
        if ours.get(name) != theirs.get(name)
    )


def _sources_digest() -> str:
    """Return a digest of all our sources and their relative names."""
    found = hashlib.sha256()
    packages = {name: resources.files(name) for name in ("engine", "uci")}
    for package, folder in packages.items():
        for name, source in sorted(sources(folder, f"{package}/")):
            if not name.startswith(LEFT_OUT):
                content = source.read_bytes()
                found.update(f"{name} {len(content)} ".encode() + content)
    return _short(found)


def _short(found: "hashlib._Hash") -> str:
    return found.hexdigest()[:12]


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"
