"""Whether two machines have the same engine: what they must have in common for the same results.

Not `engine.jit.cache.digest`: that holds the path, the build of Python and the settings, which may
differ.
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
"""What a worker has one of, by Dask's resources: one task at a time."""

NETWORK = "evaluation", "nets", "default.nnue"
PACKAGES = ("numba", "numpy", "chess", "dask", "distributed")
LEFT_OUT = "uci/library/"
"""An installed package has it elsewhere, and no task needs it."""


@functools.cache
def facts() -> Mapping[str, str]:
    """Return what must be alike, by its name; as it was when this process first asked."""
    return {
        "Pythagoras": __version__,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: _version(name) for name in PACKAGES},
        "network": _short(
            hashlib.sha256(resources.files("engine").joinpath(*NETWORK).read_bytes())
        ),
        "sources": _sources_digest(),
    }


def fingerprint() -> str:
    """Return the name of a resource that only workers with the same `facts` have."""
    return f"pythagoras {_short(hashlib.sha256(json.dumps(facts()).encode()))}"


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Return in words in what two machines differ; nothing where they are alike."""
    return "; ".join(
        f"{name} {theirs.get(name, 'none')}, here {ours.get(name, 'none')}"
        for name in {**ours, **theirs}
        if ours.get(name) != theirs.get(name)
    )


def _sources_digest() -> str:
    """Return a digest of all our sources by their relative names."""
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
