"""Tablebases at the root: the value is kept to the end of the game, whatever the search prefers."""

import itertools
import random
from pathlib import Path

import chess
import pytest

from engine.search.score import MATE, MATE_IN_MAX
from helpers.syzygy import FOLDER, board_of, needs_four_men, random_position, ranked
from uci.chess_io.syzygy import Tables, open_tables
from uci.chess_io.syzygy_ranking import FREE_PLIES, TB_WIN, Ranking, WdlValue


@pytest.fixture
def results(tmp_path: Path) -> Tables:
    """Return the result tables (WDL) alone, without those of distances (DTZ)."""
    for file in Path(FOLDER).glob("*.rtbw"):
        (tmp_path / file.name).symlink_to(file.absolute())
    return open_tables(str(tmp_path))


def names(ranking: Ranking) -> set[str]:
    return {move.uci() for move in ranking.moves}


def play_out(tables: Tables, board: chess.Board, dice: random.Random, most_of_a_draw: int) -> None:
    """Play a game: the side to move now follows the tables, the other side moves at random.

    The search may choose any move that the tables allow, so one of them is drawn at random.
    """
    us, start, value = board.turn, board.fen(), ranked(tables, board).value
    stubborn = dice.random() < 0.5
    for played in itertools.count():
        if board.is_game_over() or board.is_repetition(3) or board.halfmove_clock >= 100:
            break
        if board.turn == us:
            ranking = ranked(tables, board)
            if value < WdlValue.WIN:
                assert ranking.value >= value, (start, board.fen())
                value = ranking.value  # the other side's random moves may lose
            assert ranking.value == value, (start, board.fen())
            board.push(dice.choice(ranking.moves))
        elif stubborn:
            board.push(dice.choice(ranked(tables, board).moves))
        else:
            board.push(dice.choice(list(board.legal_moves)))
        if value == WdlValue.DRAW and played >= most_of_a_draw:
            return
    if value == WdlValue.WIN:
        assert board.is_checkmate(), (start, board.fen())
        assert board.turn != us
    else:
        assert not (board.is_checkmate() and board.turn == us), start


def play_some(tables: Tables, seed: int, number: int, most_of_a_draw: int) -> None:
    """Play ``number`` random positions that are won or drawn for the side to move."""
    dice = random.Random(seed)
    values = [0, 0]
    while sum(values) < number:
        board = random_position(dice)
        value = ranked(tables, board).value
        if value in (WdlValue.WIN, WdlValue.DRAW):
            values[value == WdlValue.WIN] += 1
            play_out(tables, board, dice, most_of_a_draw)
    assert min(values) > number // 5


@pytest.mark.slow
def test_won_and_drawn_positions_keep_their_value(tables: Tables) -> None:
    play_some(tables, seed=1, number=6, most_of_a_draw=20)


@pytest.mark.long
def test_300_won_and_drawn_positions_keep_their_value(tables: Tables) -> None:
    play_some(tables, seed=2, number=300, most_of_a_draw=400)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/3k4/8/8/8/KR6 w - - 0 1",
        pytest.param("8/8/8/3k4/8/8/8/K4BN1 w - - 0 1", marks=needs_four_men),
        pytest.param("8/8/3k4/8/3r4/8/8/KQ6 w - - 0 1", marks=needs_four_men),
    ],
)
def test_long_wins_against_the_best_defence(tables: Tables, fen: str) -> None:
    board, dice = board_of(fen), random.Random(3)
    assert ranked(tables, board).value == WdlValue.WIN
    while not board.is_checkmate():
        assert board.halfmove_clock < 100, board.fen()
        assert not board.is_repetition(3), board.fen()
        board.push(dice.choice(ranked(tables, board).moves))
    assert board.turn == chess.BLACK


@pytest.mark.parametrize(
    ("fen", "value", "score"),
    [
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", WdlValue.WIN, TB_WIN),
        ("8/8/8/3k4/8/8/8/KQ6 b - - 0 1", WdlValue.LOSS, -TB_WIN),
        ("4k3/4P3/5K2/8/8/8/8/8 w - - 0 1", WdlValue.DRAW, 0),
        # Mate is too far off for what is left of the fifty moves.
        ("8/8/8/3k4/8/8/8/KR6 w - - 90 80", WdlValue.CURSED_WIN, 0),
        ("8/8/8/3k4/8/8/8/KR6 b - - 90 80", WdlValue.BLESSED_LOSS, 0),
    ],
)
def test_values(tables: Tables, fen: str, value: WdlValue, score: int) -> None:
    board = board_of(fen)
    ranking = ranked(tables, board)
    assert (ranking.value, ranking.score) == (value, score)
    assert set(ranking.moves) <= set(board.legal_moves)
    assert 0 < ranking.probes <= board.legal_moves.count()
    assert board.fen() == fen, "the board is left as it was"


def test_a_cursed_win_is_a_win_without_the_rule(tables: Tables) -> None:
    for fen, value in (
        ("8/8/8/3k4/8/8/8/KR6 w - - 90 80", WdlValue.WIN),
        ("8/8/8/3k4/8/8/8/KR6 b - - 90 80", WdlValue.LOSS),
    ):
        assert ranked(tables, board_of(fen), fifty=False).value == value


