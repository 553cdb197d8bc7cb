"""Games from self-play: every move is checked by python-chess, every result explained."""

from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import chess
import numpy as np
import pytest

from engine.board.position import POSITION, new_position
from engine.datagen.factory import Factory, Player, Settings
from engine.datagen.game_record import MAX_GAME_WORDS, NO_SCORE, read_start, write_start
from engine.datagen.opening import set_start
from engine.jit.kernel import COMPILED
from engine.syzygy.wdl_tables import Tablebases
from helpers.entries import entry
from helpers.game_checks import check
from helpers.games import lines_of, plies_of, result_of, start_of
from helpers.naive_search import random_positions
from helpers.syzygy import FOLDER, MEN
from uci.chess_io.convert import fill
from uci.chess_io.syzygy import open_tables
from uci.chess_io.syzygy_ranking import WdlValue

QUICK = Settings(nodes=300, hash=1, chess960=500, keep_pvs=1)
GAMES = 40
if not COMPILED:
    QUICK, GAMES = replace(QUICK, nodes=3, win_score=100), 1  # a short game

SHEET = np.dtype([("words", np.uint16, MAX_GAME_WORDS)])


@entry(POSITION, SHEET)
def _write(pos: Any, sheet: Any) -> None:
    write_start(pos, sheet.words, np.int64(11))


@entry(POSITION, SHEET)
def _read(pos: Any, sheet: Any) -> None:
    read_start(pos, sheet.words, np.int64(0))


@entry(POSITION, np.int64)
def _start(pos: Any, number: Any) -> None:
    set_start(pos, number)


def sheet() -> Any:
    return np.rec.array(np.zeros(1, SHEET))[0]


def state(pos: Any) -> dict[str, Any]:
    """Return the bytes of a position record, without its history and its move lists."""
    skipped = {"history", "moves", "castling_rook"}
    return {n: pos[n].tolist() for n in POSITION.names or () if n not in skipped}


def games(
    settings: Settings,
    number: int,
    threads: int = 1,
    first: int = 0,
    tables: Tablebases | None = None,
) -> list[Any]:
    found: list[Any] = []
    tasks = (partial(Player.play, number=index) for index in count(first))
    factory = Factory([Player(settings, tables=tables) for _ in range(threads)], tasks)
    try:
        while len(found) < number:
            found += list(factory.games(1.0))
    finally:
        factory.close()

    return found[:number]


@pytest.mark.boundscheck
@pytest.mark.slow
def test_every_game_is_legal_and_well_ended() -> None:
    results, castled, classical = [], 0, 0
    for game in games(QUICK, GAMES):
        board = check(game.words, QUICK)
        results.append(result_of(game.words))
        assert all(lines_of(game.words))
        root = board.root()
        classical += all(root.king(c) in (None, chess.E1, chess.E8) for c in chess.COLORS)
        castled += any(word >> 12 == 2 for word, _ in plies_of(game.words))
        assert game.nodes >= len(board.move_stack)
    assert set(results) == {0, 1, 2}
    assert castled > GAMES // 4
    assert 0 < classical < GAMES


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.slow
def test_moves_drawn_at_random() -> None:
    """Some moves, never the first, are random and have no score; most of them lose no material."""
    settings = replace(QUICK, random_moves=200)
    plies = drawn = 0
    for game in games(settings, GAMES):
        check(game.words, settings)
        scores = [score for _, score in plies_of(game.words)]
        assert scores[0] != NO_SCORE
        plies, drawn = plies + len(scores), drawn + scores.count(NO_SCORE)
        again = Player(settings).score_again(game.words)
        assert again is not None
        assert np.array_equal(again.words, game.words)
    if COMPILED:
        assert 0.15 < drawn / plies < 0.25


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="games that come to their last pieces")
def test_tablebases_adjudicate() -> None:
    """A game is adjudicated as soon as a capture or pawn move leads to a position in the tables."""
    opened, found = open_tables(FOLDER), []

    def by_tables(board: chess.Board) -> int | None:
        few = chess.popcount(board.occupied) <= opened.largest
        value = opened.value(board) if few and board.halfmove_clock == 0 else None
        if value is None or board.clean_castling_rights():
            return None
        decided = abs(value) == WdlValue.WIN
        found.append(1 if not decided else 2 if board.turn == (value > 0) else 0)
        return found[-1]

    settings = replace(
        QUICK, nodes=1, random_moves=400, win_score=30_000, draw_plies=1000, table_pieces=MEN
    )
    for game in games(settings, 300, tables=opened.results):
        check(game.words, settings, by_tables)
    assert set(found) == {0, 1, 2}


