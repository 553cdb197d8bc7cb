"""The folders of compiled code: a private one for each state of the engine.

numba notices neither an edit in an imported file nor a changed setting, so a folder is named
by a digest of all that its machine code depends on. So different revisions never share a folder,
and nothing ever has to be invalidated.

The cache holds pickles, and loading a pickle runs it: a folder that another user could write to
or replace is refused. Code is then compiled without being kept.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

from engine.file_lock import locked
from engine.user_folders import cache_folder

_PACKAGES = ("numba", "llvmlite", "numpy")
_UNUSED_SECONDS = 30 * 24 * 3600
_DIGEST = re.compile("[0-9a-f]{24}")
_APART = ("lab/", "custom/")
"""Folders whose sources do not affect the playing engine's machine code."""

_LOCK, _STAMP, _MARKER = "lock", "used", "complete"
_DRAFT = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

if sys.platform == "win32":

    def _refuse_shared(folder: Path) -> None:
        """Do nothing: a Windows profile is private to its user, and so is what lies in it."""

    _refuse_strangers = _refuse_shared

    def _is_ours(status: os.stat_result) -> bool:
        """Return True: a Windows profile is private to its user."""
        return True

else:

    def _refuse_shared(folder: Path) -> None:
        """Raise `PermissionError` unless we alone own and can write to ``folder``."""
        # The owner of a link counts as well.
        if folder.lstat().st_uid != os.geteuid() or not _is_ours(folder.stat()):
            raise PermissionError(f"{folder} is writable by other users")

    def _is_ours(status: os.stat_result) -> bool:
        """Return whether we own a file or folder, and no other user can write to it.

        An access control list (ACL) that lets another user write shows in the group's bits.
        """
        return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

    def _refuse_strangers(folder: Path) -> None:
        """Raise `PermissionError` if other users could rename what we put in ``folder``.

        They could if they owned, or could write to, a folder above it. Those are checked from the
        root down, so that nobody can replace the next one after the check. This also keeps a
        ``sudo`` that does not change HOME from leaving root's files in a user's home.
        """
        system = Path(folder.anchor).lstat().st_uid  # in a container root may have another number
        for path in reversed((folder, *folder.parents)):
            status = path.lstat()
            anybody = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
            strange = status.st_uid not in (os.geteuid(), 0, system)
            if anybody or strange or not stat.S_ISDIR(status.st_mode):
                raise PermissionError(f"{path} is owned by another user")


def folder(name: str | None = None) -> Path | None:
    """Return the folder that `open_folder` returns; ``None`` if there is no usable one."""
    try:
        return open_folder(name)
    except (OSError, RuntimeError):
        return None


def open_folder(name: str | None = None) -> Path:
    """Return the folder ``name``, by default this engine's, created and marked as used now.

    Raises `OSError` where the user's cache directory cannot be written or trusted, `RuntimeError`
    where there is no home directory.
    """
    chosen = _root() / (name or digest())
    _create(chosen.parent)
    # No process prunes under this lock: once stamped, the folder cannot vanish.
    with locked(chosen.parent / _LOCK):
        _create(chosen)
        (chosen / _STAMP).touch(mode=0o600)
    prune(spared=chosen)
    return chosen


def digest(everything: bool = False) -> str:
    """Return a digest of all that the machine code depends on: 24 hexadecimal digits.

    That is every source of the engine and its path (part of numba's key), the versions of Python
    and of the compiler's packages, the machine, numba's settings (variables, and a file in the
    current directory), and whether parameters can be set. The sources under ``lab/`` and
    ``custom/`` only count for ``everything``.
    """
    package = resources.files(__package__.partition(".")[0])
    settings = {
        k: v for k, v in os.environ.items() if k.startswith("NUMBA_") or k == "PYTHAGORAS_TUNE"
    }
    settings.pop("NUMBA_CACHE_DIR", None)  # the folder chosen here overrides it
    facts = [
        sys.version,
        platform.machine(),
        str(package),
        [_version(name) for name in _PACKAGES],
        sorted(settings.items()),
        *_settings_file(),
    ]
    found = hashlib.sha256(repr(facts).encode())
    for name, source in sorted(sources(package)):
        if everything or not name.startswith(_APART):
            content = source.read_bytes()
            found.update(f"{name} {len(content)} ".encode() + content)
    return found.hexdigest()[:24]


