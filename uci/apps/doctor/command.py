"""The command ``pythagoras doctor``: is this installation sound, and what mends it?"""

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from uci.apps.doctor.check import Check


def add_parser(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "doctor",
        help="is this installation sound, and what mends it?",
        description="Check this installation in some five seconds, and say what mends it. The last"
        " line is for a bug report: it names no file of yours. Exit status 1 if anything is wrong.",
        epilog='example: pythagoras doctor --option "SyzygyPath=/tables"',
    )
    parser.add_argument(
        "--cold", action="store_true", help="compile as well, in a folder of its own"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="try an option's value as well: EvalFile, Book File, SyzygyPath ...",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: "argparse.Namespace") -> int:
    """Examine, and print what was found; return the exit status. Raises `UciError`."""
    from uci.apps.doctor.named_files import given

    return _examine(given(options.option), options.cold, options.json)


def _examine(values: "Mapping[str, str]", compiles: bool, as_json: bool) -> int:
    """Examine with the ``values`` of options, and print; return the exit status."""
    from uci.apps.doctor.bug_line import bug_line
    from uci.apps.doctor.check import names_of
    from uci.apps.doctor.diagnostics import Findings
    from uci.apps.doctor.layout import tell, teller
    from uci.apps.doctor.run_checks import examine

    say = teller()
    with ExitStack() as stack:
        cold = Path(stack.enter_context(TemporaryDirectory())) if compiles else None
        findings, checks = Findings(values, cold), list["Check"]()
        for check in examine(findings):
            checks.append(check)
            if not as_json:
                tell(check, say)
        line = bug_line(findings, checks)
    wrong, notes = names_of(checks, "wrong"), names_of(checks, "note")
    if as_json:
        document = {"sound": not wrong, "checks": list(map(asdict, checks)), "line": line}
        print(json.dumps(document, indent=1))
    else:
        say(_verdict(wrong, notes), "bold")
        say(line, "")
    return int(bool(wrong))


def _verdict(wrong: "Sequence[str]", notes: "Sequence[str]") -> str:
    """Return what all checks come to."""
    noted = f", with {len(notes)} note{'s' * (len(notes) > 1)}" if notes else ""
    verdict = f"Wrong: {', '.join(wrong)}" if wrong else "This installation is sound"
    return f"{verdict}{noted}. For a bug report:"
