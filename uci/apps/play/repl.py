"""What a person types, and what is done about it: moves, orders, answers to questions."""

import chess

from uci.apps.play.game_controller import Sitting
from uci.apps.play.game_files import GameFiles
from uci.apps.play.opponent import EngineNotice, Reply
from uci.apps.play.play_commands import help_lines, parse_order
from uci.apps.play.play_level import Level
from uci.apps.play.play_settings import parse_side
from uci.apps.play.played_pgn import append_pgn
from uci.apps.play.saved_games import KeptGame
from uci.apps.play.typed_moves import read_move
from uci.apps.play.view import Face
from uci.errors import UciError

NOT_NOW = "I am thinking: Enter has me move now."


class Conversation:
    """A `Sitting`, and the words for it. All methods are called in one thread."""

    def __init__(self, sitting: Sitting, face: Face, files: GameFiles) -> None:
        self.sitting = sitting
        self.left = False
        """Whether the person wants to leave."""
        self.to_analyse = ""
        """The file of the game that is to be analysed then."""
        self._face, self._files = face, files
        self._kept: KeptGame | None = None
        self._offered, self._offering = "", False

    @property
    def is_asking(self) -> bool:
        """Whether yes or no is expected."""
        return self._kept is not None or self._offering

    def begin(self) -> None:
        """Offer to go on with the game that is kept, or begin a new one."""
        kept = self._files.unfinished()
        if kept is None:
            self.sitting.begin(self.sitting.settings.side)
            return
        self._kept = kept
        self.sitting.show(kept)
        if self.sitting.settings.anew:
            self._decline()
            return
        made = (len(kept.moves) + 1) // 2
        self._face.ask(
            f"A game of {made} move{'s' * (made != 1)} with {kept.side} against"
            f" {Level.parse(*kept.level)} is not finished. Go on with it? [Y/n]"
        )

    def enter(self, text: str) -> None:
        """Do what the person typed."""
        text = text.strip()
        try:
            if self.is_asking and self._answers(text.lower()):
                return
            if not text:
                self.sitting.move_now()
            elif order := parse_order(text):
                self._obey(*order)
            elif self.sitting.game.end():
                self._face.say("The game is over: new, undo, analyse or quit.")
            elif self.sitting.turn_of_person:
                self.sitting.move(read_move(self.sitting.game.board, text))
            else:
                self._face.say(NOT_NOW)
        except UciError as error:
            self._face.say(str(error))
        self._offer_analysis()

    def hear(self, event: Reply | EngineNotice) -> None:
        """Take what the engine has posted."""
        self.sitting.hear(event)
        self._offer_analysis()

    def tick(self) -> None:
        """Look at the clock."""
        self.sitting.tick()
        self._offer_analysis()

    def close(self) -> bool:
        """Keep the game as it stands; return whether there is one to go on with."""
        return self._kept is not None or self.sitting.keep()

    def _answers(self, word: str) -> bool:
        """Take the answer to a question; return False for other words, which drop the last one."""
        yes = word in ("y", "yes") or (not word and self._kept is not None)
        no = word in ("n", "no", "")
        if self._kept is None:
            if yes:
                self._analyse()
            elif no:
                self._face.say("new begins another game, quit leaves.")
            self._offering = False
            return yes or no
        if yes:
            self._kept = None
            self.sitting.go_on()
        elif no:
            self._decline()
        elif word in ("quit", "exit"):
            return False
        else:
            self._face.ask("Go on with the game that is kept? yes or no")
        return True

    def _decline(self) -> None:
        self._kept = None
        self.sitting.leave_unfinished()
        self.sitting.level = self.sitting.settings.level
        self.sitting.begin(self.sitting.settings.side)

    def _offer_analysis(self) -> None:
        file = self.sitting.file
        if file != self._offered:
            self._offered, self._offering = file, bool(file)
            if file:
                self._face.ask(f"Shall I analyse it? [y/N] It is in {file}")

    def _analyse(self) -> None:
        if not self.sitting.file:
            raise UciError("analyse is for a game that is over")
        self.to_analyse, self.left = self.sitting.file, True

    def _obey(self, name: str, rest: str) -> None:
        """Do what an order says. Raises `UciError`."""
        sitting, say = self.sitting, self._face.say
        match name:
            case "move":
                if not sitting.move_now():
                    say("It is your move.")
            case "help":
                say("\n".join(help_lines()))
            case "quit":
                self.left = True
            case "flip":
                sitting.flipped = not sitting.flipped
            case "undo":
                sitting.undo()
            case "level" | "skill":
                sitting.set_level(Level.parse(name, rest))
                sitting.keep()
                say(f"I play at {sitting.level} from now on.")
            case "save":
                say(f"Added to {append_pgn(rest, sitting.pgn())}.")
            case "load":
                sitting.load(rest)
            case "new":
                side = parse_side(rest) if rest else chess.COLOR_NAMES[sitting.color]
                sitting.leave_unfinished()
                sitting.begin(side)
            case "pgn":
                say(sitting.pgn().strip())
            case "analyse":
                self._analyse()
            case "why":
                say(sitting.reason())
            case _ if sitting.game.end():
                say("The game is over.")
            case "resign":
                sitting.resign()
            case _ if sitting.thinking:
                say(NOT_NOW)
            case "draw":
                sitting.offer_draw()
            case "hint" | "eval":
                sitting.ask(name)
