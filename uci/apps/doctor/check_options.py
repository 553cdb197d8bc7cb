"""Checks of the values of UCI options, and of the files that they name."""

from engine.files import named
from uci.apps.doctor.check import DEPENDS, Check, Skipped
from uci.errors import UciError
from uci.protocol.options import Options, try_path
from uci.session.resources import Resources


def option_check(name: str, value: str) -> Check:
    """Return the check that an option accepts a value, and that the file it names can be used."""

    def find() -> str:
        option, parsed = Options().parse(name, value)
        try:
            return _open(option.name, parsed if isinstance(parsed, str) else "") or str(parsed)
        except ImportError:
            raise Skipped(DEPENDS) from None

    repair = "set another value, or omit the option: the engine plays without it"
    return Check(name, "a valid value", repair, find)


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
        resources.close()
        return "writable"
    if (tables := resources.tables) is not None:
        from engine.syzygy.checksum import has_right_checksum

        tables.close()
        wrong = [file.name for file in tables.files if not has_right_checksum(file)]
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise UciError(f"wrong checksum: {wrong[0]}{more}; download the file again")
    return found or ("a book" if resources.book else "")