@pytest.mark.parametrize("clock", [0, 60, 99])
def test_mate_at_once_comes_first(tables: Tables, results: Tables, clock: int) -> None:
    board = board_of(f"7k/8/6K1/8/8/8/Q7/8 w - - {clock} 80")
    for base in (tables, results):
        ranking = ranked(base, board)
        assert ranking.value == WdlValue.WIN
        assert names(ranking) == {"a2a8"}


def test_the_last_ply_of_the_fifty_moves_still_wins(tables: Tables) -> None:
    """At a halfmove clock of 99 a pawn move wins; after a king move the game is drawn."""
    board = board_of("8/1P6/8/8/8/8/k7/7K w - - 99 120")
    assert names(ranked(tables, board)) == {"b7b8q", "b7b8r"}


@pytest.mark.slow
def test_only_the_surest_moves_when_time_runs_out(tables: Tables) -> None:
    free = ranked(tables, board_of("8/8/8/3k4/8/8/8/KR6 w - - 0 1"))
    for clock in range(99, 0, -1):
        late = ranked(tables, board_of(f"8/8/8/3k4/8/8/8/KR6 w - - {clock} 80"))
        if late.value == WdlValue.WIN:
            break
    assert 60 < clock < 90
    assert set(late.moves) < set(free.moves)
    assert late.moves[0] == free.moves[0]


def test_progress_once_a_position_has_repeated(tables: Tables) -> None:
    fen = "8/8/8/3k4/8/8/8/KR6 w - - 0 1"
    fresh = ranked(tables, board_of(fen))
    again = board_of(fen, "b1b2 d5d4 b2b1 d4d5")
    strict = ranked(tables, again)
    assert len(strict.moves) < len(fresh.moves)
    assert set(strict.moves) <= set(fresh.moves)


def test_progress_when_the_march_is_over(tables: Tables) -> None:
    board = board_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    wide = len(ranked(tables, board).moves)
    dice = random.Random(5)
    while len(board.move_stack) < FREE_PLIES or board.turn == chess.BLACK:
        board.push(dice.choice([m for m in board.legal_moves if not board.gives_check(m)]))
        if board.is_game_over() or board.halfmove_clock == 0:
            board = board_of("8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    assert len(ranked(tables, board).moves) < wide


def test_a_third_repetition_is_a_draw(tables: Tables) -> None:
    """Rook b1 would repeat the position with Black to move for the third time."""
    board = board_of("8/8/8/3k4/8/8/1R6/K7 w - - 0 1", "b2b1 d5d4 b1b2 d4d5 b2b1 d5d4 b1b2 d4d5")
    ranking = ranked(tables, board)
    assert ranking.value == WdlValue.WIN
    assert "b2b1" not in names(ranking)


@needs_four_men
def test_a_lost_king_takes_what_it_can(tables: Tables) -> None:
    """Without the pawn the mate takes long; with it, the next zeroing move is a pawn move."""
    ranking = ranked(tables, board_of("7K/8/8/3k4/4P3/8/8/7R b - - 0 1"))
    assert ranking.value == WdlValue.LOSS
    assert names(ranking) == {"d5e4"}


def test_results_alone_keep_the_value(tables: Tables, results: Tables) -> None:
    dice, won = random.Random(4), 0
    for _ in range(25):
        board = random_position(dice)
        full, half = ranked(tables, board), ranked(results, board)
        assert half.value == full.value
        if full.value > 0:
            won += 1
            assert set(full.moves) <= set(half.moves)
    assert won >= 5


def test_mates_of_the_search_are_believed() -> None:
    move, other, bad = map(chess.Move.from_uci, ("a1a2", "a1b1", "a1b2"))
    won = Ranking(WdlValue.WIN, (move,), 0, {other: WdlValue.WIN, bad: WdlValue.DRAW})
    lost = Ranking(WdlValue.LOSS, (move,), 0)
    assert won.report(move, MATE - 5) == MATE - 5
    assert won.report(move, -300) == won.report(move, 900) == TB_WIN
    assert won.report(other, 900) == TB_WIN - 1
    assert won.report(other, MATE - 5) == MATE - 5
    assert won.report(bad, MATE - 5) == 0
    assert lost.report(move, -MATE + 6) == -MATE + 6
    assert lost.report(move, 40) == -TB_WIN
    assert Ranking(WdlValue.DRAW, (move,), 0).report(move, 500) == 0
    assert TB_WIN < MATE_IN_MAX


@needs_four_men
def test_all_moves_are_ranked(tables: Tables) -> None:
    board = board_of("8/8/8/8/8/4k3/4p3/4K2Q w - - 0 1")
    ranking = ranked(tables, board)
    assert set(ranking.best(500)) == set(board.legal_moves)
    assert len(ranking.best(500)) == board.legal_moves.count()
    assert ranking.best(1) == ranking.moves
    assert len(ranking.best(len(ranking.moves) + 2)) == len(ranking.moves) + 2
    for move, value in ranking.others.items():
        alone = tables.rank(board, moves=(move,))
        assert alone is not None
        assert (alone.value, alone.moves) == (value, (move,))
    values = list(ranking.others.values())
    assert values == sorted(values, reverse=True)
