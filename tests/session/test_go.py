"""All the words of ``go``. The engine here is a puppet."""

import threading

import chess
import pytest

from helpers.line_checks import read_info
from helpers.puppet_session import CASTLES, Client, Gate, Puppet, loading_client
from helpers.timing import PATIENCE, Clock
from uci.chess_io.convert import move_to_uci


def moves_of(client: Client) -> list[str]:
    """Return the root moves of the last search."""
    return [move_to_uci(move, chess960=False) for move in client.engine.root_moves[-1] or ()]


# searchmoves


def test_searchmoves(client: Client) -> None:
    client.say("go searchmoves a2a4 h2h3 depth 5").answer()
    assert moves_of(client) == ["a2a4", "h2h3"]
    assert client.engine.asked[-1][0].depth == 5
    client.say("go depth 2").answer()
    assert client.engine.root_moves[-1] is None, "they do not leak into the next search"


def test_searchmoves_alone_is_infinite(client: Client) -> None:
    client.say("go searchmoves a2a4").until("info depth 9")
    client.say("stop").answer()


def test_searchmoves_castles_in_both_notations(client: Client) -> None:
    client.say(f"position fen {CASTLES}", "go depth 1 searchmoves e1g1 e1a1").until("bestmove")
    assert moves_of(client) == ["e1g1", "e1c1"]


@pytest.mark.parametrize("moves", ["e2e5", "e2e4 nonsense", "e7e5", "0000", "E2E4"])
def test_wrong_searchmoves_reject_the_whole_go(client: Client, moves: str) -> None:
    lines = client.say(f"go searchmoves {moves} depth 1").until("bestmove")
    assert "illegal move" in lines[-2]
    assert lines[-1] == "bestmove (none)"
    assert client.engine.asked == []


def test_no_search_is_answered_with_the_move_of_nothing(client: Client) -> None:
    client.say("go infinite", "go searchmoves e2e5").until("info string illegal move")
    assert client.goes_on()
    assert client.say("stop").until("bestmove")[-1] != "bestmove (none)"


def test_go_perft(client: Client) -> None:
    assert "e2e4: 5" in client.say("go perft 1").until("100"), "the puppet's count"


def test_searchmoves_without_kernels() -> None:
    gate = Gate(Puppet())
    try:
        lines = loading_client(gate).say("go movetime 50 searchmoves a2a3 h2h4").answer()
        assert lines[-1].split()[1] in ("a2a3", "h2h4")
    finally:
        gate.open.set()


# Pondering


def test_pondering_ends_with_ponderhit_only(client: Client) -> None:
    client.say("go ponder wtime 4000 btime 4000").until("info depth 9")
    assert client.engine.asked[-1][1] is None
    client.say("isready").until("readyok")
    assert client.goes_on()
    client.say("ponderhit").answer()
    ((limits, _),) = client.engine.asked
    assert limits.wtime == 4000
    assert len(client.engine.spent) == 1, "the same search continues"
    assert client.say("ponderhit", "stop").is_silent()


def test_pondered_time_counts_towards_the_soft_limit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("setoption name Move Overhead value 0", "go ponder wtime 410000 movestogo 20")
    client.until("info depth 3")
    clock.advance(15)
    client.say("ponderhit")
    assert client.engine.spent == [20_000], "from the beginning of the search"
    assert client.goes_on()
    clock.advance(5)
    client.answer()


def test_the_hard_limit_runs_from_ponderhit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("go ponder movetime 60000").until("info depth 3")
    clock.advance(90)
    client.say("ponderhit")
    assert client.goes_on()
    client.say("stop").answer()


def test_the_hard_limit_ends_an_iteration_after_ponderhit(client: Client) -> None:
    client.engine.mute = True
    client.say("go ponder movetime 60")
    assert client.goes_on()
    client.say("ponderhit").answer()