def prune(spared: Path | None = None) -> None:
    """Remove the folders that were not used for 30 days, unless a process compiles in them.

    The folder ``spared`` always stays, even if the clock has jumped meanwhile.
    """
    with contextlib.suppress(OSError, RuntimeError):
        root = _root()
        _refuse_shared(root)
        with locked(root / _LOCK, wait=False) as alone, os.scandir(root) as entries:
            for entry in entries:
                ours = _DIGEST.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
                old = alone and ours and Path(entry.path) != spared and _unused(Path(entry.path))
                if old:
                    shutil.rmtree(entry.path, ignore_errors=True)


@contextlib.contextmanager
def compiling(folder: Path) -> Iterator[None]:
    """Hold the lock of ``folder``, so that only one process compiles into it.

    Where files cannot be locked, several processes compile the same code side by side, which is
    slow but safe.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(locked(folder / _LOCK))
        yield


def is_complete(folder: Path, names: Iterable[str]) -> bool:
    """Return whether all ``names`` were compiled into ``folder``."""
    return _compiled(folder).issuperset(names)


def mark_complete(folder: Path, names: Iterable[str]) -> None:
    """Note that ``names`` were compiled into ``folder``; a full disk is no error.

    Call it only while `compiling`, which keeps other writers away.
    """
    with contextlib.suppress(OSError):
        write(folder / _MARKER, "\n".join(sorted(_compiled(folder).union(names))).encode())


def _compiled(folder: Path) -> set[str]:
    """Return the names that were compiled into ``folder``; empty if the list is damaged."""
    try:
        return set(read(folder / _MARKER).decode().split())
    except (OSError, UnicodeDecodeError):
        return set()


def read(path: Path) -> bytes:
    """Return the content of a file in our folder; `OSError` if it is missing or another user's.

    The owner is read from the open file, so it does not help an attacker to swap the folder after
    it was checked.
    """
    with path.open("rb") as file:
        if not _is_ours(os.fstat(file.fileno())):
            raise PermissionError(f"{path} is writable by other users")
        return file.read()


def write(path: Path, data: bytes) -> None:
    """Write a file in our folder atomically, readable by us only.

    Raises `OSError`; then no part of the file is left.
    """
    draft = path.with_name(f"{path.name}.draft")
    draft.unlink(missing_ok=True)  # never through a link
    try:
        with os.fdopen(os.open(draft, _DRAFT, 0o600), "wb") as file:
            file.write(data)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def _root() -> Path:
    """Return our folder in the user's cache directory; `RuntimeError` without a home directory."""
    return cache_folder().resolve()  # the checked path is the used one


def _create(folder: Path) -> None:
    """Make ``folder`` and its missing parents, private; `OSError` if they cannot be trusted."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    parent = missing[-1].parent if missing else folder.parent
    _refuse_strangers(parent)
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
        _refuse_shared(path)
    _refuse_shared(folder)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _settings_file() -> Iterator[bytes]:
    """Yield the file with settings that numba looks for where the process was started."""
    path = Path(".numba_config.yaml")
    with contextlib.suppress(OSError):
        if path.is_file():
            yield path.read_bytes()


def sources(package: Traversable, prefix: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the relative name and the file of each source, in a folder or in a zip."""
    for entry in package.iterdir():
        if entry.is_dir():
            yield from sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            yield prefix + entry.name, entry


def _unused(folder: Path) -> bool:
    """Return whether ``folder`` is old and unlocked; the caller holds the root's lock."""
    try:
        stamp = folder / _STAMP
        used = (stamp if stamp.exists() else folder).lstat().st_mtime
        if time.time() - used < _UNUSED_SECONDS:
            return False
        with locked(folder / _LOCK, wait=False) as free:
            return free
    except OSError:
        return False
