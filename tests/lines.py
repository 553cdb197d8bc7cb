"""What tools check in the lines of analysis: an arbiter for principal variations and mates."""

from dataclasses import dataclass

import chess


@dataclass(frozen=True)
class Heard:
    """An ``info`` line with a score, read as a client does: words in any order, ``pv`` last."""

    depth: int
    seldepth: int
    multipv: int
    cp: int | None
    mate: int | None
    bound: bool
    nodes: int
    time: int
    hashfull: int
    tbhits: int
    wdl: tuple[int, ...] | None
    pv: tuple[str, ...]


def read(line: str) -> Heard:
    """Return the content of an ``info`` line with a score."""
    head, _, tail = line.partition(" pv ")
    words = head.split(" ")
    assert words[:2] == ["info", "depth"], line
    assert " score " in head, line

    def number(name: str) -> int:
        return int(words[words.index(name) + 1])

    wdl = None
    if "wdl" in words:
        at = words.index("wdl")
        wdl = tuple(map(int, words[at + 1 : at + 4]))
        assert sum(wdl) == 1000
        assert min(wdl) >= 0
    kind = words[words.index("score") + 1]
    return Heard(
        number("depth"),
        number("seldepth"),
        number("multipv"),
        number("cp") if kind == "cp" else None,
        number("mate") if kind == "mate" else None,
        "bound" in head,
        number("nodes"),
        number("time"),
        number("hashfull"),
        number("tbhits"),
        wdl,
        tuple(tail.split(" ")) if tail else (),
    )


def over(board: chess.Board) -> str:
    """Return how the game has ended, empty while it goes on; bare kings may play on."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.halfmove_clock >= 100:
        return "fifty moves"
    return "threefold repetition" if board.is_repetition(3) else ""


def fault(board: chess.Board, heard: Heard) -> str:
    """Return what is wrong with a line for ``board``, which knows its past; empty for nothing."""
    board = board.copy()
    for number, text in enumerate(heard.pv):
        # Like the first move of a game that could be claimed as drawn, the first is due anyway.
        if number and (end := over(board)):
            return f"goes on after {end} with {text}"
        move = chess.Move.from_uci(text)
        if move not in board.legal_moves:
            return f"illegal {text}"
        board.push(move)
    if heard.bound or heard.mate is None:
        return "" if heard.bound or heard.pv or over(board) else "no line"
    plies = 2 * heard.mate - 1 if heard.mate > 0 else -2 * heard.mate
    if len(heard.pv) != plies:
        return f"a mate in {heard.mate} of {len(heard.pv)} plies"
    return "" if board.is_checkmate() else "a mating line without mate"


def check(board: chess.Board, said: list[str]) -> list[Heard]:
    """Check all that was said about ``board`` up to a ``bestmove``; return the scored lines.

    Lines of several variations come together, sorted, and no two begin alike. The move is
    that of the last first variation, and the move to ponder on its second.
    """
    lines = [read(line) for line in said if line.startswith("info depth") and " score " in line]
    where = f"in {board.root().fen()} moves {' '.join(map(str, board.move_stack))}"
    for heard in lines:
        assert not (reason := fault(board, heard)), f"{reason}: {heard} {where}"
    blocks: list[list[Heard]] = []
    for heard in lines:
        if heard.multipv == 1:
            blocks.append([])
        blocks[-1].append(heard)
        assert heard.multipv == len(blocks[-1]), f"{heard} {where}"
    for block in blocks:
        assert len({heard.depth for heard in block}) == 1, where
        if len(block) > 1:
            assert len({heard.pv[0] for heard in block}) == len(block), f"{block} {where}"
            scores = [value(heard) for heard in block]
            assert scores == sorted(scores, reverse=True), f"{block} {where}"
    words = said[-1].split(" ")
    exact = [heard for heard in lines if not heard.bound and heard.multipv == 1]
    pv = exact[-1].pv
    assert words == ["bestmove", *(pv[:1] or ["(none)"]), *(["ponder", pv[1]] if pv[1:] else [])]
    return lines


def value(heard: Heard) -> int:
    """Return a score as one number, mates beyond all else."""
    if heard.mate is None:
        assert heard.cp is not None
        return heard.cp
    return (1 if heard.mate > 0 else -1) * 100_000 - heard.mate
