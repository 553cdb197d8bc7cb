"""The moves that solve a position, the points of a move, and the time to solution."""

import chess
import pytest

from uci.apps.epd.outcomes import Answer, Outcome, came_and_stayed, failed, judge, total
from uci.apps.epd.suite_file import Problem, read_problem
from uci.apps.epd.suite_report import score
from uci.apps.games.epd_line import AVOID, BadEpd
from uci.protocol.scored_line import ScoredLine

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
MATE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - -"


def problem(operations: str, position: str = START) -> Problem:
    return read_problem("own.epd", 1, f"{position} {operations}")[0]


def line(move: str, depth: int = 1, mate: int | None = None, bound: str = "") -> ScoredLine:
    pv = (move,) if move else ()
    return ScoredLine(depth, None if mate else 10, mate, bound, pv, nodes=100 * depth)


def answer(*moves: str, best: str = "", mate: int | None = None) -> Answer:
    """Return an answer whose n-th line came after n seconds at depth n."""
    lines = [(1000 * n, line(move, n, mate)) for n, move in enumerate(moves, 1)]
    return Answer(tuple(lines), best or moves[-1], 9000)


@pytest.mark.parametrize(
    ("operations", "right", "wrong"),
    [
        ("bm e4;", ["e2e4"], ["d2d4"]),
        ("bm e4 Nf3;", ["e2e4", "g1f3"], ["d2d4"]),
        ("am e4 d4;", ["g1f3", "a2a3"], ["e2e4", "d2d4"]),
        ("bm e4 d4; am d4;", ["e2e4"], ["d2d4", "g1f3"]),
        ('c0 "e4=10, d4=10, Nf3=3";', ["e2e4", "d2d4"], ["g1f3", "a2a3"]),
        ('bm e4; c0 "d4=10, e4=3";', ["e2e4"], ["d2d4"]),
        ("bm e4; dm 5;", ["e2e4"], ["d2d4"]),
        ("bm e4; dm -3;", ["e2e4"], ["d2d4"]),
        ('bm e4; c8 "10 5"; c9 "e2e4";', ["e2e4"], ["d2d4"]),
        ("bm e2e4;", ["e2e4"], ["d2d4"]),
    ],
)
def test_what_solves(operations: str, right: list[str], wrong: list[str]) -> None:
    one = problem(operations)
    assert [judge(one, answer(move)).solved for move in right] == [True] * len(right)
    assert [judge(one, answer(move)).solved for move in wrong] == [False] * len(wrong)


@pytest.mark.parametrize(("mate", "solved"), [(1, True), (2, True), (3, False), (-1, False)])
def test_a_mate_is_solved_by_its_score(mate: int, solved: bool) -> None:
    one = problem("dm 2;", MATE)
    assert judge(one, answer("g1f1", mate=mate)).solved is solved
    assert judge(one, answer("g1f1")).solved is False


@pytest.mark.parametrize(
    "operations",
    [
        'c0 "e4=10, d4=7, Nf3=3";',
        "c0 e4=10, d4=7, Nf3=3",
        'c0 "e4 = 10; d4 = 7; Nf3! = 3";',
        'c8 "10 7 3"; c9 "e2e4 d2d4 g1f3";',
        'c8 "10 7 3"; c7 "e4 d4 Nf3";',
        'c0 "a comment"; c7 "e4 d4 Nf3"; c8 "10 7 3"; c9 "e2e4 d2d4 g1f3";',
        'c0 "e4=1, e4=10, d4=7, d4=2, Nf3=3";',
    ],
)
def test_points(operations: str) -> None:
    one = problem(operations)
    moves = {"e2e4": 10, "d2d4": 7, "g1f3": 3, "a2a3": 0}
    assert {move: judge(one, answer(move)).points for move in moves} == moves
    assert one.goal.most == 10


@pytest.mark.parametrize(
    "comment", ["All win but e3 is best = 1", f"{','.join(['Ng5=9'] * 200)}.", "e4=d4=c4=3"]
)
def test_a_comment_is_no_points(comment: str) -> None:
    one = problem(f'bm e4; c0 "{comment}";')
    assert judge(one, answer("e2e4")).points is None


@pytest.mark.parametrize(
    ("moves", "time", "depth"),
    [
        (["e2e4", "e2e4", "e2e4"], 1000, 1),
        (["d2d4", "e2e4", "e2e4"], 2000, 2),
        (["e2e4", "d2d4", "e2e4"], 3000, 3),
        (["d2d4", "e2e4", "d2d4", "e2e4", "", "e2e4"], 4000, 4),
        (["d2d4", "e2e4", "g1f3"], 2000, 2),  # both are right
        (["d2d4", "xyz", "e2e4"], 3000, 3),
    ],
)
def test_the_time_when_it_came_and_stayed(moves: list[str], time: int, depth: int) -> None:
    found = judge(problem("bm e4 Nf3;"), answer(*moves))
    assert (found.time, found.depth, found.nodes) == (time, depth, 100 * depth)
    assert found.counted == time


def test_unsolved_counts_the_full_time() -> None:
    found = judge(problem("bm e4;"), answer("e2e4", "d2d4"))
    assert (found.solved, found.time, found.depth, found.counted) == (False, None, None, 9000)


