"""Players of an arena, and threads that play pairs of games with them."""

import atexit
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from scripts.match.builds import Build, MatchError


class Closable(Protocol):
    """Whatever plays for a side."""

    def close(self) -> None:
        """End it."""


Side = TypeVar("Side", bound=Closable)
Pair = TypeVar("Pair")
Result = TypeVar("Result")

_DIED = "a player has ended; see its error above"


class Player:
    """One side: a process that plays for a build, with the build's own script.

    It only uses the commands of `scripts.match.arena_player`, which are frozen.
    """

    def __init__(
        self, made: Build, nodes: int, net: Path | None, evaluate: str | None = None
    ) -> None:
        """Start it; ``net``, or a function ``FILE:FUNCTION``, replaces the build's own network."""
        assert made.player is not None, "a build with its player"
        command = [str(made.python), "-I", str(made.player), str(nodes)]
        if net:
            command.append(str(net))
        if evaluate:
            command += ["--evaluate", evaluate]
        # In its own session, so that Ctrl-C reaches only this process. When that ends, the player's
        # input ends, and so does the player.
        self._process = subprocess.Popen(
            command, text=True, bufsize=1, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        atexit.register(self._process.kill)  # a second Ctrl-C may skip `close`

    def tell(self, order: str) -> None:
        """Send a command that has no answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(order + "\n")
        except OSError:
            raise MatchError(_DIED) from None

    def go(self) -> tuple[int, int]:
        """Return a move and its score. Raises `MatchError` if the player has ended."""
        assert self._process.stdout is not None
        self.tell("go")
        answer = self._process.stdout.readline()
        if not answer:
            raise MatchError(_DIED)
        move, score, _nodes = map(int, answer.split())
        return move, score

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        with suppress(BrokenPipeError), self._process:  # it may have died before it was told all
            pass


class Workers(Generic[Side, Pair, Result]):
    """Threads that play pairs of games until none is left, `stopped` is set, one fails or Ctrl-C is
    pressed.

    Each has ``players`` of its own. Only one thread at a time takes from ``pairs`` or calls
    ``add``.
    """

    def __init__(
        self,
        count: int,
        players: Callable[[], Iterator[Side]],
        pairs: Iterator[Pair],
        play: Callable[[Pair, list[Side]], Result],
        add: Callable[[Pair, Result], None],
    ) -> None:
        self.stopped = False
        self._players, self._pairs, self._play, self._add = players, pairs, play, add
        self._lock = threading.Lock()
        self._errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]

    def _run(self) -> None:
        try:
            with ExitStack() as stack:
                self._work([stack.enter_context(closing(player)) for player in self._players()])
        except BaseException as error:  # noqa: BLE001  (raised by `run`)
            self._errors.append(error)
            self.stopped = True

    def _work(self, players: list[Side]) -> None:
        while not self.stopped:
            with self._lock:
                try:
                    pair = next(self._pairs)
                except StopIteration:
                    return
            result = self._play(pair, players)
            with self._lock:
                self._add(pair, result)

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
