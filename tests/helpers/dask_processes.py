"""Schedulers and workers of Dask on this machine, each a process of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from scripts.patience import COLD

PRELOAD = ("--preload", "uci.apps.engines.preload")


@dataclass
class DaskProcesses:
    """Dask processes that run the sources in ``root`` and keep their files in ``folder``.

    ``tls`` are Dask's options for TLS. The scheduler is the first of the ``processes``.
    """

    root: Path
    folder: Path
    tls: tuple[str, ...] = ()
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The scheduler's address."""
        return str(json.loads((self.folder / "scheduler.json").read_text())["address"])

    @property
    def log(self) -> str:
        """The output of all processes."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def start(self, *words: str, sources: Path | None = None, **settings: str) -> None:
        """Start a program of Python by its module, with our sources, or those in ``sources``."""
        paths = {"PYTHONPATH": str(sources or self.root)}
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *words],
                env=os.environ | paths | settings, cwd=self.folder, stdout=log, stderr=log,
            )  # fmt: skip
        self.processes.append(process)

    def schedule(self, **settings: str) -> None:
        """Start the scheduler, on a free port of the loopback."""
        path = self.folder / "scheduler.json"
        self.start(
            "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--protocol", "tls" if self.tls else "tcp", "--scheduler-file", str(path), *self.tls,
            sources=None, **settings,
        )  # fmt: skip
        self._wait("no scheduler", lambda: path.exists() and bool(path.read_text()))

    def work(
        self, *words: str, count: int = 1, sources: Path | None = None, **settings: str
    ) -> None:
        """Start workers, each in a process that is not replaced when it dies."""
        for _ in range(count):
            self.start(
                "dask", "worker", self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard",
                "--memory-limit", "0", "--local-directory", str(self.folder), *self.tls, *words,
                sources=sources, **settings,
            )  # fmt: skip

    def wait_for_workers(self, count: int) -> None:
        """Wait until Dask's log reports ``count`` connected workers. Raises `OSError`."""
        self._wait("no workers", lambda: self.log.count(" Registered to: ") >= count)

    def _wait(self, what: str, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + COLD
        while not done():
            ended = any(process.poll() is not None for process in self.processes)
            if ended or time.monotonic() > deadline:
                raise OSError(f"{what}: {self.log}")
            time.sleep(0.05)

    def end(self) -> None:
        """Kill the processes that still run."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@contextmanager
def dask_processes(
    root: Path, folder: Path, tls: tuple[str, ...] = (), workers: int = 2, **settings: str
) -> Iterator[DaskProcesses]:
    """Yield a scheduler, with ``settings`` in its environment, and so many workers of ours."""
    folder.mkdir()
    cluster = DaskProcesses(root, folder, tls)
    try:
        cluster.schedule(**settings)
        cluster.work(*PRELOAD, count=workers)
        cluster.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.end()
