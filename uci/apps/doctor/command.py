"""The command ``pythagoras doctor``: checks the installation, and prints fixes."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from uci.apps.console.arguments import STREAM
from uci.apps.console.output_file import check_json_target, write_json

if TYPE_CHECKING:
    import argparse

    from uci.apps.doctor.result import Result


def add_parser(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "doctor",
        help="check the installation",
        description="Check this installation in about five seconds, and print how to fix"
        " problems. The last line is for bug reports; it contains no paths. The exit status is 1"
        " if anything is wrong.",
        epilog='example: pythagoras doctor --option "SyzygyPath=/tables"',
    )
    parser.add_argument(
        "--cold",
        action="store_true",
        help="also compile everything from scratch, in a temporary folder",
    )
    parser.add_argument(
        "--json", nargs="?", const=STREAM, metavar="FILE",
        help="write JSON to FILE; - (default) for standard output, instead of text",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="also check the value of a UCI option: EvalFile, Book File, SyzygyPath ...",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: "argparse.Namespace") -> int:
    """Run all checks and print the results; return the exit status. Raises `UciError`."""
    from uci.apps.doctor.check_options import parse
    from uci.apps.doctor.diagnostics import Diagnostics
    from uci.apps.doctor.formatting import bug_report, names_of, print_result, printer, verdict
    from uci.apps.doctor.run_checks import run_checks

    write, as_text = printer(), options.json != STREAM
    check_json_target(options.json, options.force)
    values = parse(options.option)
    with ExitStack() as stack:
        cold = Path(stack.enter_context(TemporaryDirectory())) if options.cold else None
        diagnostics, results = Diagnostics(values, cold), list["Result"]()
        for result in run_checks(diagnostics):
            results.append(result)
            if as_text:
                print_result(result, write)
        line = bug_report(diagnostics, results)
    wrong = names_of(results, "wrong")
    if options.json:
        checks = [
            {
                "name": result.name, "status": result.status, "found": result.found,
                "wanted": result.wanted, "mend": result.fix,
            }
            for result in results
        ]  # fmt: skip
        write_json(options.json, {"sound": not wrong, "checks": checks, "line": line})
    if as_text:
        write(f"{verdict(results)} For a bug report:", "bold")
        write(line, "")
    return int(bool(wrong))