def test_a_move_that_came_after_all_lines_counts_the_full_time() -> None:
    found = judge(problem("bm e4;"), answer("d2d4", "d2d4", best="e2e4"))
    assert (found.solved, found.time, found.depth) == (True, 9000, 2)
    found = judge(problem("bm e4;"), Answer((), "e2e4", 40))
    assert (found.solved, found.time, found.depth, found.cp) == (True, 40, 0, None)


def test_bounds_count_for_moves_and_not_for_mates() -> None:
    bound = Answer(
        ((1, line("d2d4")), (2, line("e2e4", bound="lower")), (3, line("e2e4"))), "e2e4", 9
    )
    assert judge(problem("bm e4;"), bound).time == 2
    lines = (
        (1, line("d1d8", mate=1, bound="lower")),
        (2, line("d1d8", mate=1)),
        (3, line("d1d8", mate=1)),
    )
    assert judge(problem("dm 1;", MATE), Answer(lines, "d1d8", 9)).time == 2
    assert judge(problem("dm 1;", MATE), Answer(lines[:1], "d1d8", 9)).solved is False


def test_came_and_stayed_of_nothing() -> None:
    assert came_and_stayed([], lambda line: True) is None


@pytest.mark.parametrize("move", ["(none)", "0000", "e2e5", "", "xyz"])
def test_an_answer_that_is_no_move_is_an_error(move: str) -> None:
    found = judge(problem('c0 "e4=10";'), Answer((), move, 40))
    assert (found.solved, found.points, found.spent) == (False, 0, 40)
    assert found.error.startswith("illegal move")


def test_castling_in_either_notation() -> None:
    position = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"
    for operations in ("bm O-O;", "bm 0-0;", "bm e1g1;", "bm e1h1;"):
        for move in ("e1g1", "e1h1"):
            assert judge(problem(operations, position), answer(move)).solved


def test_chess960() -> None:
    position = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb -"
    one = problem("bm O-O-O;", position)
    assert judge(one, answer("e1b1")).solved
    assert judge(one, answer("e1b1")).san == "O-O-O"


PROMOTION = "8/5P2/8/8/2k5/8/8/4K3 w - -"


@pytest.mark.parametrize(
    "operations",
    ["bm f8 = Q;", "bm f8 (Q);", "bm f7 - f8 = Q;", "bm f8= q;", 'c0 "f8 = Q = 10, f8 = N = 3";'],
)
def test_promotions_with_blanks(operations: str) -> None:
    one = problem(operations, PROMOTION)
    assert judge(one, answer("f7f8q")).solved
    assert not judge(one, answer("f7f8n")).solved


KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - -"


@pytest.mark.parametrize("avoid", ["Nd2", "Qd2", "Sd2", "Nd2 Nd4", "xyz"])
def test_a_move_to_avoid_that_cannot_be_read_is_left_out_beside_a_best_move(avoid: str) -> None:
    one, repairs = read_problem("own.epd", 1, f"{KNIGHTS} bm Kf2; am {avoid};")
    assert AVOID in repairs
    assert judge(one, answer("e1f2")).solved
    assert not judge(one, answer("b1d2")).solved
    assert one.goal.avoid == ((chess.Move.from_uci("f3d4"),) if "Nd4" in avoid else ())
    with pytest.raises(BadEpd, match=f"am {avoid.split()[0]}"):
        problem(f"am {avoid};", KNIGHTS)


def test_mates_are_left_out_of_the_mean_depth() -> None:
    """An engine reaches its highest depth at once in a mate, which would distort the mean."""

    def outcome(depth: int, mate: int | None) -> Outcome:
        cp = None if mate else 10
        return Outcome("e2e4", "e4", True, None, 1, 4, 50, 1000, depth, 100, cp, mate)

    mate, error = outcome(245, 3), failed(problem("bm e4;"), "has ended")
    assert total([None] * 4, [outcome(10, None), mate, outcome(14, None), error]).depth == 12
    assert total([None], [mate]).depth is None


def test_totals() -> None:
    def outcome(solved: bool, points: int | None, error: str = "") -> Outcome:
        time = 300 if solved else None
        return Outcome("e2e4", "e4", solved, points, time, 4, 50, 1000, 8, 100, 10, None, error)

    added = total([10, 10, None], [outcome(True, 10), outcome(False, 4), outcome(False, None, "x")])
    assert (added.positions, added.solved, added.errors) == (3, 1, 1)
    assert (added.points, added.most) == (14, 20)
    assert (added.time, added.nodes, added.depth) == (2300, 300, 8)
    assert total([None], [outcome(True, None)]).points is None
    assert total([], []).solved == 0


def test_scores_in_words() -> None:
    one = problem("bm e4;")
    answers = (0, None), (125, None), (-7, None), (None, 3), (None, -2)
    lines = [ScoredLine(1, cp, mate, "", ("e2e4",)) for cp, mate in answers]
    outcomes = [judge(one, Answer(((1, each),), "e2e4", 1)) for each in lines]
    assert [*map(score, outcomes)] == ["0.00", "+1.25", "-0.07", "mate in 3", "mated in 2"]
