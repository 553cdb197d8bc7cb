"""Checks of the values of UCI options, and of the files that they name."""

from engine.files import named
from uci.apps.doctor.check import DEPENDS, Check, Skipped, Wrong
from uci.errors import shorten
from uci.protocol.options import Options, try_path
from uci.session.resources import Resources


def option_check(name: str, value: str) -> Check:
    """Return the check that an option accepts a value, and that the file it names can be used."""

    def find() -> str:
        option, parsed = Options().parse(name, value)
        try:
            return _open(option.name, str(parsed))
        except ImportError:
            raise Skipped(DEPENDS) from None

    fix = "set another value, or omit the option: the engine plays without it"
    return Check(name, "a valid value", fix, find)


def _open(option: str, value: str) -> str:
    """Open the file of an option as the engine does; return what it is, or else the value."""
    if option == "EvalFile" and value:
        from engine.evaluation.network import fingerprint, read_network

        network = try_path(value, lambda path: read_network(named(path)))
        return f"a network, {fingerprint(network)}"
    resources = Resources()
    found = resources.open(option, value)
    if resources.tables is not None:
        from engine.syzygy.checksum import has_right_checksum

        files = resources.tables.files
        if wrong := [file.name for file in files if not has_right_checksum(file)]:
            raise Wrong(f"wrong checksum: {shorten(', '.join(wrong))}", "download again")
    resources.close()
    return found or value
