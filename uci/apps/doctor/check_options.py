"""Checks of the values of UCI options, and the files that they name."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.files import named
from uci.apps.doctor.check import Check
from uci.apps.doctor.diagnostics import Diagnostics
from uci.apps.doctor.result import Skipped, Wrong
from uci.errors import UciError, reason, shorten
from uci.protocol.options import Options, try_path
from uci.session.resources import Resources

if TYPE_CHECKING:
    from uci.chess_io.syzygy import Tables


def option_checks(values: Mapping[str, str]) -> Iterator[Check]:
    """Yield a check of each value: the option accepts it, and the file it names can be used."""
    for name, value in values.items():
        yield Check(name, "a valid value", partial(_try_option, name, value))


def _try_option(name: str, value: str, _: Diagnostics) -> str:
    try:
        option, parsed = Options().parse(name, value)
        path = parsed if isinstance(parsed, str) else value
        return _open(option.name, path) or str(parsed)
    except ImportError as error:
        raise Skipped(reason(error)) from error
    except (OSError, ValueError) as error:
        fix = "set another value, or omit the option: the engine plays without it"
        raise Wrong(reason(error), fix) from error


def _open(name: str, path: str) -> str:
    """Open the file of an option as the engine does; return its description, empty without a file.

    Raises `UciError`, or the exceptions of reading a network.
    """
    if not path:
        return ""
    if name == "EvalFile":
        from engine.evaluation.network import fingerprint, read_network

        network = try_path(path, lambda each: read_network(named(each)))
        return f"a network, {fingerprint(network)}"
    resources = Resources()
    found = resources.open(name, path)
    if name == "Debug Log File":
        resources.open(name, "")
        return "writable"
    if resources.tables is not None:
        resources.tables.close()
        _compare_checksums(resources.tables)
    return found or ("a book" if resources.book else "")


def _compare_checksums(tables: "Tables") -> None:
    """Compare the checksums of all files of ``tables``. Raises `UciError` if one is wrong."""
    from engine.syzygy.checksum import has_right_checksum

    wrong = [file.name for file in tables.files if not has_right_checksum(file)]
    if wrong:
        others = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        raise UciError(f"wrong checksum: {wrong[0]}{others}; download the file again")


def parse(words: Sequence[str]) -> dict[str, str]:
    """Return the values of words ``NAME=VALUE``, by option. Raises `UciError`."""
    found = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (sign and name.strip()):
            raise UciError(f"doctor: --option {shorten(word)}: expected NAME=VALUE")
        found[name.strip()] = value
    return found
