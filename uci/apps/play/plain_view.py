"""Plays by lines of text: on a pipe, for screen readers, and without the extra ``play``."""

import os
import queue
import signal
import sys
import threading
from collections import deque
from enum import Enum, auto

from uci.apps.play.board_drawing import plain_board
from uci.apps.play.game_controller import GameController
from uci.apps.play.opponent import EngineNotice, Reply
from uci.apps.play.repl import Repl
from uci.apps.play.time_control import clock_text

MOVE_NOW = frozenset(("", "move"))
"""Lines that stop a search."""

IMMEDIATE = frozenset(("resign", "quit", "exit", "help", "flip"))
"""Commands that are executed during a search, unless other lines are queued.

Other lines wait for the engine's reply, so that moves can be piped in.
"""

LONGEST_WAIT = None if sys.platform != "win32" else 0.5
"""Seconds between two checks for Ctrl-C on systems where it does not interrupt a wait."""


class _Event(Enum):
    """Events other than lines and replies."""

    INTERRUPT = auto()
    END_OF_INPUT = auto()


class PlainView:
    """A `View` that prints lines, and reads lines in a thread of its own.

    This thread and the engine's only put events into the queue.
    """

    def __init__(self, ascii_only: bool) -> None:
        self._ascii = ascii_only
        self._events: queue.SimpleQueue[Reply | EngineNotice | str | _Event]
        self._events = queue.SimpleQueue()
        self._held: deque[str] = deque()
        self._ended = self._interrupted = False
        self._asking = False
        """Whether the cursor is after a prompt."""
        self._changed = True

    def post(self, event: Reply | EngineNotice) -> None:
        """Receive an event from any thread."""
        self._events.put(event)

    def say(self, text: str) -> None:
        """Print lines, below a pending prompt."""
        print(f"\n{text}" if self._asking else text, flush=True)
        self._asking = False

    def ask(self, text: str) -> None:
        """Print the board if it has changed, and a question below it."""
        self._draw()
        self.say(text)

    def show_move(self, text: str) -> None:
        """Print a move; the board follows when it is the person's turn."""
        self._changed = True
        if text:
            self.say(text)

    def show_result(self, pgn: str) -> None:
        """Print the game."""
        self.say("\n" + pgn.removesuffix("\n"))

    def print_result(self, controller: GameController) -> None:
        """Do nothing: all has been printed."""

    def run(self, repl: Repl) -> bool:
        """Play until the person leaves or the input ends; return whether it was by Ctrl-C."""
        self._repl = repl
        threading.Thread(target=self._read, name="lines", daemon=True).start()
        repl.begin()
        self._show()
        # Ctrl-C becomes an event, since an exception could interrupt a move.
        before = signal.signal(signal.SIGINT, lambda *_: self._events.put(_Event.INTERRUPT))
        try:
            while not repl.wants_to_quit and self._step():
                pass
        finally:
            signal.signal(signal.SIGINT, before)
        return self._interrupted

    def _step(self) -> bool:
        """Handle one event; return False if it was the last.

        The last is Ctrl-C at the person's turn, or the end of input when all is answered.
        """
        repl, controller = self._repl, self._repl.controller
        if not controller.thinking:
            if self._held:
                self._enter(self._held.popleft())
                return True
            if self._ended:
                return False
        waits = [
            seconds
            for seconds in (controller.seconds_to_flag(), LONGEST_WAIT)
            if seconds is not None
        ]
        try:
            event = self._events.get(timeout=min(waits) + 0.001 if waits else None)
        except queue.Empty:
            event = None
        over = controller.game.end()
        repl.tick()
        if over != controller.game.end():
            self._show()
        match event:
            case str() if controller.thinking and not self._is_due(event.strip().lower()):
                self._held.append(event)
            case str():
                self._enter(event)
            case _Event.END_OF_INPUT:
                self._ended = True
            case _Event.INTERRUPT:
                print(flush=True)
                self._asking = False
                self._interrupted = not controller.move_now()
                return not self._interrupted
            case Reply() | EngineNotice():
                repl.handle_event(event)
                self._show()
        return True

    def _is_due(self, line: str) -> bool:
        """Return whether a line is executed while the engine searches."""
        return line in MOVE_NOW or (line in IMMEDIATE and not self._held)

    def _enter(self, line: str) -> None:
        self._asking = False  # Enter has ended the line of the prompt
        flipped = self._repl.controller.flipped
        self._repl.enter(line)
        self._changed = self._changed or self._repl.controller.flipped != flipped
        self._show()

    def _show(self) -> None:
        """Print the board if it has changed and it is the person's turn, and prompt for a move."""
        if self._repl.controller.thinking or self._repl.wants_to_quit:
            return
        self._draw()
        if sys.stdin.isatty():
            print("> ", end="")
            self._asking = True
        sys.stdout.flush()

    def _draw(self) -> None:
        """Print the board and the clocks if the board has changed."""
        controller = self._repl.controller
        if not self._changed:
            return
        self._changed = False
        for line in plain_board(controller.game.board, controller.flipped, self._ascii):
            print(line)
        if controller.clock:
            you, engine = (
                clock_text(controller.clock.left(side))
                for side in (controller.color, not controller.color)
            )
            print(f"you {you}, engine {engine}")

    def _read(self) -> None:
        """Put the lines of the standard input into the queue.

        It uses `os.read`: a thread waiting in Python's reader holds a lock that the interpreter
        needs at exit.
        """
        rest = b""
        while True:
            try:
                data = os.read(sys.stdin.fileno(), 65536)
            except (OSError, ValueError):
                data = b""
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._events.put(line.decode(errors="replace"))
            if not data:
                if rest:
                    self._events.put(rest.decode(errors="replace"))
                self._events.put(_Event.END_OF_INPUT)
                return
