"""File locks, by which processes exclude each other.

The operating system releases a lock when its process ends, even if it crashes.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int, wait: bool) -> bool:
        """Lock an open file; return False when another process holds it, unless we ``wait``."""
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            except PermissionError:
                if not wait:
                    return False
                time.sleep(0.05)
            except OSError:  # no locks on this file system
                return True
            else:
                return True

else:
    import fcntl

    def lock(descriptor: int, wait: bool) -> bool:
        """Lock an open file; return False when another process holds it, unless we ``wait``."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError:  # no locks on this file system
            return True
        return True


@contextmanager
def locked(path: Path, wait: bool = True, mode: int = 0o600) -> Iterator[bool]:
    """Hold the lock of the file ``path``; yield False if another process holds it.

    The file is created with the permissions ``mode`` if it does not exist. Raises `OSError`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, mode)
    try:
        yield lock(descriptor, wait)
    finally:
        os.close(descriptor)
