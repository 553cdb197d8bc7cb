"""All checks, one after the other."""

from collections.abc import Callable, Iterator

from uci.apps.doctor.check import Check
from uci.apps.doctor.check_environment import check_extras, check_terminal
from uci.apps.doctor.check_startup import check_cold_start, check_warm_start
from uci.apps.doctor.code_cache import check_code, check_folder
from uci.apps.doctor.compiled import check_compiled, check_processor, check_settings
from uci.apps.doctor.counts import check_bench, check_perft, check_speed
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.installed import check_chess, check_numba, check_numpy, check_python
from uci.apps.doctor.machine import check_large_pages, check_memory
from uci.apps.doctor.named_files import check_options
from uci.apps.doctor.own_files import check_files, check_network
from uci.apps.doctor.path_clashes import check_packages
from uci.errors import reason

CHECKS: tuple[Callable[[Findings], Check], ...] = (
    check_python,
    check_packages,
    check_files,
    check_terminal,
    check_memory,
    check_folder,
    check_settings,
    check_numpy,
    check_numba,
    check_chess,
    check_extras,
    check_processor,
    check_compiled,
    check_code,
    check_large_pages,
    check_network,
    check_perft,
    check_bench,
    check_speed,
    check_warm_start,
)
"""In the order in which they are told: what takes long comes late."""


def examine(findings: Findings) -> Iterator[Check]:
    """Yield what each check finds; one that fails itself is wrong, and the others go on."""
    for check in (*CHECKS, check_cold_start) if findings.cold else CHECKS:
        try:
            yield check(findings)
        except Exception as error:  # noqa: BLE001  (a doctor must not faint)
            name = check.__name__.removeprefix("check_")
            found = f"{type(error).__name__}: {reason(error)}"
            yield Check(name, "wrong", found, "an answer", "tell us, with the last line")
    yield from check_options(findings)
