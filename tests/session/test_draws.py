"""Win/draw/loss chances: a draw by rule is certain; other scores of 0 leave winning chances."""

import chess
import pytest

from helpers.line_checks import ScoredLine, read_info
from helpers.puppet_session import Client

DRAW = (0, 1000, 0)
SHUFFLE = "moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"


def last_lines(
    client: Client, position: str, go: str = "go depth 6", multipv: int = 1
) -> list[ScoredLine]:
    """Return the last line of each MultiPV number, from a search with UCI_ShowWDL."""
    client.say(f"setoption name MultiPV value {multipv}", "setoption name UCI_ShowWDL value true")
    client.say(f"position {position}", go)
    lines = [read_info(line) for line in client.until("bestmove") if " score " in line]
    return list({line.multipv: line for line in lines}.values())


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k1n1/8/8/8/8/8/8/4K3 b - - 0 1",
        "4k3/8/8/8/8/8/8/2B1K3 w - - 0 1",
        "5bk1/4b3/8/8/8/8/8/2B1K3 w - - 0 1",  # all on dark squares
        "k7/8/8/4K3/3Q4/8/8/8 w - - 99 80",  # nothing mates, captures or moves a pawn
        "k7/8/8/4K3/3Q4/8/8/8 w - - 150 110",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",  # stalemate
    ],
)
def test_draws_by_rule(real_client: Client, fen: str) -> None:
    """A position that is drawn by rule has a certain draw after every move."""
    moves = max(chess.Board(fen).legal_moves.count(), 1)
    lines = last_lines(real_client, f"fen {fen}", multipv=moves)
    assert len(lines) == moves
    assert {(line.cp, line.wdl) for line in lines} == {(0, DRAW)}


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("fen k7/P7/2K5/8/8/8/8/8 w - - 0 1", "c6b6"),  # stalemates
        ("fen k7/8/1K6/8/7n/8/8/6R1 b - - 99 80", "h4g2"),
        ("fen 8/8/8/8/8/1k6/2p5/2K5 b - - 99 80", "b3c3"),
        ("fen 7k/6Q1/8/8/8/8/8/K7 b - - 0 1", "h8g7"),  # takes the queen
        (f"startpos {SHUFFLE}", "f6g8"),  # repeats the position for the second time
    ],
)
def test_moves_that_draw_by_rule(real_client: Client, position: str, move: str) -> None:
    (line,) = last_lines(real_client, position, f"go depth 6 searchmoves {move}")
    assert (line.cp, line.wdl) == (0, DRAW)


@pytest.mark.parametrize(
    ("position", "move"),
    [
        ("fen k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h8"),
        ("fen k7/8/1K6/8/8/8/P7/7R w - - 99 80", "a2a3"),
        ("fen k7/8/1K6/8/7r/8/8/7R w - - 99 80", "h1h4"),
        ("fen 4k3/8/8/8/8/8/1N4N1/4K3 w - - 0 1", "e1e2"),  # a blunder loses
        (f"startpos {SHUFFLE[:-5]}", "f3g1"),
    ],
)
def test_moves_that_do_not_draw_by_rule(real_client: Client, position: str, move: str) -> None:
    """At a halfmove clock of 99, a mate, a capture or a pawn move does not draw."""
    (line,) = last_lines(real_client, position, f"go depth 6 searchmoves {move}")
    assert line.wdl != DRAW
    if move == "h1h8":
        assert (line.mate, line.wdl) == (1, (1000, 0, 0))


def test_the_best_move_at_the_last_ply_is_one_that_counts(real_client: Client) -> None:
    best, second = last_lines(real_client, "fen k7/8/1K6/8/7r/8/8/7R w - - 99 80", multipv=2)
    assert (best.pv[0], best.wdl) == ("h1h4", (1000, 0, 0))
    assert (second.cp, second.wdl) == (0, DRAW)
