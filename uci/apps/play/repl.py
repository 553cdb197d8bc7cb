"""The input loop: moves, commands, and answers to questions."""

import chess

from uci.apps.play.game_controller import GameController, View
from uci.apps.play.opponent import EngineNotice, Reply
from uci.apps.play.play_commands import help_lines, parse_play_command
from uci.apps.play.play_settings import Level, parse_side
from uci.apps.play.played_pgn import append_pgn
from uci.apps.play.saved_games import SavedGame, SavedGames
from uci.apps.play.typed_moves import read_move
from uci.errors import UciError, counted

NOT_NOW = "I am thinking; press Enter to make me move now."


class Repl:
    """Reads the person's input for a `GameController`. All methods are called in one thread."""

    def __init__(self, controller: GameController, view: View, files: SavedGames) -> None:
        self.controller = controller
        self.wants_to_quit = False
        """Whether the person has asked to quit."""
        self.analyse_file = ""
        """The file of the game to analyse after quitting."""
        self._view, self._files = view, files
        self._saved: SavedGame | None = None
        self._offered, self._offering = "", False

    @property
    def is_asking(self) -> bool:
        """Whether a yes/no question is pending."""
        return self._saved is not None or self._offering

    def begin(self) -> None:
        """Offer to resume the saved game, or begin a new one."""
        saved = self._files.unfinished()
        if saved is None:
            self.controller.begin(self.controller.settings.side)
            return
        self._saved = saved
        self.controller.show_saved(saved)
        if self.controller.settings.skip_saved:
            self._discard_saved()
            return
        made = (len(saved.moves) + 1) // 2
        self._view.ask(
            f"A game of {counted(made, 'move')} with {saved.side} against"
            f" {Level.parse(*saved.level)} is not finished. Resume it? [Y/n]"
        )

    def enter(self, text: str) -> None:
        """Execute a line of input."""
        text = text.strip()
        try:
            if self.is_asking and self._handle_answer(text.lower()):
                return
            if not text:
                self.controller.move_now()
            elif command := parse_play_command(text):
                self._execute(*command)
            elif self.controller.game.end():
                self._view.say("The game is over: new, undo, analyse or quit.")
            elif self.controller.turn_of_person:
                self.controller.move(read_move(self.controller.game.board, text))
            else:
                self._view.say(NOT_NOW)
        except UciError as error:
            self._view.say(str(error))
        self._offer_analysis()

    def handle_event(self, event: Reply | EngineNotice) -> None:
        """Handle an event of the engine."""
        self.controller.handle_event(event)
        self._offer_analysis()

    def tick(self) -> None:
        """Check the clock."""
        self.controller.tick()
        self._offer_analysis()

    def close(self) -> bool:
        """Save the game; return whether there is one to resume."""
        return self._saved is not None or self.controller.save()

    def _handle_answer(self, word: str) -> bool:
        """Handle the answer to a question; return False for other words, which cancel the
        question."""
        yes = word in ("y", "yes") or (not word and self._saved is not None)
        no = word in ("n", "no", "")
        if self._saved is None:
            if yes:
                self._analyse()
            elif no:
                self._view.say("Type new for another game, quit to leave.")
            self._offering = False
            return yes or no
        if yes:
            self._saved = None
            self.controller.resume()
        elif no:
            self._discard_saved()
        elif word in ("quit", "exit"):
            return False
        else:
            self._view.ask("Resume the saved game? yes or no")
        return True

    def _discard_saved(self) -> None:
        self._saved = None
        self.controller.archive_unfinished()
        self.controller.level = self.controller.settings.level
        self.controller.begin(self.controller.settings.side)

    def _offer_analysis(self) -> None:
        file = self.controller.file
        if file != self._offered:
            self._offered, self._offering = file, bool(file)
            if file:
                self._view.ask(f"Analyse the game? [y/N] It is saved in {file}")

    def _analyse(self) -> None:
        if not self.controller.file:
            raise UciError("analyse: the game is not over yet")
        self.analyse_file, self.wants_to_quit = self.controller.file, True

    def _execute(self, name: str, rest: str) -> None:
        """Execute a command. Raises `UciError`."""
        controller, say = self.controller, self._view.say
        match name:
            case "move":
                if not controller.move_now():
                    say("It is your move.")
            case "help":
                say("\n".join(help_lines()))
            case "quit":
                self.wants_to_quit = True
            case "flip":
                controller.flipped = not controller.flipped
            case "undo":
                controller.undo()
            case "level" | "skill":
                controller.set_level(Level.parse(name, rest))
                controller.save()
                say(f"I now play at {controller.level}.")
            case "save":
                say(f"Appended to {append_pgn(rest, controller.pgn())}.")
            case "load":
                controller.load(rest)
            case "new":
                side = parse_side(rest) if rest else chess.COLOR_NAMES[controller.color]
                controller.archive_unfinished()
                controller.begin(side)
            case "pgn":
                say(controller.pgn().strip())
            case "analyse":
                self._analyse()
            case "why":
                say(controller.reason())
            case _ if controller.game.end():
                say("The game is over.")
            case "resign":
                controller.resign()
            case _ if controller.thinking:
                say(NOT_NOW)
            case "draw":
                controller.offer_draw()
            case "hint" | "eval" | "threat":
                controller.ask(name)
