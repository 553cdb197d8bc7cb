"""Runs all checks in order."""

from collections.abc import Iterator

from uci.apps.doctor.check import Check
from uci.apps.doctor.check_code import cache, cache_folder, compiler, settings
from uci.apps.doctor.check_files import files, network
from uci.apps.doctor.check_machine import large_pages, memory, processor, terminal
from uci.apps.doctor.check_options import option_checks
from uci.apps.doctor.check_packages import chess, extras, name_clashes, numba, numpy, python
from uci.apps.doctor.check_search import bench, cold_start, perft, speed, warm_start
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import Result

CHECKS: tuple[Check, ...] = (
    python, name_clashes, files, terminal, memory, cache_folder, settings, numpy, numba, chess,
    extras, processor, compiler, cache, large_pages, network, perft, bench, speed, warm_start,
)  # fmt: skip
"""The checks in order: slow ones come last."""


def run_checks(diagnostics: Diagnostics) -> Iterator[Result]:
    """Yield the result of each check; those of options come last."""
    yield from (check.run(diagnostics) for check in CHECKS)
    if diagnostics.cold:
        yield cold_start.run(diagnostics)
    yield from (check.run(diagnostics) for check in option_checks(diagnostics.options))
