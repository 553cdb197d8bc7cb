"""Every step of the search in use: each fires, its parameters switch it off, and it never fires in
a search that is not selective.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from engine.lab.interpreted import Interpreter, wrapping
from engine.search import probcut, pruning, reductions, singular, static_eval
from engine.search.limits import Limits
from engine.search.root_move import search_root_move
from engine.search.tt import NO_SCORE
from helpers.search_steps import FAR, constant, searcher_of
from uci.session.bench import POSITIONS

pytestmark = pytest.mark.slow
NODES, DEPTH = 1_000, 9

Fired = Callable[[Any, tuple[Any, ...]], bool]


def positive(found: Any, _: tuple[Any, ...]) -> bool:
    return bool(found > 0)


def negative(found: Any, _: tuple[Any, ...]) -> bool:
    return bool(found < 0)


def double(found: Any, _: tuple[Any, ...]) -> bool:
    return bool(found == 2)


def differs(found: Any, given: tuple[Any, ...]) -> bool:
    """Return whether the result differs from the last argument, a static eval."""
    return bool(found != given[-1])


def from_table(found: Any, given: tuple[Any, ...]) -> bool:
    """Return whether the last argument, a table entry, holds a static eval."""
    return bool(found != NO_SCORE and given[-1] != 0)


STEPS: Mapping[str, tuple[Any, Fired]] = {
    "reverse futility": (pruning.reverse_futility, positive),
    "null move": (pruning.null_move_allowed, positive),
    "late move pruning": (pruning.late_move_pruning, positive),
    "futility": (pruning.futility, positive),
    "pruning by history": (pruning.history_pruning, positive),
    "futility of noisy moves": (pruning.noisy_futility, positive),
    "quiet moves by SEE": (pruning.see_prune_quiet, positive),
    "noisy moves by SEE": (pruning.see_prune_noisy, positive),
    "ProbCut": (probcut.may_probcut, positive),
    "ProbCut's exchange": (probcut.probcut_see, positive),
    "singular extension": (singular.singular_extension, positive),
    "double extension": (singular.singular_extension, double),
    "negative extension": (singular.negative_extension, negative),
    "late move reduction": (reductions.late_move_reduction, positive),
    "internal reduction": (reductions.iir, positive),
    "hindsight extension": (reductions.hindsight_extension, positive),
    "a deeper search again": (reductions.deeper_or_shallower, positive),
    "a shallower search again": (reductions.deeper_or_shallower, negative),
    "improving": (static_eval.is_improving, positive),
    "an evaluation refined": (static_eval.tt_adjusted_eval, differs),
    "an evaluation from the table": (static_eval.raw_evaluation, from_table),
    "a cut-off by the table": (pruning.tt_cutoff, positive),
}
OFF: Mapping[Any, tuple[int, tuple[str, ...]]] = {
    pruning._reverse_margin: (FAR, ("reverse futility",)),
    pruning._null_base: (FAR, ("null move",)),
    pruning._late_base: (1000 * FAR, ("late move pruning",)),
    pruning._futility_base: (FAR, ("futility",)),
    pruning._history_margin: (FAR, ("pruning by history",)),
    pruning._noisy_futility_base: (FAR, ("futility of noisy moves",)),
    pruning._see_noisy: (FAR, ("noisy moves by SEE",)),
    pruning._see_quiet: (FAR, ()),
    pruning._see_check: (FAR, ("quiet moves by SEE",)),
    probcut._margin: (FAR, ("ProbCut", "ProbCut's exchange")),
    singular._singular_depth: (
        FAR,
        ("singular extension", "double extension", "negative extension"),
    ),
    reductions._noisy_base: (-FAR, ()),
    reductions._base: (-FAR, ("late move reduction", "hindsight extension")),
    reductions._iir_depth: (FAR, ("internal reduction",)),
    reductions._deeper: (FAR, ("a deeper search again",)),
    reductions._shallower: (-FAR, ("a shallower search again",)),
}
"""Parameters, each with a value that switches steps off."""

ALWAYS = {"improving", "an evaluation refined", "an evaluation from the table"}
"""Steps that only inform other steps."""


def fired(
    parameters: Mapping[Any, int] | None = None,
    selective: bool = True,
    hash_mb: int = 1,
    positions: int = 4,
) -> Counter[str]:
    """Return how often each step fired in a zero window of some positions."""
    count: Counter[str] = Counter()

    def watching(step: Any) -> Callable[[Any], Any]:
        names = [(name, saw) for name, (kernel, saw) in STEPS.items() if kernel is step]

        def watched(copy: Any) -> Any:
            def call(*given: Any) -> Any:
                found = copy(*given)
                count.update(name for name, saw in names if saw(found, given))
                return found

            return call

        return watched

    replaced = {kernel: watching(kernel) for kernel, _ in STEPS.values()}
    replaced |= {parameter: constant(value) for parameter, value in (parameters or {}).items()}
    search = Interpreter(replaced).copy(search_root_move)
    for fen in POSITIONS[20 : 20 + positions]:
        searcher = searcher_of(fen, selective, hash_mb)
        searcher.begin(Limits(nodes=NODES), None)
        thread = searcher._threads[0]
        thread.th.root_depth = DEPTH
        with wrapping():
            for depth in range(1, DEPTH + 1):
                search(searcher.pos, thread.th, thread.root_moves()[0], 1, depth, -60, -59)
    return count


def test_every_step_fires() -> None:
    """All steps fire with their default parameters, except changed ones of rare steps."""
    found = fired({reductions._shallower: 40, pruning._history_margin: 100})
    found += fired({singular._singular_depth: 3, singular._margin: 60})
    assert {name for name in STEPS if not found[name]} == set()


def test_parameters_switch_steps_off() -> None:
    """The named parameters switch a step off, while all other steps still fire."""
    off = {name for _, names in OFF.values() for name in names}
    assert off == set(STEPS) - ALWAYS - {"a cut-off by the table"}
    found = fired({parameter: value for parameter, (value, _) in OFF.items()})
    assert {name for name in off if found[name]} == set()
    assert all(found[name] for name in set(STEPS) - off)


def test_a_search_that_is_not_selective_takes_no_step() -> None:
    found = fired(selective=False, positions=1)
    assert set(found) <= ALWAYS | {"a cut-off by the table"}
    assert found["a cut-off by the table"]


def test_without_a_table_nothing_comes_from_it() -> None:
    found = fired(hash_mb=0, positions=2)
    for name in ("a cut-off by the table", "singular extension", *ALWAYS - {"improving"}):
        assert not found[name]
    assert found["improving"]
