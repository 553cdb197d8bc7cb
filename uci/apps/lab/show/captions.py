"""The texts of the page: how each collector works, and what happens at each step."""

from engine.search.score import INFINITE, MATE
from uci.apps.lab.show.recording import ENTER, FINISH, IMPROVE, REFUTE, Node, Recording, Step
from uci.chess_io.convert import move_to_uci

_SURE_MATE = MATE - 1000


def page_score(score: int) -> str:
    """Return a score in centipawns, as ``M2`` for a mate in two plies, or as infinity."""
    sign = "−" if score < 0 else ""
    if abs(score) >= INFINITE:
        return f"{sign}∞"
    if abs(score) >= _SURE_MATE:
        return f"{sign}M{MATE - abs(score)}"
    return f"{sign}{abs(score)}"


class Captions:
    """Describes the steps of a recording."""

    def __init__(self, recording: Recording, search: str) -> None:
        self._nodes = recording.nodes
        self._search = search
        self._minimax = search == "minimax"
        self._passes = 0
        self._visits: dict[tuple[int, int], int] = {}

    def step(self, step: Step) -> str:
        """Return a description of a step of the search, without its effect on the memory."""
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
        """Return the move that led to a node, in the page's notation."""
        return move_to_uci(self._nodes[number].move, chess960=False)

    def called(self, number: int) -> str:
        """Return the name of a node."""
        root = self._nodes[number].parent < 0
        return "the root" if root else f"the node after {self.path(number)}"

    def position(self, number: int) -> str:
        """Return the name of a node's position, for a cell."""
        return self.path(number) or "root"

    def path(self, number: int) -> str:
        """Return the moves that lead to a node; empty at the root."""
        moves = []
        while self._nodes[number].parent >= 0:
            moves.append(self.move(number))
            number = self._nodes[number].parent
        return " ".join(reversed(moves))

    def seen(self, child: Node) -> int:
        """Return a child's score from its parent's view."""
        assert child.score is not None
        return child.score if self._minimax else -child.score

    def bounded(self, number: int) -> str:
        """Return a node's score, and whether it is a bound."""
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
        others = {0: "No move is left", 1: "The other move is not searched"}.get(
            rest, f"The other {rest} moves are not searched"
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
                known = f"The table contains {self.called(number)}: {value}"
                return f"{known}. It ends here, without a move."
            case "cut":
                return f"{where} returns {value} or more."
            case "exact":
                return f"{where} has tried all moves and returns {value}."
        return f"{where} has no move that raises alpha and returns {value} or less."


def sentence(text: str) -> str:
    """Return a text with a capital letter."""
    return text[:1].upper() + text[1:]


ABOUT: dict[str, tuple[str, str]] = {
    "none": (
        "Nothing is collected: the search returns a score without a PV.",
        "",
    ),
    "triangular": (
        "Row ply holds the PV from that ply on, so it is one move shorter than the row above, "
        "and all rows are in one array without gaps. A node clears its row first; a move that "
        "improves it is written there, and the row below is copied behind it.",
        "what follows the end of its row, which is marked by a length or a null move. Copying "
        "stops there, so it is overwritten before it is read. The rows of zero-window "
        "nodes are not even cleared: such a node cannot improve its parent before it is "
        "searched again.",
    ),
    "quadratic": (
        "A full row for each ply. Every move is in the column of its ply, so the best moves "
        "are on the diagonal, and the lower left half is never used.",
        "what stands right of the column where its row ends. Copying stops there.",
    ),
    "line": (
        "No table: each call that tries moves owns a buffer, which its children write their "
        "PVs to. Word 0 is the length. An improved PV goes, move first, to the buffer of "
        "the caller.",
        "what follows the length in word 0, or is in a buffer whose call has returned. The "
        "contents of a new buffer are undefined (?), so it is cleared first.",
    ),
    "save_line": (
        "A row for each ply, but the parent clears it for its child, before every move.",
        "what follows the length of its PV. Copying stops there.",
    ),
    "pointers": (
        "Instead of copying, a better child’s row becomes its parent’s: two pointers are "
        "swapped, and the move is written in front.",
        "what precedes the ply to which its row belongs, or follows its end.",
    ),
    "single": (
        "One row for all plies. That suffices only if every written move is confirmed: in a "
        "stable principal variation search.",
        "what follows the first null move (∅). But the tail of a PV that is "
        "still best can be overwritten by a search that fails.",
    ),
    "hash_walk": (
        "Nothing is collected: at the end the PV is read from the transposition table, from "
        "the root, best move by best move.",
        "entries of positions that are not on the PV. An entry is the last result for "
        "its position, perhaps from elsewhere in the tree, and it may have been replaced.",
    ),
    "pv_hash": (
        "A small table of exact nodes only; the PV is read from it at the end.",
        "entries of positions that are not on the PV: they are never looked up.",
    ),
    "hash_store": (
        "Rows as in the triangle, and a store of whole PVs by position: an exact "
        "node saves its row there, and a node that the table cuts off loads it.",
        "what follows the end of its row; or a PV of the store whose position is never looked up.",
    ),
    "tree": (
        "An exact node becomes a cell: its move, and the cell of the position after it. Cells "
        "never change, and are sorted by their position’s key, for look-ups.",
        "cells that no head leads to: they stay, but are never followed.",
    ),
    "refutation": (
        "Rows as in the square, also kept when a move reaches beta; and the row below each root "
        "move, whose moves the next iteration tries first.",
        "what stands right of the column where its row ends. Copying stops there.",
    ),
}
"""For each collector: how it works, and which parts of its memory are stale."""


UNCLEARED = (
    " Here, on purpose, rows are cleared only once, before the search: a node that ends before any "
    "move has improved it leaves the row of an earlier sibling to its parent."
)


def about(name: str) -> tuple[str, str]:
    """Return the texts on a collector and its stale memory, also for a variant of it."""
    works, stale = ABOUT[name.split(",")[0]]
    return (works + UNCLEARED if name.endswith(", uncleared") else works), stale
