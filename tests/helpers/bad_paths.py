"""Paths that cannot be read as a file, though a user may type them."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def bad_paths(folder: Path) -> Iterator[dict[str, str]]:
    """Make such paths in ``folder`` and yield them by kind. None contains a NUL."""
    made = {
        "folder": str(folder),
        "missing": str(folder / "missing"),
        "long": "x" * 5000,
        "within a file": str(folder / "plain" / "file"),
    }
    (folder / "plain").write_bytes(b"plain")
    if os.name != "posix":
        yield made
        return
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    made |= {"pipe": str(folder / "pipe"), "loop": str(folder / "loop"), "zero": "/dev/zero"}
    if os.geteuid() != 0:  # root can read all files
        (folder / "closed").write_bytes(b"closed")
        (folder / "closed").chmod(0)
        made["closed"] = str(folder / "closed")
    # The path of a socket has at most some hundred bytes.
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as server:
        made["socket"] = str(Path(short, "socket"))
        server.bind(made["socket"])
        yield made
