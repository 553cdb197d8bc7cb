"""What happens in a search, in words."""

from engine.search.score import INFINITE, MATE
from uci.apps.lab.show.recording import ENTER, FINISH, IMPROVE, REFUTE, Node, Recording, Step
from uci.chess_io.convert import text_of

_SURE_MATE = MATE - 1000


def score_text(score: int) -> str:
    """Return a score in centipawns, ``M2`` for a mate after two plies, or infinity."""
    sign = "−" if score < 0 else ""
    if abs(score) >= INFINITE:
        return f"{sign}∞"
    if abs(score) >= _SURE_MATE:
        return f"{sign}M{MATE - abs(score)}"
    return f"{sign}{abs(score)}"


class Words:
    """Tells the steps of a recording."""

    def __init__(self, recording: Recording, search: str) -> None:
        self._nodes = recording.nodes
        self._search = search
        self._minimax = search == "minimax"
        self._passes = 0
        self._visits: dict[tuple[int, int], int] = {}

    def step(self, step: Step) -> str:
        """Return what happens in the search at a step, without what it does to the memory."""
        if step.kind == ENTER:
            return self._enter(step.node)
        if step.kind == FINISH:
            return "The iteration is over."
        if step.kind in (IMPROVE, REFUTE):
            child = self._nodes[step.child]
            assert child.score is not None
            return self._raise(step.kind, step.node, self.move(step.child), self.seen(child))
        return self._end(step.node)

    def move(self, number: int) -> str:
        """Return the move that led to a node, as it is written everywhere on the page."""
        return text_of(self._nodes[number].move, chess960=False)

    def called(self, number: int) -> str:
        """Return what a node is called."""
        root = self._nodes[number].parent < 0
        return "the root" if root else f"the node after {self.path(number)}"

    def position(self, number: int) -> str:
        """Return what the position of a node is called in a cell."""
        return self.path(number) or "root"

    def path(self, number: int) -> str:
        """Return the moves that lead to a node; "" at the root."""
        moves = []
        while self._nodes[number].parent >= 0:
            moves.append(self.move(number))
            number = self._nodes[number].parent
        return " ".join(reversed(moves))

    def seen(self, child: Node) -> int:
        """Return a child's score as its parent sees it."""
        assert child.score is not None
        return child.score if self._minimax else -child.score

    def bounded(self, number: int) -> str:
        """Return a node's score, and on which side of the truth it may be."""
        node = self._nodes[number]
        assert node.score is not None
        bound = {"cut": "≥ ", "low": "≤ "}.get(node.end, "")
        if node.worth is not None and not self._minimax:
            bound = "≥ " if node.worth > node.score else "≤ " if node.worth < node.score else ""
        return bound + score_text(node.score)

    def _enter(self, number: int) -> str:
        node = self._nodes[number]
        left = f"{node.depth} {'ply' if node.depth == 1 else 'plies'} to go"
        window = f"window {score_text(node.alpha)} to {score_text(node.beta)}"
        if self._minimax:
            side = "the greatest" if node.ply % 2 == 0 else "the smallest"
            goal = f"{left}, it takes {side} score" if node.depth else "a leaf"
            return f"{self._tried(number)}: {goal}."
        if node.parent < 0:
            self._passes += 1
            if self._search == "MTD(f)":
                return (
                    f"Pass {self._passes} asks one thing of the root: is it worth "
                    f"{score_text(node.beta)} or more? {sentence(window)}, {left}."
                )
            return f"The search begins at the root: {window}, {left}."
        what = "a leaf" if node.depth <= 0 else left
        if node.beta - node.alpha <= 1 and self._search != "MTD(f)":
            parent = score_text(-node.beta)
            again = f"with a zero window: is it better than {parent}?"
            return f"{self._tried(number)} {again} {sentence(what)}."
        return f"{self._tried(number)}: {window}, {what}."

    def _tried(self, number: int) -> str:
        node = self._nodes[number]
        if node.parent < 0:
            return "The search begins at the root"
        times = self._visits.get((node.parent, node.move), 0)
        self._visits[node.parent, node.move] = times + 1
        verb = "is searched again" if times else "is tried"
        where = self.called(node.parent)
        return f"{self.move(number)} {verb} at {where}"

    def _raise(self, kind: int, number: int, move: str, score: int) -> str:
        node, where = self._nodes[number], self.called(number)
        value = score_text(score)
        if kind == IMPROVE:
            if self._minimax:
                return f"{move} improves {where}: {value} is the best so far."
            return f"{move} improves {where}: {value} raises alpha."
        rest = node.board.legal_moves.count() - node.tried
        others = {0: "No move is left", 1: "The other move is not looked at"}.get(
            rest, f"The other {rest} moves are not looked at"
        )
        beta = score_text(node.beta)
        return f"{move} reaches beta at {where}, {value} against {beta}: cut-off. {others}."

    def _end(self, number: int) -> str:
        node = self._nodes[number]
        assert node.score is not None
        value, where = score_text(node.score), sentence(self.called(number))
        for_whom = "" if self._minimax else " for the side to move"
        match node.end:
            case "leaf":
                assert node.worth is not None
                sign = -1 if self._minimax and node.ply % 2 else 1
                worth = score_text(sign * node.worth)
                clamped = f"; the window lets {value} pass" if worth != value else ""
                return f"{where} is a leaf, evaluated at {worth}{for_whom}{clamped}."
            case "draw":
                return f"{where} is a draw: {value}."
            case "mate":
                return f"{where} is checkmate: {value}."
            case "stalemate":
                return f"{where} is stalemate: {value}."
            case "table":
                known = f"The table knows {self.called(number)} already: {value}"
                return f"{known}. It ends here, without a move."
            case "cut":
                return f"{where} returns {value} or more."
            case "exact":
                return f"{where} has tried all moves and returns {value}."
        return f"{where} has no move that raises alpha and returns {value} or less."


def sentence(text: str) -> str:
    """Return the beginning of a sentence."""
    return text[:1].upper() + text[1:]
