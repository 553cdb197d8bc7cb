"""Time for a move: within the clock at any setting, and sensible over a game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.limits import HARD_FACTOR, Budget, Limits, budget, soft_scale

clocks = st.one_of(st.none(), st.integers(-100_000, 10_000_000))
overheads = st.integers(0, 5000)
moves = st.integers(1, 6000)


@given(
    st.integers(-100_000, 100_000_000),
    st.none() | st.integers(-10, 1_000_000),
    st.none() | st.integers(-1, 200),
    st.none() | st.integers(-10, 100_000),
    moves,
    overheads,
    st.sampled_from([0, 1]),
)
def test_a_clock_gives_both_limits_and_keeps_the_overhead(
    time: int,
    increment: int | None,
    movestogo: int | None,
    movetime: int | None,
    move: int,
    overhead: int,
    side: int,
) -> None:
    clock = {"wb"[side] + "time": time, "wb"[side] + "inc": increment}
    limits = Limits(movestogo=movestogo, movetime=movetime, **clock)
    soft, hard = budget(limits, side, move, overhead)
    assert soft is not None
    assert hard is not None
    assert 0 < soft <= hard <= max(1, time - overhead)
    if movetime is not None:
        assert hard <= max(1, movetime - overhead)


@given(clocks, clocks, clocks, clocks, clocks, clocks, moves, overheads, st.sampled_from([0, 1]))
def test_no_mixture_gives_nonsense(
    movetime: int | None,
    wtime: int | None,
    btime: int | None,
    winc: int | None,
    binc: int | None,
    movestogo: int | None,
    move: int,
    overhead: int,
    side: int,
) -> None:
    limits = Limits(None, None, movetime, wtime, btime, winc, binc, movestogo)
    soft, hard = budget(limits, side, move, overhead)
    assert soft is None or (hard is not None and 0 < soft <= hard)
    assert hard is None or hard >= 1


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(depth=5, nodes=100), Budget(None, None)),
        (Limits(movestogo=5), Budget(None, None)),
        (Limits(infinite=True, wtime=1000, movetime=50), Budget(None, None)),
        (Limits(movetime=100), Budget(None, 80)),
        (Limits(movetime=20), Budget(None, 1)),
        (Limits(movetime=1020, mate=3), Budget(250, 1000)),
        (Limits(movetime=20, mate=3), Budget(1, 1)),
        (Limits(movetime=0), Budget(None, 1)),
        (Limits(wtime=1), Budget(1, 1)),
        (Limits(wtime=-500, winc=1000), Budget(1, 1)),
    ],
)
def test_examples(limits: Limits, expected: Budget) -> None:
    assert budget(limits, 0, 40, 20) == expected


def test_each_side_has_its_own_clock() -> None:
    limits = Limits(wtime=1_000, btime=100_000, winc=0, binc=1_000)
    white, black = budget(limits, 0, 40, 20), budget(limits, 1, 40, 20)
    assert white.hard is not None
    assert black.soft is not None
    assert white.hard < 1_000 < black.soft


def test_a_missing_clock_is_taken_from_the_other_side() -> None:
    assert budget(Limits(btime=1_000), 0, 40, 20) == budget(Limits(btime=1_000), 1, 40, 20)


def test_an_increment_alone_can_be_spent() -> None:
    soft, hard = budget(Limits(winc=1_000), 0, 40, 20)
    assert soft is not None
    assert hard is not None
    assert 200 < soft <= hard < 1_000
    assert budget(Limits(winc=1_000), 1, 40, 20) == (soft, hard), "as a clock is"
    assert budget(Limits(winc=1_000, binc=0), 1, 40, 20) == (1, 1)
    assert budget(Limits(wtime=9_000, winc=1_000), 1, 40, 20) == budget(
        Limits(btime=9_000), 1, 40, 20
    )


def test_the_opening_takes_less_than_what_follows() -> None:
    times = [budget(Limits(wtime=60_000), 0, move, 20).soft or 0 for move in (1, 10, 20, 40, 80)]
    assert times == sorted(times)
    assert 2 * times[0] < times[2]
    assert times[4] < 1.5 * times[2]


def test_the_last_move_before_the_time_control_takes_most() -> None:
    last, two = (budget(Limits(wtime=10_000, movestogo=n), 0, 40, 20) for n in (1, 2))
    assert last.soft is not None
    assert two.soft is not None
    assert last.soft > 6_000
    assert 3_500 < two.soft < 5_000


def test_the_soft_limit_follows_the_search() -> None:
    """The soft limit grows if the best move changes, the score falls, or other moves take nodes."""
    stabilities = [soft_scale(stable, 0, 0.5) for stable in range(9)]
    assert stabilities == sorted(stabilities, reverse=True)
    assert stabilities[0] > 2 * stabilities[8]
    assert soft_scale(3, 40, 0.5) > soft_scale(3, 0, 0.5) >= soft_scale(3, -40, 0.5)
    assert soft_scale(3, 0, 0.2) > soft_scale(3, 0, 0.5) > soft_scale(3, 0, 0.9)
    extremes = [soft_scale(*given) for given in ((0, 900, 0.0), (9, -900, 1.0))]
    assert 0.3 < extremes[1] < 1 < 3 < extremes[0] < 10


@given(st.integers(0, 200), st.integers(-64_000, 64_000), st.floats(0, 1))
def test_no_position_deserves_more_than_the_hard_limit(
    stable: int, drop: int, share: float
) -> None:
    least, most = soft_scale(200, -64_000, 1.0), soft_scale(0, 64_000, 0.0)
    assert least <= soft_scale(stable, drop, share) <= most == HARD_FACTOR
    assert least == pytest.approx(0.6, abs=0.02)


def play(limits: dict[str, int], moves: int, overrun: float, latency: float) -> list[float]:
    """Return the clock after each of ``moves``, which take ``overrun`` times the soft limit."""
    clock, clocks = float(limits["wtime"]), []
    for number in range(moves):
        control = limits.get("movestogo")
        left = {} if control is None else {"movestogo": control - number % control}
        soft, hard = budget(
            Limits(wtime=int(clock), winc=limits.get("winc"), **left), 0, number + 1, 20
        )
        assert soft is not None
        assert hard is not None
        clock -= min(hard, soft * overrun) + latency
        assert clock > 0, f"out of time at move {number + 1}"
        clock += limits.get("winc", 0)
        if control is not None and (number + 1) % control == 0:
            clock += limits["wtime"]
        clocks.append(clock)
    return clocks


@pytest.mark.parametrize("overrun", [0.7, 1.0, 1.5, 2.0, 4.0])
@pytest.mark.parametrize(
    "limits",
    [
        {"wtime": 10_000, "winc": 100},
        {"wtime": 2_000, "winc": 20},
        {"wtime": 60_000},
        {"wtime": 60_000, "movestogo": 40},
        {"wtime": 1_000, "winc": 1_000},
    ],
)
def test_no_game_is_lost_on_time(limits: dict[str, int], overrun: float) -> None:
    moves = 300 if "winc" in limits else 120 if overrun < 4 else 60
    play(limits, moves, overrun, latency=5)


@pytest.mark.parametrize("overrun", [1.0, 1.5, 2.0, 4.0])
@pytest.mark.parametrize("increment", [20, 100, 1_000])
def test_increments_are_kept_for_a_stall(increment: int, overrun: float) -> None:
    clocks = play({"wtime": 100 * increment, "winc": increment}, 300, overrun, latency=5)
    assert min(clocks) - increment > 0.5 * increment


@pytest.mark.parametrize("overrun", [0.8, 1.2])
def test_the_clock_is_used(overrun: float) -> None:
    clocks = play({"wtime": 10_000, "winc": 100}, 80, overrun, latency=1)
    assert clocks[39] > 3_000, "little left for the endgame"
    assert clocks[79] < 5_000, "half of the clock unused"
