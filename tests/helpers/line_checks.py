"""Checks of ``info`` lines: their fields, principal variations, mates and the final move."""

import chess

from uci.apps.engines.pv_checks import COMPLETE, check_lines, game_over_reason, last_played
from uci.protocol.scored_line import ScoredLine, parse_info


def read_info(line: str) -> ScoredLine:
    """Return the content of an ``info`` line with a score, which must have all fields."""
    head = line.partition(" pv ")[0]
    words = head.split(" ")
    assert words[:2] == ["info", "depth"], line
    assert {"seldepth", "multipv", "score", "nodes", "hashfull", "tbhits", "time"} <= {*words}, line
    heard = parse_info(line)
    assert heard is not None, line
    assert " ".join(heard.pv) == line.partition(" pv ")[2]
    if heard.wdl is not None:
        assert sum(heard.wdl) == 1000
        assert min(heard.wdl) >= 0
    return heard


def check_analysis(board: chess.Board, said: list[str], complete: bool = True) -> list[ScoredLine]:
    """Check the engine's output for ``board`` up to ``bestmove``; return the lines with a score.

    The lines of several variations (MultiPV) must come together, sorted, each with another first
    move. ``bestmove`` and its ``ponder`` must be the first two moves of the last line. Unless
    lines must be ``complete``, they may be shorter than their depth.
    """
    lines = [
        read_info(line) for line in said if line.startswith("info depth") and " score " in line
    ]
    where = f"in {board.root().fen()} moves {' '.join(map(str, board.move_stack))}"
    for check, fault in check_lines(board, lines, said[-1].split(" ")[1]):
        assert not fault or (check == COMPLETE and not complete), f"{check}: {fault} {where}"
    for heard in lines:
        assert heard.bound or heard.pv or game_over_reason(board), f"no line: {heard} {where}"
    blocks: list[list[ScoredLine]] = []
    for heard in lines:
        if heard.multipv == 1:
            blocks.append([])
        blocks[-1].append(heard)
        assert heard.multipv == len(blocks[-1]), f"{heard} {where}"
    for block in blocks:
        assert len({heard.depth for heard in block}) == 1, where
        if len(block) > 1:
            assert len({heard.pv[0] for heard in block}) == len(block), f"{block} {where}"
            scores = [score_of(heard) for heard in block]
            assert scores == sorted(scores, reverse=True), f"{block} {where}"
    words = said[-1].split(" ")
    played = last_played(lines)
    assert played is not None
    assert played.bound != "lower" or played is lines[-1]
    pv = played.pv
    assert words == ["bestmove", *(pv[:1] or ["(none)"]), *(["ponder", pv[1]] if pv[1:] else [])]
    return lines


def score_of(heard: ScoredLine) -> int:
    """Return a score as one number: centipawns, or a mate score beyond every evaluation."""
    if heard.mate is None:
        assert heard.cp is not None
        return heard.cp
    return (1 if heard.mate > 0 else -1) * 100_000 - heard.mate
