"""``perft`` through the protocol: `stop` ends it, and no search waits for it."""

import pytest

from engine.jit import kernel
from helpers.puppet_session import Client

pytestmark = pytest.mark.skipif(not kernel.COMPILED, reason="needs compiled kernels")

ENDLESS = ("perft 90", "perft 90 hash 4", "perft 90 divide hash 4")


@pytest.fixture
def client(real_client: Client) -> Client:
    return real_client


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("perft", ENDLESS)
def test_a_perft_ends_when_it_is_stopped(client: Client, perft: str, threads: int) -> None:
    client.say(f"setoption name Threads value {threads}", perft)
    assert client.is_silent(), "it counts"
    client.say("stop")
    assert client.until("info string", 10)[-1].endswith("stopped before all leaves were counted")
    client.session.join()
    assert not client.session.completed()
    assert client.is_silent(0.0), "a total"


@pytest.mark.parametrize("perft", ENDLESS)
def test_a_search_waits_for_no_perft(client: Client, perft: str) -> None:
    client.say(perft, perft, "eval", "perft 90", "go movetime 100")
    lines = client.until("bestmove", 10)
    assert sum(line.endswith("stopped before all leaves were counted") for line in lines) == 3
    assert sum(line.startswith("info string evaluation") for line in lines) == 1
    assert client.say("perft 3", "perft 2").until("400")[1] == "8902"


def test_a_perft_with_too_large_a_table(client: Client) -> None:
    client.say("perft 3 hash 999999999").until(
        "info string not enough memory for a perft hash table of 999999999 MiB"
    )
    assert len(client.heard) == 1
    assert client.say("perft 3 hash 1").until("8902")
