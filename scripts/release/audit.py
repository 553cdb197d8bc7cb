"""Ask whether a version that the engine needs, and that is installed, is known to be vulnerable.

Usage: python -m scripts.release.audit PIP_AUDIT, or ``make audit``.

The program PIP_AUDIT asks a service about chess, numba, numpy and what these need. Exit status: 0
when nothing is known, 1 when something is, 3 when the service cannot be asked, 2 for wrong usage.
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
    """Return the installed version of all that our package needs at run time, by name.

    Raises `metadata.PackageNotFoundError` where one is missing.
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
    parser.add_argument("program", metavar="PIP_AUDIT", help="what asks the service")
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
    # Its status is 1 for what it found and for what it could not do; only the first has a table.
    if done.returncode and not done.stdout.strip():
        reason = (done.stderr.strip().splitlines() or ["it does not say why"])[-1]
        print(f"audit: NOT DONE, the service cannot be asked: {reason}", file=sys.stderr)
        return UNREACHABLE
    print(done.stdout, end="")
    if done.returncode:
        return 1
    print(f"audit: nothing is known against {', '.join(pins.split())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
