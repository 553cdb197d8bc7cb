"""The opponent's requests and answers, with a puppet behind its session."""

import queue
from collections.abc import Iterator
from time import monotonic, sleep

import pytest

from helpers.puppet_session import Gate, Puppet
from helpers.timing import FOREVER, PATIENCE
from uci.apps.play.opponent import EngineNotice, Opponent, Reply
from uci.apps.play.played_game import PlayedGame
from uci.session.loader import Loader

ENDLESS = f"movetime {int(FOREVER * 1000)}"


class Heard:
    """An opponent and the queue that receives its answers."""

    def __init__(self, puppet: Puppet, gate: Gate | None = None) -> None:
        self.events: queue.SimpleQueue[Reply | EngineNotice] = queue.SimpleQueue()
        self.puppet = puppet
        loader = Loader(gate or (lambda notice: puppet))
        self.opponent = Opponent(loader, self.events.put)
        if gate is None:
            assert loader.done.wait(PATIENCE)

    def reply(self) -> Reply:
        """Return the next answer, skipping notices."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            if isinstance(event, Reply):
                return event


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard(Puppet())
    yield made
    made.opponent.close()


def test_a_question_is_answered(heard: Heard) -> None:
    game = PlayedGame(moves=("e2e4",))
    ticket = heard.opponent.ask(game, "depth 3")
    reply = heard.reply()
    assert reply.ticket == ticket
    assert game.board.parse_uci(reply.move) in game.board.legal_moves
    assert reply.line is not None
    assert (reply.line.depth, reply.line.pv[0]) == (3, reply.move)
    assert reply.line.wdl is not None
    assert heard.puppet.games[-1].moves == ("e2e4",)


def test_questions_are_answered_in_order(heard: Heard) -> None:
    """Requests are answered in order, and each stops the one before it."""
    tickets = [heard.opponent.ask(PlayedGame(), ENDLESS) for _ in range(5)]
    heard.opponent.stop()
    assert [heard.reply().ticket for _ in tickets] == tickets


def test_stop(heard: Heard) -> None:
    ticket = heard.opponent.ask(PlayedGame(), ENDLESS)
    assert heard.events.empty()
    heard.opponent.stop()
    assert heard.reply().ticket == ticket


def test_a_thought_is_seen_before_the_answer(heard: Heard) -> None:
    assert heard.opponent.thought() is None
    heard.opponent.ask(PlayedGame(), ENDLESS)
    for _ in range(int(PATIENCE * 1000)):
        if (line := heard.opponent.thought()) is not None:
            break
        heard.puppet.stopped.wait(0.001)
    assert line is not None
    assert line.pv
    heard.opponent.stop()
    heard.reply()
    assert heard.opponent.thought() is None


def test_pondering(heard: Heard) -> None:
    game = PlayedGame(moves=("e2e4",))
    ticket = heard.opponent.ask(game, "ponder movetime 1", "e7e5")
    assert heard.puppet.games == [] or heard.puppet.games[-1].moves == ("e2e4", "e7e5")
    assert heard.events.empty()
    heard.opponent.ponderhit()
    assert heard.reply().ticket == ticket


def test_advice_is_at_full_strength_and_play_is_not(heard: Heard) -> None:
    """Hints use full strength; weak play searches several lines with few nodes."""
    heard.opponent.set_option("Skill Level", "3")
    heard.opponent.look(PlayedGame(), "depth 2")
    heard.reply()
    heard.opponent.ask(PlayedGame(), "depth 2")
    heard.reply()
    assert heard.puppet.multipv[-2] == 1
    assert heard.puppet.multipv[-1] > 1
    assert [limits.nodes is None for limits, _ in heard.puppet.asked[-2:]] == [True, False]


def test_what_the_engine_says_of_itself() -> None:
    gate = Gate(Puppet(), notice="compiling, once")
    made = Heard(gate.engine, gate)
    assert not made.opponent.ready
    made.opponent.ask(PlayedGame(), "depth 1")
    event = made.events.get(timeout=PATIENCE)
    assert event == EngineNotice("compiling, once")
    gate.open.set()
    made.reply()
    assert made.opponent.ready
    made.opponent.set_option("Hash", "0")
    assert "is out of range" in str(made.events.get(timeout=PATIENCE))
    made.opponent.close()


def test_castling_of_chess960(heard: Heard) -> None:
    """Castling is sent as king takes rook, from any start position."""
    game = PlayedGame("4k3/8/8/8/8/8/8/1K5R w H - 0 1")
    assert game.chess960
    game.push(game.board.parse_san("O-O"))
    heard.opponent.ask(game, "depth 1")
    heard.reply()
    assert heard.puppet.games[-1].moves == ("b1h1",)


def test_it_has_searched_before_the_first_question(heard: Heard) -> None:
    """A first search, which takes longer, is made before the first request."""
    assert [limits.depth for limits, _ in heard.puppet.asked] == [5]
    assert heard.puppet.cleared == 1
    heard.opponent.ask(PlayedGame(), "depth 3")
    heard.reply()
    assert [limits.depth for limits, _ in heard.puppet.asked] == [5, 3]


@pytest.mark.parametrize("asks", [True, False])
def test_the_table_has_its_memory_before_a_move_takes_time(asks: bool) -> None:
    """The table's memory is allocated before a move is timed, loaded engine or not."""
    gate = Gate(Puppet())
    made = Heard(gate.engine, gate)
    made.opponent.set_option("Hash", "64")
    made.opponent.new_game()
    if asks:
        made.opponent.ask(PlayedGame(), "movetime 10")
    gate.open.set()
    if asks:
        made.reply()
    deadline = monotonic() + PATIENCE
    while not gate.engine.touched and monotonic() < deadline:
        sleep(0.001)
    assert gate.engine.sizes == [64]
    assert gate.engine.touched
    made.opponent.close()
