"""Check the installed dependencies of the engine for known vulnerabilities.

Usage: python -m scripts.release.audit PIP_AUDIT, or ``make audit``.

The program PIP_AUDIT queries a service about chess, numba, numpy and their dependencies. Exit
status: 0 if nothing is known, 1 if there are vulnerabilities, 3 if the service cannot be reached, 2
for wrong usage.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata

PACKAGE = "pythagoras-chess"
UNREACHABLE = 3
_NAME = re.compile(r"[\w.-]+")


def needed() -> dict[str, str]:
    """Return the installed versions of all packages that we need at run time, by name.

    Raises `metadata.PackageNotFoundError` if one is missing.
    """
    found: dict[str, str] = {}
    waiting = [PACKAGE]
    while waiting:
        for requirement in metadata.requires(waiting.pop()) or ():
            name = _NAME.match(requirement)
            assert name is not None
            if ";" not in requirement and name[0] not in found:
                found[name[0]] = metadata.version(name[0])
                waiting.append(name[0])
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="audit", description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="PIP_AUDIT", help="path of the program pip-audit")
    program = parser.parse_args(arguments).program
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(needed().items()))
    words = [program, "--strict", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*words, "--requirement", "/dev/stdin"],
            input=pins, text=True, capture_output=True, check=False,
        )  # fmt: skip
    except OSError as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    # Its status is 1 for vulnerabilities and for failures; only the first prints a table.
    if done.returncode and not done.stdout.strip():
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"audit: NOT DONE, the service could not be reached: {reason}", file=sys.stderr)
        return UNREACHABLE
    print(done.stdout, end="")
    if done.returncode:
        return 1
    print(f"audit: no known vulnerabilities in {', '.join(pins.split())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
