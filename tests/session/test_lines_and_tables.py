"""Tablebases with MultiPV: all lines are shown, and the move keeps the table's result."""

import random
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import chess
import pytest

from engine.jit import kernel
from engine.search.table_setting import TableSetting
from helpers.fake_tables import constant_table
from helpers.line_checks import check_analysis, read_info
from helpers.puppet_session import Client, Gate, Puppet, loading_client
from helpers.syzygy import FOLDER, needs_four_men, random_position
from uci.chess_io.book import Book
from uci.chess_io.convert import move_to_uci
from uci.chess_io.syzygy import Tables, open_tables
from uci.chess_io.syzygy_ranking import TB_WIN, Ranking, WdlValue
from uci.session.backend import Backend
from uci.session.go import PATIENT_PROBE_TIME

WORTH = {"a2a3": WdlValue.WIN, "e2e4": WdlValue.WIN, "d2d4": WdlValue.DRAW, "h2h3": WdlValue.LOSS}


class Oracle(Tables):
    """Fake tables for the start position: four moves do not lose, and only the first is certain."""

    def __init__(self) -> None:
        """Start without files."""
        self.asked: list[float] = []
        self.known = True
        self._late = None

    def rank_within(
        self,
        seconds: float,
        board: chess.Board,
        limit: int = 7,
        fifty: bool = True,
        halted: Callable[[], bool] = lambda: False,
        moves: Collection[chess.Move] = (),
    ) -> Ranking | None:
        self.asked.append(seconds)
        if not self.known:
            return None
        worth = {
            move: WORTH.get(move.uci(), WdlValue.LOSS) for move in moves or tuple(board.legal_moves)
        }
        best = max(worth, key=lambda move: (worth[move], move.uci() == "a2a3"))
        others = sorted(worth.keys() - {best}, key=lambda move: (-worth[move], move.uci()))
        return Ranking(worth[best], (best,), len(worth), {move: worth[move] for move in others})


def with_oracle(client: Client) -> Client:
    client.session.resources.tables = Oracle()
    return client


def test_how_long_tables_may_take() -> None:
    """Look-ups may take a share of the clock, or without a clock enough time for slow machines."""
    oracle = Oracle()
    client = Client()
    client.session.resources.tables = oracle
    for go in ("movetime 100", "wtime 2000", "depth 2"):
        client.say(f"go {go}").until("bestmove")
    fixed, clock, depth = oracle.asked
    assert 0.02 <= clock < fixed <= 0.05
    assert depth == PATIENT_PROBE_TIME
    client.say("go mate 1", "setoption name Skill Level value 3", "go depth 2").until("bestmove")
    client.until("bestmove")
    assert len(oracle.asked) == 3, "neither a mate nor a weak player asks them"


def test_a_mistake_in_book_or_tables_costs_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in book or tables is reported, and the search's move is played."""

    def fail(*_: object) -> None:
        raise TypeError("ours")

    client = Client()
    expected = client.say("go depth 2").until("bestmove")[-1]
    client.session.resources.tables = Oracle()
    monkeypatch.setattr(Oracle, "rank_within", fail)
    client.session.resources.book = Book(Path("a book"))
    monkeypatch.setattr(Book, "pick", fail)
    said = client.say("setoption name OwnBook value true", "go depth 2").until("bestmove")
    assert said.count("info string internal error: TypeError('ours')") == 2
    assert said[-1] == expected


def test_which_searches_probe(tmp_path: Path) -> None:
    """The search probes tables if the root is not in them, but not for `go mate` or weak play."""
    oracle = Oracle()
    results = oracle.results = constant_table(tmp_path, 2)
    client = Client()
    client.session.resources.tables = oracle
    client.say("go depth 2").until("bestmove")
    oracle.known = False
    client.say("go depth 2").until("bestmove")
    client.say("setoption name SyzygyProbeLimit value 5", "setoption name SyzygyProbeDepth value 3")
    client.say("setoption name Syzygy50MoveRule value false", "go depth 2").until("bestmove")
    client.say("go mate 1", "stop").until("bestmove")
    client.say("setoption name Skill Level value 3", "go depth 2").until("bestmove")
    assert client.engine.tables == [
        None,
        TableSetting(results, 7, 1, True),
        TableSetting(results, 5, 3, False),
        None,
        None,
    ]


