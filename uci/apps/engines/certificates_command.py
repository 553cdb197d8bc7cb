"""The command ``pythagoras certificates``: creates TLS certificates for a private cluster."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from uci.apps.console.arguments import Tasks, integer
from uci.apps.console.extras import missing
from uci.errors import UciError, shorten

DAYS = 365
MOST_DAYS = 36500


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "certificates",
        help="create TLS certificates for a cluster",
        description="Write ca.pem, cert.pem and key.pem, to be copied to all machines of a cluster."
        " Anyone who has key.pem can run programs on all of them.",
        epilog="example: pythagoras certificates keys",
    )
    add = parser.add_argument
    add(
        "folder", type=Path, metavar="FOLDER", help="output folder; existing files are not replaced"
    )
    add(
        "--days", type=integer(1, MOST_DAYS), default=DAYS, metavar="N",
        help=f"validity in days ({DAYS})",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Create the certificates, and print how to use them. Raises `UciError`."""
    if find_spec("cryptography") is None:
        raise UciError(missing("cryptography", "cluster"))
    from uci.apps.engines.certificates import make_certificates

    try:
        ca, cert, key = make_certificates(options.folder, options.days)
    except OSError as error:
        name = shorten(str(error.filename or options.folder))
        raise UciError(f"{name}: {error.strerror}") from None
    print(f"options of Dask:       --tls-ca-file {ca} --tls-cert {cert} --tls-key {key}")
    print(f"options of pythagoras: --tls-ca {ca} --tls-cert {cert} --tls-key {key}")
    return 0