def test_a_search_that_has_had_its_time_ends_at_ponderhit() -> None:
    client = Client(now=(clock := Clock()))
    client.say("go ponder wtime 410000 movestogo 20").until("info depth 3")
    clock.advance(60)
    while read_info(client.until("info depth")[-1]).time < 60_000:
        pass
    client.engine.mute = True  # printing would leave it no time to check the clock
    assert client.goes_on()
    client.say("ponderhit").answer()


def test_a_finished_search_waits_for_ponderhit(client: Client) -> None:
    client.say("go ponder depth 3").until("info depth 3")
    assert client.is_silent()
    assert client.session.busy()
    client.say("ponderhit").answer()
    assert client.is_silent()


@pytest.mark.parametrize("stopped", [False, True])
def test_no_timer_outlives_a_search(client: Client, stopped: bool) -> None:
    """A finished search has no timer, whether it still waits for ``ponderhit`` or not."""
    others = {*threading.enumerate()}
    client.say("go ponder depth 3 wtime 1000000000").until("info depth 3")
    assert client.is_silent()
    if stopped:
        client.say("stop").until("bestmove")
        client.session.join()
    client.say("ponderhit")
    client.session.join()
    for thread in {*threading.enumerate()} - others:
        thread.join(PATIENCE)
        assert not thread.is_alive(), thread


def test_a_ponder_miss(client: Client) -> None:
    client.say("position startpos moves e2e4 e7e5", "go ponder wtime 4000 btime 4000")
    client.until("info depth 4")
    client.say("stop", "position startpos moves e2e4 c7c5", "go depth 2")
    client.answer(chess.Board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"))
    client.answer(chess.Board("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"))
    assert client.engine.cleared == 0, "what was learned is kept"
    assert client.is_silent()


@pytest.mark.parametrize("go", ["go ponder", "go ponder infinite", "go infinite ponder depth 2"])
def test_pondering_without_a_limit(client: Client, go: str) -> None:
    client.say(go).until("info depth 2")
    client.say("ponderhit")
    assert client.goes_on()
    client.say("stop").answer()
    assert client.is_silent()


def test_ponderhit_at_once(client: Client) -> None:
    for _ in range(10):
        client.say("go ponder wtime 300 btime 300", "ponderhit").answer()
    for _ in range(10):
        client.say("go ponder wtime 300 btime 300", "ponderhit", "stop").answer()
    assert client.is_silent()


def test_ponderhit_behind_another_search(client: Client) -> None:
    client.say("go infinite").until("info depth 3")
    client.say("go ponder movetime 50", "ponderhit")
    client.answer()
    client.answer()
    assert client.is_silent()


def test_pondering_without_kernels() -> None:
    gate = Gate(Puppet())
    try:
        client = loading_client(gate).say("go ponder wtime 2000 btime 2000")
        client.until("info depth 2")
        assert client.is_silent(0.2) or client.wire.lines[-1].startswith("info depth 3")
        client.say("ponderhit").answer()
    finally:
        gate.open.set()


def test_stray_ponderhit(client: Client) -> None:
    assert client.say("ponderhit").is_silent()
    client.say("go infinite").until("info depth 3")
    client.say("ponderhit").until("info depth 60")
    client.say("stop").answer()


# mate


def test_a_mate_that_is_not_there(client: Client) -> None:
    lines = client.say("go mate 2 depth 3").answer()
    assert "info string no mate in 2 moves" in lines
    assert "no mate in 1 moves with the given root moves" in "".join(
        client.say("go mate 1 depth 1 searchmoves a2a3").answer()
    )


@pytest.mark.parametrize("go", ["go mate 3 depth 4", "go mate 3 nodes 20 depth 5", "go mate 70"])
def test_a_mate_that_was_not_looked_for_long_enough(client: Client, go: str) -> None:
    client.say(go)
    if go == "go mate 70":
        client.until("info depth 5")
        client.say("stop")
    said = "".join(client.answer())
    assert "the search ended before it found" in said
    assert "no mate" not in said
