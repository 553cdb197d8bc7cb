"""The texts of the page: what each collector does, and what happens at each step."""

from engine.search.score import INFINITE, MATE
from uci.apps.lab.show.recording import ENTER, FINISH, IMPROVE, REFUTE, Node, Recording, Step
from uci.chess_io.convert import move_to_uci

_SURE_MATE = MATE - 1000


def page_score(score: int) -> str:
    """Return a score in centipawns, ``M2`` for a mate after two plies, or infinity."""
    sign = "−" if score < 0 else ""
    if abs(score) >= INFINITE:
        return f"{sign}∞"
    if abs(score) >= _SURE_MATE:
        return f"{sign}M{MATE - abs(score)}"
    return f"{sign}{abs(score)}"


class Captions:
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
        return move_to_uci(self._nodes[number].move, chess960=False)

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
        return bound + page_score(node.score)

    def _enter(self, number: int) -> str:
        node = self._nodes[number]
        left = f"{node.depth} {'ply' if node.depth == 1 else 'plies'} to go"
        window = f"window {page_score(node.alpha)} to {page_score(node.beta)}"
        if self._minimax:
            side = "the greatest" if node.ply % 2 == 0 else "the smallest"
            goal = f"{left}, it takes {side} score" if node.depth else "a leaf"
            return f"{self._tried(number)}: {goal}."
        if node.parent < 0:
            self._passes += 1
            if self._search == "MTD(f)":
                return (
                    f"Pass {self._passes} asks one thing of the root: is it worth "
                    f"{page_score(node.beta)} or more? {sentence(window)}, {left}."
                )
            return f"The search begins at the root: {window}, {left}."
        what = "a leaf" if node.depth <= 0 else left
        if node.beta - node.alpha <= 1 and self._search != "MTD(f)":
            parent = page_score(-node.beta)
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
        value = page_score(score)
        if kind == IMPROVE:
            if self._minimax:
                return f"{move} improves {where}: {value} is the best so far."
            return f"{move} improves {where}: {value} raises alpha."
        rest = node.board.legal_moves.count() - node.tried
        others = {0: "No move is left", 1: "The other move is not looked at"}.get(
            rest, f"The other {rest} moves are not looked at"
        )
        beta = page_score(node.beta)
        return f"{move} reaches beta at {where}, {value} against {beta}: cut-off. {others}."

    def _end(self, number: int) -> str:
        node = self._nodes[number]
        assert node.score is not None
        value, where = page_score(node.score), sentence(self.called(number))
        for_whom = "" if self._minimax else " for the side to move"
        match node.end:
            case "leaf":
                assert node.worth is not None
                sign = -1 if self._minimax and node.ply % 2 else 1
                worth = page_score(sign * node.worth)
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


ABOUT: dict[str, tuple[str, str]] = {
    "none": (
        "Nothing is collected: the search returns a score, and no line that explains it.",
        "",
    ),
    "triangular": (
        "Row ply holds the line from that ply on, so it needs a place less than the row above, "
        "and all rows lie in one array without a gap. A node clears its row first; a move that "
        "improves it is written there, and the row below is copied behind it.",
        "what stands behind the end of its row, which its length or a null move tells. Copying "
        "stops there, so it is overwritten before anybody reads it. The rows of zero-window "
        "nodes are not even cleared: such a node cannot improve its parent before it was "
        "searched again.",
    ),
    "quadratic": (
        "A full row for each ply. Every move stands in the column of its ply, so the best moves "
        "are on the diagonal, and the left lower half is never used.",
        "what stands right of the column where its row ends. Copying stops there.",
    ),
    "line": (
        "No table: each call that tries moves owns a buffer, which its children write their "
        "lines to. Word 0 is the length. What was improved goes, move first, to the buffer of "
        "the caller.",
        "what stands behind the length in word 0, or in a buffer whose call has returned. What "
        "a new buffer holds is anybody’s guess (?), so it is cleared first.",
    ),
    "save_line": (
        "A row for each ply again, but the parent clears it for its child, before every move.",
        "what stands behind the length of its line. Copying stops there.",
    ),
    "pointers": (
        "Instead of copying, a better child’s row becomes its parent’s: two pointers are "
        "swapped, and the move is written in front.",
        "what stands before the ply to which its row belongs, or behind its end.",
    ),
    "single": (
        "One row for all plies. That is enough only if whatever is written is confirmed: in a "
        "stable principal variation search.",
        "what stands behind the first null move (∅). But the tail of a line that is "
        "still best can be overwritten by a try that fails.",
    ),
    "hash_walk": (
        "Nothing is collected: the line is read at the end from the transposition table, from "
        "the root, best move by best move.",
        "entries of positions that are not on the line. An entry is what was last found out "
        "about its position, though, perhaps elsewhere in the tree; and it may be gone.",
    ),
    "pv_hash": (
        "A small table of exact nodes alone; the line is read from it at the end.",
        "entries of positions that are not on the line: they are never looked up.",
    ),
    "hash_store": (
        "Rows as in the triangle, and a holder of whole lines by position: an exact "
        "node leaves its row there, and a node that the table ends fetches it.",
        "what stands behind the end of its row; or a line of the holder whose position is "
        "never looked up.",
    ),
    "tree": (
        "An exact node becomes a cell: its move, and the cell of the position after it. Cells "
        "never change, and are ordered by their position’s key, for look-ups.",
        "cells to which no head leads: they stay, and are never followed.",
    ),
    "refutation": (
        "Rows as in the square, kept also where a move reaches beta; and of each root move the "
        "row below it, for the next iteration to try first.",
        "what stands right of the column where its row ends. Copying stops there.",
    ),
}
"""Of each collector how it works, and what of its memory is stale."""


UNCLEARED = (
    " Here, on purpose, rows are cleared only once, before the search: a node that ends before any "
    "move has improved it leaves its parent the row of an elder sibling."
)


def about(name: str) -> tuple[str, str]:
    """Return what is said of a collector, whatever variant it is."""
    works, stale = ABOUT[name.split(",")[0]]
    return (works + UNCLEARED if name.endswith(", uncleared") else works), stale
