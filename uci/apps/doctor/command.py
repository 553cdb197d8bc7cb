"""The command ``pythagoras doctor``: checks the installation, and prints fixes."""

import argparse
import shutil
import sys
from contextlib import closing, suppress
from dataclasses import asdict

from uci.apps.console.arguments import STREAM, Tasks
from uci.apps.console.output_file import check_json_target, write_json
from uci.apps.console.terminal import console_on
from uci.errors import UciError, shorten


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "doctor",
        help="check the installation",
        description="Check this installation in about five seconds, and print how to fix"
        " problems. The last line is for bug reports; it contains no paths. The exit status is 1"
        " if anything is wrong.",
        epilog='example: pythagoras doctor --option "SyzygyPath=/tables"',
    )
    add = parser.add_argument
    add(
        "--cold",
        action="store_true",
        help="also compile everything from scratch, in a temporary folder",
    )
    add(
        "--json", nargs="?", const=STREAM, metavar="FILE",
        help="write JSON to FILE; - (default) for standard output, instead of text",
    )  # fmt: skip
    add("--force", action="store_true", help="replace an existing FILE")
    add(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="also check the value of a UCI option: EvalFile, Book File, SyzygyPath ...",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run all checks and print the results; return the exit status. Raises `UciError`."""
    from uci.apps.doctor.formatting import STYLES, bug_report, format_result, names_of, verdict
    from uci.apps.doctor.run_checks import run_checks

    as_text = options.json != STREAM
    check_json_target(options.json, options.force)
    columns, results = shutil.get_terminal_size().columns, []
    with closing(run_checks(dict(map(_option, options.option)), options.cold)) as found:
        for result in found:
            results.append(result)
            if as_text:
                _print(format_result(result, columns), STYLES[result.status])
    line, wrong = bug_report(results), names_of(results, "wrong")
    if options.json:
        checks = [asdict(result) for result in results]
        for check in checks:
            check["mend"] = check.pop("fix")  # the name that it had first
        write_json(options.json, {"sound": not wrong, "checks": checks, "line": line})
    if as_text:
        _print(f"{verdict(results)} For a bug report:", "bold")
        _print(line)
    return int(bool(wrong))


def _option(word: str) -> tuple[str, str]:
    """Return name and value of ``NAME=VALUE``. Raises `UciError`."""
    name, sign, value = word.partition("=")
    if not (sign and name.strip()):
        raise UciError(f"doctor: --option {shorten(word)}: expected NAME=VALUE")
    return name.strip(), value


def _print(text: str, style: str = "") -> None:
    """Print in a style of rich, or plainly without rich or a terminal."""
    console = None
    with suppress(Exception):  # a broken rich is reported by its check
        console = console_on(sys.stdout)
    if console is None:
        print(text, flush=True)
    else:
        console.print(text, style=style or None, markup=False, highlight=False, soft_wrap=True)
