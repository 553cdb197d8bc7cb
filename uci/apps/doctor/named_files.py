"""The files that options name, as a chess program sets them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.files import named
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Findings
from uci.errors import UciError, reason, shorten
from uci.protocol.options import Options, try_path
from uci.session.resources import Resources

if TYPE_CHECKING:
    from uci.chess_io.syzygy import Tables


def check_options(findings: Findings) -> Iterator[Check]:
    """Check each option that was given a value: that it takes it, and can use the file it names."""
    for name, value in findings.given.items():
        yield _check(name, value)


def _check(name: str, value: str) -> Check:
    wanted = "a value that it can use"
    try:
        option, parsed = Options().parse(name, value)
        named_file = parsed if isinstance(parsed, str) else value
        found = _open(option.name, named_file) or str(parsed)
    except ImportError as error:
        return Check(name, "skipped", f"not tried: {reason(error)}", wanted)
    except (OSError, ValueError) as error:
        mend = "give another, or leave the option out: the engine plays without"
        return Check(name, "wrong", reason(error), wanted, mend)
    return Check(option.name, "ok", found, wanted)


def _open(name: str, value: str) -> str:
    """Open what an option names as the engine does; return what it is, empty if nothing is named.

    Raises `UciError`, or what reading a network raises.
    """
    if not value:
        return ""
    if name == "EvalFile":
        from engine.evaluation.network import fingerprint, read_network

        network = try_path(value, lambda name: read_network(named(name)))
        return f"a network, {fingerprint(network)}"
    resources = Resources()
    told = resources.open(name, value)
    if name == "Debug Log File":
        resources.open(name, "")
        return "can be written"
    if resources.tables is not None:
        resources.tables.close()
        _check_sums(resources.tables)
    return told or ("a book" if resources.book else "")


def _check_sums(tables: "Tables") -> None:
    """Compare the checksums of all files of ``tables``. Raises `UciError` if one is wrong."""
    from engine.syzygy.checksum import has_right_checksum

    wrong = [file.name for file in tables.files if not has_right_checksum(file)]
    if wrong:
        others = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise UciError(f"wrong checksum: {wrong[0]}{others}; download the file again")


def given(words: list[str]) -> dict[str, str]:
    """Return the options and values of ``NAME=VALUE``. Raises `UciError`."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (sign and name.strip()):
            raise UciError(f"doctor: --option {shorten(word)}: NAME=VALUE is needed")
        found[name.strip()] = value
    return found