@pytest.mark.interpreted
def test_the_960_starts() -> None:
    pos = new_position()
    for number in range(0, 960, 1 if COMPILED else 37):
        _start(pos, number)
        expected = new_position()
        fill(expected, chess.Board.from_chess960_pos(number))
        assert state(pos) == state(expected), number


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_start_comes_back_as_it_was() -> None:
    for board in random_positions(3, 40 if COMPILED else 2):
        pos, again, paper = new_position(), new_position(), sheet()
        fill(pos, board)
        _write(pos, paper)
        words = paper.words[:16]
        assert words[15] == 11
        seen = start_of(words)
        assert seen.board_fen() == board.board_fen()
        assert (seen.turn, seen.castling_rights) == (board.turn, board.clean_castling_rights())
        assert seen.halfmove_clock == board.halfmove_clock
        _read(again, paper)
        assert state(again) == state(pos)


def test_a_game_depends_on_its_number_alone() -> None:
    player, other = Player(QUICK), Player(QUICK)
    third = player.play(3)
    assert third is not None
    for number in (7, 3):
        game = other.play(number)
        assert game is not None
        assert np.array_equal(game.words, third.words) == (number == 3)


@pytest.mark.slow
def test_threads_change_nothing() -> None:
    alone, together = games(QUICK, 12), games(QUICK, 12, threads=3)
    assert [game.words.tolist() for game in alone] == [game.words.tolist() for game in together]
    later = games(QUICK, 2, threads=2, first=10)
    assert [game.words.tolist() for game in later] == [g.words.tolist() for g in alone[10:]]
    other = games(Settings(seed=2, nodes=300, hash=1, chess960=500, keep_pvs=1), 12)
    assert not {tuple(g.words.tolist()) for g in alone} & {tuple(g.words.tolist()) for g in other}


def test_a_halted_game_is_worth_nothing() -> None:
    player = Player(QUICK)
    player.halt()
    assert player.play(1) is None


def test_scores_anew() -> None:
    """Scoring again with the same engine and nodes changes nothing; with others, only scores."""
    game = Player(QUICK).play(5)
    assert game is not None
    again = Player(QUICK).score_again(game.words)
    assert again is not None
    assert np.array_equal(again.words, game.words)
    assert again.nodes == game.nodes
    deeper = Player(replace(QUICK, nodes=900)).score_again(game.words)
    assert deeper is not None
    assert deeper.words[2:16].tolist() == game.words[2:16].tolist()
    assert result_of(deeper.words) == result_of(game.words)
    moves, scores = zip(*plies_of(game.words), strict=True)
    same_moves, other_scores = zip(*plies_of(deeper.words), strict=True)
    assert same_moves == moves
    assert other_scores != scores
    assert sum(map(len, lines_of(deeper.words))) > sum(map(len, lines_of(game.words)))
    halted = Player(QUICK)
    halted.halt()
    assert halted.score_again(game.words) is None


def test_an_error_in_a_thread_is_raised_where_games_are_asked_for() -> None:
    def broken(player: Player) -> None:
        raise ZeroDivisionError

    factory = Factory([Player(QUICK)], [broken])
    with pytest.raises(ZeroDivisionError):
        list(factory.games(10.0))
    factory.close()
    assert not factory.busy()
