"""The terminal, and the extras that make things nicer on it and elsewhere."""

import re
import shutil
import sys
from importlib.util import find_spec

from uci.apps.console.extras import EXTRAS, install_command, reinstall_command
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings
from uci.apps.doctor.probe import PACKAGES

SIGNS = "–→±½♔é"
"""What our commands print beyond ASCII; players' names have more."""

_COLUMNS = 80


def check_terminal(_: Findings) -> Check:
    """Check that the output can show what our commands print."""
    wanted = f"UTF-8, {_COLUMNS} columns"
    encoding = sys.stdout.encoding or "ascii"
    watched = sys.stdout.isatty()
    columns = shutil.get_terminal_size().columns if watched else _COLUMNS
    found = f"{encoding}, {columns} columns" if watched else f"none: {encoding} to a file or pipe"
    try:
        SIGNS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        mend = "set LANG to a locale of UTF-8, as C.UTF-8, or PYTHONUTF8=1"
        return Check("terminal", "wrong", found, wanted, mend)
    if columns < _COLUMNS:
        return Check("terminal", "note", found, wanted, "make it wider: tables are folded")
    return Check("terminal", "ok", found, wanted)


def check_extras(findings: Findings) -> Check:
    """Check that what the extras install works, and tell what is not there."""
    wanted = "analysis, for pages"
    needs = {extra: [_module(each) for each in packages] for extra, packages in EXTRAS.items()}
    names = {name for modules in needs.values() for name in modules}
    broken = [
        name
        for name in PACKAGES
        if name in names and findings.probe.failure(name) and not findings.probe.missing(name)
    ]
    if broken:
        found = f"{broken[0]} is broken: {findings.probe.failure(broken[0])}"
        mend = reinstall_command(*broken)
        return Check("extras", "wrong", found, wanted, mend)
    whole = [extra for extra, modules in needs.items() if all(map(find_spec, modules))]
    found = ", ".join(whole) or "none"
    if "analysis" not in whole:
        mend = f"{install_command(*EXTRAS['analysis'])}, if you want games explained on a page"
        return Check("extras", "note", found, wanted, mend)
    return Check("extras", "ok", found, wanted)


def _module(requirement: str) -> str:
    """Return the module that a requirement of an extra installs."""
    return re.split(r"[\[>]", requirement)[0].replace("-", "_")
