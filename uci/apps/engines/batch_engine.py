"""An engine process of ours that scores positions in batches: one message for hundreds of them.

A position of a thousand nodes takes two milliseconds, and exchanging UCI commands for each would
double that.
"""

import contextlib
import json
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from uci.apps.console.own_command import own_command
from uci.apps.engines.client import CLOSE_TIMEOUT, EngineGone, TaskStopped
from uci.apps.engines.scored_records import ScoreRecord
from uci.apps.engines.task_worker import count, keep
from uci.errors import UciError, reason

PROCESS = "uci.apps.engines.batch_process"


class BatchEngine:
    """A process that is started at the first use, and again if it has ended.

    One thread uses it at a time; any thread may call `stop`. The lock excludes a stop between the
    check and the start of a process.
    """

    def __init__(self, limit: tuple[str, int], hash_mb: int) -> None:
        """Take a limit, of ``nodes`` or ``depth``, and the MiB of the table."""
        self._settings = {"limit": limit, "hash": hash_mb}
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def score(self, lines: Sequence[str], san: bool) -> list[ScoreRecord]:
        """Return the records of some lines: see `uci.apps.engines.batch_process`.

        Raises `UciError` if the process cannot be started, `EngineGone` and `TaskStopped`.
        """
        try:
            if self._process is None:
                self._start()
            records: list[ScoreRecord] = self._ask({"lines": lines, "san": san})
        except BaseException:
            self._end()
            if self._stopped:
                raise TaskStopped from None
            raise
        return records

    def stop(self) -> None:
        """End the process; later calls raise `TaskStopped`. Any thread may call this."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self.stop()
        self._end()

    def _start(self) -> None:
        with self._lock:
            if self._stopped:
                raise TaskStopped
            try:
                self._process = subprocess.Popen(
                    own_command(module=PROCESS),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    process_group=0,  # Ctrl-C reaches only the parent, which ends the engine
                )
            except OSError as error:
                raise UciError(f"could not start an engine: {reason(error)}") from None
        if why := self._ask(self._settings).get("error"):
            raise UciError(f"the engine cannot be loaded: {why}")

    def _ask(self, message: object) -> Any:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            raise EngineGone("an engine has ended")
        return json.loads(answer)

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait(CLOSE_TIMEOUT)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            # Closing flushes what the process did not read, which fails.
            with contextlib.suppress(OSError):
                pipe.close()


def score_lines(
    limit: tuple[str, int], hash_mb: int, lines: Sequence[str], san: bool = False
) -> list[ScoreRecord]:
    """Return the records of some lines of FEN or EPD: a task for an executor.

    Raises as `BatchEngine.score` does.
    """
    records = keep(BatchEngine, limit, hash_mb).score(lines, san)
    count(sum(record.get("nodes", 0) for record in records))
    return records
