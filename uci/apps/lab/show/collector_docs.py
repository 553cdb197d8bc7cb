"""What the page says of each collector."""

ABOUT: dict[str, tuple[str, str]] = {
    "none": (
        "Nothing is collected: the search returns a score, and nobody knows why.",
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
        "what stands behind the first null move (∅). But nobody keeps the tail of a line that "
        "is still best from being overwritten by a try that fails.",
    ),
    "hash_walk": (
        "Nothing is collected: the line is read at the end from the transposition table, from "
        "the root, best move by best move.",
        "entries of positions that are not on the line. An entry is what was last found out "
        "about its position, though, perhaps elsewhere in the tree; and it may be gone.",
    ),
    "pv_hash": (
        "A small table of exact nodes alone; the line is read from it at the end.",
        "entries of positions that are not on the line: nobody looks them up.",
    ),
    "hash_store": (
        "Rows as in the triangle, and beside them a holder of whole lines by position: an exact "
        "node leaves its row there, and a node that the table ends fetches it.",
        "what stands behind the end of its row; or a line of the holder whose position nobody "
        "asks for.",
    ),
    "tree": (
        "An exact node becomes a cell: its move, and the cell of the position after it. Cells "
        "never change, and are ordered by their position’s key for who looks for one.",
        "cells to which no head leads: they stay, and nobody follows them.",
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
