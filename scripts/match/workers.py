"""Threads that play games until all of them end, one fails or Ctrl-C is pressed."""

import threading
from collections.abc import Callable


class Workers:
    """Some threads that run the same function, which checks `stopped` between two games."""

    def __init__(self, count: int, work: Callable[[], None]) -> None:
        self.stopped = False
        self._work = work
        self._errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  (raised by `run`)
            self._errors.append(error)
            self.stopped = True

    def run(self, each_second: Callable[[], None] = lambda: None) -> None:
        """Start the threads and wait for their end; call ``each_second`` about once a second.

        Raises the first error of a thread, and `KeyboardInterrupt` after all threads have ended.
        """
        for thread in self._threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in self._threads):
                for thread in self._threads:
                    thread.join(1 / len(self._threads))
                each_second()
        finally:
            self.stopped = True
            for thread in self._threads:
                thread.join()
        if self._errors:
            raise self._errors[0]
