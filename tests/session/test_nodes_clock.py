"""Clocks in nodes, which the engine keeps itself, independent of the client's clock."""

import pytest

from engine.search.limits import Limits, budget
from helpers.puppet_session import Client
from uci.chess_io.convert import Game, new_game
from uci.protocol.commands import SetPosition
from uci.session.nodes_clock import MIN_NODES, NodesClock

PLIES = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7")
RATE = 10


def game(plies: int) -> Game:
    return new_game().after(SetPosition(None, PLIES[:plies]))


def spend(clock: NodesClock, plies: int, limits: Limits, used: int = 0) -> int | None:
    """Return the hard limit of a move, and subtract its ``used`` nodes from the clock."""
    counted, charge = clock.limits(limits, game(plies), RATE)
    assert (counted.wtime, counted.btime, counted.movetime, counted.movestogo) == (None,) * 4
    if charge is not None:
        charge(used)
    return counted.nodes


def hard(left: int, plies: int, movestogo: int | None = None, increment: int = 0) -> int | None:
    limits = Limits(wtime=left, btime=left, winc=increment, binc=increment, movestogo=movestogo)
    return budget(limits, plies % 2, 1 + plies // 2, 0).hard


def test_what_is_left_does_not_depend_on_the_clients_clock() -> None:
    clock = NodesClock()
    assert spend(clock, 0, Limits(wtime=60_000, winc=100), 50_000) == hard(600_000, 0, None, 1000)
    for claimed in (60_000, 1, 45_000):  # no charge between: still the same
        counted, _ = clock.limits(Limits(wtime=claimed, winc=100), game(2), RATE)
        assert counted.nodes == hard(551_000, 2, None, 1000)
        assert counted.soft_nodes is not None
        assert 0 < counted.soft_nodes <= counted.nodes
    assert spend(clock, 1, Limits(btime=30_000)) == hard(300_000, 1), "each side has its own"


def test_repeating_controls() -> None:
    clock = NodesClock()
    spend(clock, 0, Limits(wtime=1000, movestogo=2), 4000)
    assert spend(clock, 2, Limits(wtime=77, movestogo=1), 5000) == hard(6000, 2, 1)
    assert spend(clock, 4, Limits(wtime=88, movestogo=2), 0) == hard(11_000, 4, 2), "a new one"
    assert spend(clock, 6, Limits(wtime=99, movestogo=1), 0) == hard(11_000, 6, 1)
    assert spend(clock, 8, Limits(wtime=5000)) == hard(50_000, 8), "the client's, for the rest"


@pytest.mark.parametrize("plies", [0, 2])
def test_a_take_back_takes_the_clients_clock(plies: int) -> None:
    clock = NodesClock()
    spend(clock, 4, Limits(wtime=60_000), 10_000)
    assert spend(clock, plies, Limits(wtime=50_000)) == hard(500_000, plies)
    other, _ = clock.limits(Limits(wtime=40_000), game(2), 2 * RATE)
    assert other.nodes == hard(800_000, 2), "and so does another rate"


def test_limits_without_a_clock() -> None:
    clock = NodesClock()
    assert spend(clock, 0, Limits(movetime=500)) == 5000
    assert spend(clock, 0, Limits(depth=3)) is None
    assert spend(clock, 0, Limits(nodes=7, wtime=60_000)) == 7
    assert spend(clock, 0, Limits(infinite=True, wtime=60_000)) is None
    assert spend(NodesClock(), 0, Limits(wtime=-5)) == MIN_NODES


def test_a_session_charges_what_is_played(client: Client) -> None:
    client.say("setoption name nodestime value 10")

    def limit(position: str, go: str = "go wtime 60000 btime 60000") -> int:
        client.say(f"position startpos moves {position}", go).until("info depth 3")
        client.say("stop").until("bestmove")
        limits, soft = client.engine.asked[-1]
        assert soft is None
        assert limits.nodes is not None
        return limits.nodes

    first = limit("e2e4 e7e5")
    less = limit("e2e4 e7e5 g1f3 b8c6", "go ponder wtime 9 btime 9")
    assert 0 < less != first
    assert limit("e2e4 e7e5 g1f3 g8f6") == less, "a ponder miss costs nothing"
    client.say("ucinewgame")
    assert limit("e2e4 e7e5") == first
    client.say("setoption name nodestime value 0", "go wtime 1000 btime 1000").until("bestmove")
    assert client.engine.asked[-1][0].nodes is None


def test_the_same_game_whatever_the_clock_says(real_client: Client) -> None:
    games = []
    for clocks in ((2000, 2000, 2000), (2000, 1500, 90)):
        real_client.say("ucinewgame", "setoption name nodestime value 20")
        moves: list[str] = []
        for time in clocks:
            played = " ".join(["position startpos moves", *moves])
            real_client.say(played, f"go wtime {time} btime {time} winc 20 binc 20")
            move = real_client.until("bestmove", 60)[-1].split()[1]
            moves += [move, "a7a6" if len(moves) == 0 else "a6a5" if len(moves) == 2 else "a5a4"]
        games.append((moves, [line for line in real_client.heard if "pv" in line][-1].split()[3]))
    assert games[0] == games[1]
