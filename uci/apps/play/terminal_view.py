"""Plays on the whole terminal, with prompt_toolkit: board, messages, and an input line."""

import asyncio
import io
import queue
from collections.abc import Iterable, Sequence
from contextlib import suppress
from os.path import commonprefix

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import Float, FloatContainer, HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.styles import Style
from rich.console import Console
from rich.text import Text

from uci.apps.play.board_drawing import plain_board
from uci.apps.play.board_text import Palette
from uci.apps.play.game_controller import GameController
from uci.apps.play.opponent import EngineNotice, Reply
from uci.apps.play.play_commands import completions
from uci.apps.play.repl import Repl
from uci.apps.play.screen import PlayerLine, ScreenState, message_lines, upper_part
from uci.apps.play.time_control import clock_text
from uci.chess_io.convert import board_of

TICK = 0.2
"""Seconds between two updates of the clock and the engine's progress."""

MOST_MESSAGES = 200

NARROW = 80
"""Minimum columns for the long line of keys."""


class TerminalView:
    """A `View` of the whole terminal. The engine's threads only put events into a queue."""

    def __init__(self, palette: Palette, system: str | None, ascii_only: bool) -> None:
        """Draw in the colours of ``palette``; ``system`` is rich's name of the terminal's
        colours."""
        self._palette, self._ascii = palette, ascii_only
        self._console = Console(
            file=io.StringIO(), force_terminal=True, color_system=system,  # type: ignore[arg-type]
            legacy_windows=False, highlight=False, markup=False, emoji=False,
        )  # fmt: skip
        self._events: queue.SimpleQueue[Reply | EngineNotice] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._messages: list[str] = []
        self._down = 0
        """Number of lines by which the messages are scrolled up from the newest one."""
        self._has_more = self._has_earlier = False
        self._pgn = ""

    def post(self, event: Reply | EngineNotice) -> None:
        """Receive an event from any thread."""
        self._events.put(event)
        if self._loop is not None:
            with suppress(RuntimeError):  # the application has ended
                self._loop.call_soon_threadsafe(self._drain)

    def say(self, text: str) -> None:
        """Show lines below the board."""
        self._messages = [*self._messages[-MOST_MESSAGES:], text]
        self._down = 0

    def ask(self, text: str) -> None:
        """Show a question directly above the input line."""
        self.say(text)

    def show_move(self, text: str) -> None:
        """Do nothing: board and moves are redrawn anyway."""

    def show_result(self, pgn: str) -> None:
        """Keep the PGN, to print it at the end."""
        self._pgn = pgn

    def print_result(self, controller: GameController) -> None:
        """Print the finished game on the normal screen."""
        if self._pgn and controller.game.end():
            board = plain_board(controller.game.board, controller.flipped, self._ascii)
            print("\n".join(board), f"\n\n{self._pgn}", end="")

    def run(self, repl: Repl) -> bool:
        """Play until the person leaves; return whether it was by Ctrl-C or a lost terminal."""
        self._repl, self._controller = repl, repl.controller
        self._words = _Words(repl)
        self._buffer = Buffer(
            completer=self._words, complete_while_typing=True, multiline=False,
            history=InMemoryHistory(), accept_handler=self._accept,
        )  # fmt: skip
        self._app: Application[bool] = Application(
            layout=self._layout(), key_bindings=self._keys(), style=self._style(),
            full_screen=True, erase_when_done=True, refresh_interval=None,
        )  # fmt: skip
        try:
            return self._app.run(pre_run=self._begin)
        except EOFError:
            return True

    def _begin(self) -> None:
        self._loop = self._app.loop
        self._repl.begin()
        self._app.create_background_task(self._tick())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self._drain()
            self._repl.tick()
            if self._controller.thinking or self._controller.clock:
                self._app.invalidate()

    def _drain(self) -> None:
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            self._repl.handle_event(event)
            self._app.invalidate()

    def _accept(self, buffer: Buffer) -> bool:
        self._repl.enter(buffer.text)
        if self._repl.wants_to_quit:
            self._app.exit(result=False)
        return False

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        @keys.add("<sigint>")
        def _interrupt(event: KeyPressEvent) -> None:
            """Make the engine move now; or else clear the input; or else leave."""
            if self._controller.move_now():
                return
            if self._buffer.text:
                self._buffer.reset()
            elif not self._app.is_done:
                event.app.exit(result=True)

        @keys.add("c-d")
        def _end(event: KeyPressEvent) -> None:
            if not self._buffer.text:
                event.app.exit(result=False)

        @keys.add("c-z")
        def _suspend(event: KeyPressEvent) -> None:
            event.app.suspend_to_background()

        @keys.add("tab")
        def _tab(event: KeyPressEvent) -> None:
            self._complete()

        @keys.add("s-tab")
        def _back(event: KeyPressEvent) -> None:
            self._buffer.complete_previous()

        @keys.add("pagedown")
        def _down(event: KeyPressEvent) -> None:
            self._down += 5

        @keys.add("pageup")
        def _up(event: KeyPressEvent) -> None:
            self._down -= 5

        @keys.add("c-l")
        def _redraw(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        return keys

    def _complete(self) -> None:
        """Insert the common prefix of all completions, or cycle through them.

        It is synchronous: prompt_toolkit's completion while typing is slower than a quick Tab.
        """
        buffer = self._buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_next()
            return
        words = [found.text for found in self._words.get_completions(
            buffer.document, CompleteEvent(completion_requested=True)
        )]  # fmt: skip
        last = buffer.document.text_before_cursor.rpartition(" ")[2]
        common = commonprefix(words)  # noqa: RUF071  (of words, not of paths)
        if len(common) > len(last):
            buffer.delete_before_cursor(len(last))
            buffer.insert_text(common)
        elif words:
            buffer.start_completion(select_first=True)

    def _layout(self) -> Layout:
        prompt = VSplit(
            [
                Window(FormattedTextControl("> ", style="class:prompt"), width=2, height=1),
                Window(BufferControl(self._buffer), height=1),
            ]
        )
        keys = Window(FormattedTextControl(self._keys_text, style="class:keys"), height=1)
        upper = Window(
            FormattedTextControl(self._upper), always_hide_cursor=True, dont_extend_height=True
        )
        lower = Window(FormattedTextControl(self._lower), always_hide_cursor=True)
        menu = Float(CompletionsMenu(max_height=6), xcursor=True, ycursor=True)
        content = FloatContainer(HSplit([upper, lower, prompt, keys]), [menu])
        return Layout(content, focused_element=self._buffer)

    def _style(self) -> Style:
        if not self._palette.quiet:
            return Style([])
        return Style([("keys", "fg:ansibrightblack"), ("prompt", "bold")])

    def _keys_text(self) -> str:
        if self._repl.is_asking:
            return "y yes   n no"
        if self._controller.thinking:
            keys = "Enter: answer now"
        elif self._app.output.get_size().columns < NARROW:
            keys = "Tab   help   Ctrl-C leaves"
        else:
            keys = "Tab completes   hint   why   undo   help   Ctrl-C leaves"
        more = "PgDn: more" if self._has_more else "PgUp: before" if self._has_earlier else ""
        return f"{keys}   {more}" if more else keys

    def _upper(self) -> ANSI:
        size = self._app.output.get_size()
        lines = upper_part(
            self._screen_state(), size.columns, size.rows - 2, self._palette, self._ascii
        )
        self._height = len(lines)
        return self._drawn(lines, size.columns)

    def _lower(self) -> ANSI:
        size = self._app.output.get_size()
        rows = max(0, size.rows - self._height - 2)
        lines = message_lines(self._messages, size.columns, self._palette)
        last = max(0, len(lines) - rows)
        newest = len(lines) - len(message_lines(self._messages[-1:], size.columns, self._palette))
        start = min(last, newest)  # a message that is too long is shown from its start
        self._down = max(-start, min(self._down, last - start))
        first = start + self._down
        self._has_more, self._has_earlier = first < last, first > 0
        above = [Text()] * max(0, rows - len(lines))
        return self._drawn([*above, *lines[first : first + rows]], size.columns)

    def _drawn(self, lines: Sequence[Text], columns: int) -> ANSI:
        self._console.width = columns
        with self._console.capture() as captured:
            for line in lines:
                self._console.print(line, no_wrap=True, overflow="crop", crop=True)
        return ANSI(captured.get().removesuffix("\n"))

    def _screen_state(self) -> ScreenState:
        controller = self._controller
        board, clock = controller.game.board, controller.clock
        over = controller.game.end()
        players = [
            PlayerLine(
                controller.settings.name
                if color == controller.color
                else f"Pythagoras, {controller.level}",
                color,
                clock_text(clock.left(color)) if clock else "",
                not over and board.turn == color,
            )
            for color in (controller.flipped, not controller.flipped)
        ]
        return ScreenState(
            board, controller.flipped, (players[0], players[1]), controller.game.sans,
            board_of(controller.game.start), str(over) if over else controller.thought(),
            self._messages,
        )  # fmt: skip


class _Words(Completer):
    """Completes moves, commands and files, by `completions`."""

    def __init__(self, repl: Repl) -> None:
        self._repl = repl

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield completions of the last word."""
        text = document.text_before_cursor
        if not (text or complete_event.completion_requested) or self._repl.is_asking:
            return
        last = text.rpartition(" ")[2]
        controller = self._repl.controller
        board = controller.game.board if controller.turn_of_person else None
        for word in completions(text, board):
            if word != last:
                yield Completion(word, start_position=-len(last))
