"""What a person can say beside moves: one table, which is parsed, completed and printed."""

from dataclasses import dataclass

from uci.errors import UciError


@dataclass(frozen=True, slots=True)
class Order:
    """A word, what may follow it, and what it does."""

    name: str
    takes: str
    does: str

    @property
    def form(self) -> str:
        """The word and what follows it."""
        return f"{self.name} {self.takes}".strip()


ORDERS = (
    Order("move", "", "have me move now, while I think; Enter does too"),
    Order("undo", "", "take back your last move, and my answer"),
    Order("hint", "", "a good move for you, with the line behind it"),
    Order("why", "", "why I made my last move: the line that I saw"),
    Order("eval", "", "who stands better, and the chances"),
    Order("draw", "", "offer a draw"),
    Order("resign", "", "give up"),
    Order("flip", "", "turn the board"),
    Order("level", "ELO", "play as strongly as that: 1350 to 2900, or full"),
    Order("skill", "N", "0 to 20, or full"),
    Order("save", "FILE.pgn", "add the game to a file"),
    Order("load", "FILE.pgn", "go on with the last game of a file"),
    Order("new", "[SIDE]", "a new game, with white or black"),
    Order("pgn", "", "show the game in PGN"),
    Order("analyse", "", "when it is over: judge each move"),
    Order("quit", "", "leave; the game is kept"),
    Order("help", "", "this list"),
)

WITH_FILES = ("save", "load")

_NAMES = {order.name: order for order in ORDERS} | {
    "exit": next(order for order in ORDERS if order.name == "quit"),
    "?": next(order for order in ORDERS if order.name == "help"),
}


def parse_order(text: str) -> tuple[str, str] | None:
    """Return an order's name and what follows it; None for what is none, such as a move.

    Raises `UciError` where something is missing or too much.
    """
    word, _, rest = text.strip().partition(" ")
    order = _NAMES.get(word.lower())
    if order is None:
        return None
    rest = rest.strip()
    if rest and not order.takes:
        raise UciError(f"{order.name} takes nothing after it")
    if not rest and order.takes and not order.takes.startswith("["):
        raise UciError(f"{order.name} what? {order.form}")
    return order.name, rest


def help_lines() -> list[str]:
    """Return what `help` prints."""
    width = max(len(order.form) for order in ORDERS)
    return [
        "Moves are typed as Nf3 or g1f3, e8=Q or e7e8q, O-O; Tab completes.",
        *(f"{order.form:{width}}  {order.does}" for order in ORDERS),
    ]
