"""Builds of the engine, from a revision or the working tree, that later edits do not change.

Each has a virtual environment of its own under ``.matches/builds``. The dependencies, which are
large, are installed once for all builds with the same requirements, and found by a path.
"""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
MATCHES = ROOT / ".matches"
BUILDS = MATCHES / "builds"
PARTS = ("engine", "uci", "pyproject.toml")
"""The files of a build; edits of other files need no new build."""

PLAYER = "arena_player.py"
"""The script that plays for a build in `scripts.match.arena`, somewhere in its scripts/."""


class MatchError(Exception):
    """Raised if a match cannot be played; the message is one line for the user."""


@dataclass(frozen=True, slots=True)
class Build:
    """An installed engine: ``key`` identifies its sources, ``command`` starts it, ``player`` is the
    script that plays for it in an arena, if requested."""

    key: str
    command: Path
    player: Path | None = None

    @property
    def python(self) -> Path:
        """The interpreter of the environment in which the engine is installed."""
        return self.command.with_name("python" + self.command.suffix)


def tree_of(revision: str | None) -> str:
    """Return the id of the git tree of a revision, or of the working tree with its new files.

    A revision is anything that git accepts, also a tree's id. Raises `MatchError`.
    """
    if revision is not None:
        try:
            return _git("rev-parse", "--verify", "--quiet", f"{revision}^{{tree}}")
        except MatchError:
            raise MatchError(f"unknown git revision {revision!r}") from None
    with tempfile.TemporaryDirectory() as folder:
        # A temporary index: the user's own stays unchanged.
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        _git("read-tree", "HEAD", **index)
        _git("add", "--all", **index)
        return _git("write-tree", **index)


def commit_of(revision: str) -> str:
    """Return the short hash of a revision's commit. Raises `MatchError`."""
    return _git("rev-parse", "--verify", "--short", f"{revision}^{{commit}}")


def build(revision: str | None, player: bool = False) -> Build:
    """Return the build of a revision (None: of the working tree), installed, with compiled kernels.

    With ``player``, the revision's own player is added. Raises `MatchError`, also if it has none.
    """
    name = revision or "the working tree"
    tree = tree_of(revision)
    parts = _git("ls-tree", tree, "--", *PARTS)
    if len(parts.splitlines()) != len(PARTS):
        raise MatchError(f"{name} does not contain all of {', '.join(PARTS)}")
    playing = _player(tree, name) if player else None
    key = _digest(parts)
    folder = BUILDS / key
    command = _scripts(folder) / "pythagoras"
    if not _is_ready(folder):
        print(f"building {name} as {key}", flush=True)
        _install(tree, folder)
    _run([str(command), "warm"])
    return Build(key, command, _keep(tree, *playing, folder) if playing else None)


def _player(tree: str, name: str) -> tuple[str, str]:
    """Return the id and the path of the player in ``tree``; ``name`` is for the error."""
    for line in _git("ls-tree", "-r", tree, "--", "scripts").splitlines():
        facts, _, path = line.partition("\t")
        if PurePosixPath(path).name == PLAYER:
            return facts.split()[2], path
    raise MatchError(f"{name} has no {PLAYER}: it is too old for make arena")


def _keep(tree: str, content: str, path: str, folder: Path) -> Path:
    """Return a copy of the player at ``path`` of ``tree`` in the build's ``folder``.

    The id of its ``content`` distinguishes it from players of other trees with the same build.
    """
    kept = folder / f"{content}-{PLAYER}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=folder) as sources:
            _extract(tree, Path(sources), path)
            Path(sources, path).replace(kept)
    return kept


def _extract(tree: str, folder: Path, *paths: str) -> None:
    """Write the files of ``tree``, or those at ``paths``, into ``folder``."""
    with tempfile.TemporaryDirectory() as name:
        archive = Path(name, "sources.tar")
        _git("archive", "--format=tar", f"--output={archive}", tree, *paths)
        with tarfile.open(archive) as file:
            file.extraction_filter = getattr(tarfile, "data_filter", None)  # new in Python 3.11.4
            file.extractall(folder)  # noqa: S202  (our own sources)


def _install(tree: str, folder: Path) -> None:
    """Install the engine of ``tree`` into a new environment in ``folder``."""
    with tempfile.TemporaryDirectory() as name:
        sources = Path(name)
        _extract(tree, sources)
        project = tomllib.loads((sources / "pyproject.toml").read_text(encoding="utf-8"))
        dependencies = _dependencies(project["project"]["dependencies"])
        _create(folder, "--without-pip")
        pip = [*_module("pip", _python(dependencies)), "--python", str(_python(folder))]
        _run([*pip, "install", "--quiet", "--no-deps", str(sources)])
    path = _packages(folder) / "dependencies.pth"
    path.write_text(f"{_packages(dependencies)}\n", encoding="utf-8")
    _mark_ready(folder)


def _dependencies(requirements: Sequence[str]) -> Path:
    """Return an environment that has ``requirements`` and pip."""
    folder = BUILDS / f"dependencies-{_digest(json.dumps(sorted(requirements)))}"
    if not _is_ready(folder):
        print(f"installing {', '.join(requirements)}", flush=True)
        _create(folder)
        pip = [*_module("pip", _python(folder)), "install", "--quiet"]
        _run([*pip, "--disable-pip-version-check", *requirements])
        _mark_ready(folder)
    return folder


def _create(folder: Path, *options: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # remains of an interrupted installation
    _run([*_module("venv"), *options, str(folder)])


def _module(name: str, python: Path | str = sys.executable) -> list[str]:
    """Return the command that runs a Python module, independent of the current directory."""
    return [str(python), "-P", "-m", name]


def _is_ready(folder: Path) -> bool:
    return (folder / "ready").exists()


def _mark_ready(folder: Path) -> None:
    (folder / "ready").touch()


def _digest(text: str) -> str:
    """Return a short name for ``text`` under this Python."""
    facts = f"{sys.version}\n{platform.machine()}\n{text}"
    return hashlib.sha256(facts.encode()).hexdigest()[:10]


def _scripts(folder: Path) -> Path:
    return _path(folder, "scripts")


def _packages(folder: Path) -> Path:
    return _path(folder, "purelib")


def _path(folder: Path, kind: str) -> Path:
    base = {"base": str(folder), "platbase": str(folder)}
    return Path(sysconfig.get_path(kind, "venv", base))


def _python(folder: Path) -> Path:
    return _scripts(folder) / ("python.exe" if os.name == "nt" else "python")


def _git(*words: str, **environment: str) -> str:
    return _run(["git", "-C", str(ROOT), *words], **environment)


def _run(command: Sequence[str], **environment: str) -> str:
    """Return the output of ``command``. Raises `MatchError` with its last line of errors."""
    try:
        done = subprocess.run(
            command, env=os.environ | environment, text=True, capture_output=True, check=False
        )
    except OSError as error:
        raise MatchError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).strip().splitlines()[-1:]
        words = " ".join(command[:5])
        raise MatchError(f"{words} … failed: {complaint[0] if complaint else done.returncode}")
    return done.stdout.strip()