def test_late_tables_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Oracle):
        looking = True

        def rank_within(self, *_: object, **__: object) -> None:  # type: ignore[override]
            return None

    client = Client()
    client.session.resources.tables = Late()
    said = client.say("go depth 2").until("bestmove")
    assert "info string tablebase probe timed out; searching without it" in said


def test_the_next_best_moves_fill_the_lines() -> None:
    client = with_oracle(Client()).say("setoption name MultiPV value 4", "go depth 6")
    said = client.until("bestmove")
    check_analysis(chess.Board(), said, complete=False)
    assert said[-1] == "bestmove a2a3"
    searched = [move_to_uci(move, chess960=False) for move in client.engine.root_moves[-1] or ()]
    assert searched == ["a2a3", "e2e4", "d2d4", "a2a4"]
    heard = [read_info(line) for line in said[-5:-1]]
    assert [(line.pv[0], line.cp) for line in heard] == [
        ("a2a3", TB_WIN),
        ("e2e4", TB_WIN - 1),
        ("d2d4", 0),
        ("a2a4", -TB_WIN),
    ]
    assert {line.tbhits for line in heard} == {20}


def test_one_line_is_of_the_moves_that_keep_the_value() -> None:
    client = with_oracle(Client()).say("go depth 3")
    assert client.until("bestmove")[-1] == "bestmove a2a3"
    assert len(client.engine.root_moves[-1] or ()) == 1


@pytest.mark.parametrize(("moves", "best"), [("d2d4 h2h3 d2d4", "d2d4"), ("h2h3", "h2h3")])
def test_searchmoves_are_ranked_among_themselves(moves: str, best: str) -> None:
    for lines in (1, 2, 3):
        client = with_oracle(Client()).say(f"setoption name MultiPV value {lines}")
        said = client.say(f"go depth 3 searchmoves {moves}").until("bestmove")
        assert said[-1] == f"bestmove {best}"
        shown = {line.pv[0] for line in check_analysis(chess.Board(), said, complete=False)}
        assert len(shown) == min(lines, len(set(moves.split())))


@pytest.mark.parametrize("lines", [1, 4])
def test_without_kernels_too(lines: int) -> None:
    gate = Gate(Puppet())
    try:
        client = with_oracle(loading_client(gate)).say(f"setoption name MultiPV value {lines}")
        said = client.say("go movetime 100").answer()
        assert said[-1].startswith("bestmove a2a3")
        assert read_info(said[-2]).cp == TB_WIN
    finally:
        gate.open.set()


def test_a_search_that_ends_at_once() -> None:
    client = with_oracle(Client()).say("setoption name MultiPV value 4")
    client.engine.mute = True
    assert client.say("go movetime 40").answer()[-1].startswith("bestmove a2a3")


@pytest.fixture
def tables() -> Iterator[Tables]:
    found = open_tables(FOLDER)
    yield found
    found.close()


@pytest.mark.skipif(not kernel.COMPILED, reason="needs compiled kernels")
@pytest.mark.slow
@needs_four_men
def test_no_number_of_lines_spoils_a_result(kernels: Backend, tables: Tables) -> None:
    kernels.searcher.clear()
    client, dice = Client(lambda notice: kernels), random.Random(8)
    client.say(f"setoption name SyzygyPath value {FOLDER}").until("info string found")
    limits = ("nodes 1", "nodes 7", "nodes 40", "nodes 900", "depth 2")
    for _ in range(150):
        board = random_position(dice)
        legal = list(board.legal_moves)
        given = dice.sample(legal, dice.randint(1, len(legal))) if dice.random() < 0.3 else legal
        lines, limit = dice.choice([1, 2, 3, 5, 256]), dice.choice(limits)
        words = f"searchmoves {' '.join(map(str, given))}" if given is not legal else ""
        client.say(f"setoption name MultiPV value {lines}", f"position fen {board.fen()}")
        client.say(f"go {limit} {words}")
        heard = check_analysis(board, said := client.until("bestmove", 30))
        played, ranking = chess.Move.from_uci(said[-1].split()[1]), tables.rank(board, moves=given)
        assert ranking is not None
        where = (board.fen(), lines, limit, words, said)
        assert ranking.others.get(played, ranking.value) == ranking.value, where
        assert heard[-1].tbhits == ranking.probes, where
        if limit == "depth 2":
            assert heard[-1].multipv == min(lines, len(given)), where
    client.session.join()
