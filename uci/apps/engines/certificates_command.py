"""The command ``pythagoras certificates``: what a cluster of one's own machines needs for TLS."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import integer
from uci.apps.console.extras import missing
from uci.errors import UciError, shorten

if TYPE_CHECKING:
    import argparse

DAYS = 365
MOST_DAYS = 36500


def add_parser(tasks: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "certificates",
        help="make certificates for a cluster of your own",
        description="Write ca.pem, cert.pem and key.pem, for all machines of a cluster."
        " Whoever has key.pem can run programs on all of them.",
        epilog="example: pythagoras certificates keys",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to; not replaced")
    parser.add_argument(
        "--days", type=integer(1, MOST_DAYS), default=DAYS, metavar="N",
        help=f"days until they expire ({DAYS})",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: "argparse.Namespace") -> int:
    """Make them, and say what for. Raises `UciError`."""
    if find_spec("cryptography") is None:
        raise UciError(missing("cryptography", "cluster"))
    from uci.apps.engines.certificates import make_certificates

    try:
        ca, cert, key = make_certificates(options.folder, options.days)
    except OSError as error:
        name = shorten(str(error.filename or options.folder))
        raise UciError(f"{name}: {error.strerror}") from None
    print(f"for Dask: --tls-ca-file {ca} --tls-cert {cert} --tls-key {key}")
    print(f"for us:   --tls-ca {ca} --tls-cert {cert} --tls-key {key}")
    return 0
