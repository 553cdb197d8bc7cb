"""The scheduler of a cluster, from the command line, and whether its use is safe.

Dask executes what any client sends, on workers and scheduler alike, and we unpickle what they
answer. So both sides must show certificates, or the scheduler must be on this machine.
"""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from uci.errors import UciError, named_errors, shorten

FILES = ("tls_ca", "tls_cert", "tls_key")

_ADDRESS = re.compile(r"(?P<protocol>tls|tcp)://(?P<host>\[[\w:.%]+\]|[\w.-]+):(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler by its address; ``ca``, ``cert`` and ``key`` are files, with ``tls://`` only."""

    address: str
    ca: str = ""
    cert: str = ""
    key: str = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a scheduler to a parser; one line of help stands for all."""
    parser.add_argument(
        "--scheduler", metavar="URL", help="Dask scheduler; with --tls-ca, --tls-cert, --tls-key"
    )
    for name in FILES:
        parser.add_argument(_option(name), metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--insecure", action="store_true", help=argparse.SUPPRESS)


def find_scheduler(options: argparse.Namespace, *senseless: str) -> Scheduler | None:
    """Return the scheduler that the options name, or None. Raises `UciError`.

    ``senseless`` names options of the command that cannot be used with a cluster.
    """
    given = {name: getattr(options, name) for name in FILES}
    if options.scheduler is None:
        for name in (*FILES, "insecure"):
            if getattr(options, name):
                raise UciError(f"{_option(name)} requires --scheduler")
        return None
    for name in senseless:
        if getattr(options, name):
            raise UciError(f"{_option(name)} cannot be used with --scheduler")
    found = _ADDRESS.fullmatch(options.scheduler)
    if found is None:
        raise UciError(f"--scheduler {shorten(options.scheduler)}: expected tls://HOST:PORT")
    if found["protocol"] == "tls":
        missing = [_option(name) for name in FILES if not given[name]]
        if missing:
            raise UciError(f"--scheduler tls://... also requires {', '.join(missing)}")
        scheduler = Scheduler(options.scheduler, *given.values())
        _check_files(scheduler)
        return scheduler
    if any(given.values()):
        raise UciError("--scheduler tcp://... cannot be used with certificates; use tls://")
    if not options.insecure and not _is_here(found["host"]):
        raise UciError(
            f"{options.scheduler}: without encryption, anyone on the network can run programs on"
            " all machines: use tls://, or --insecure on a private network"
        )
    return Scheduler(options.scheduler)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is_here(host: str) -> bool:
    """Return whether all addresses of a host name are this machine's loopback."""
    import ipaddress
    import socket

    try:
        found = socket.getaddrinfo(host.strip("[]"), None)
    except OSError as error:
        raise UciError(f"{shorten(host)}: {error.strerror}") from None
    except UnicodeError:  # an empty label, or one of more than 63 characters
        raise UciError(f"{shorten(host)}: not a valid host name") from None
    return all(ipaddress.ip_address(str(entry[4][0]).split("%")[0]).is_loopback for entry in found)


def _check_files(scheduler: Scheduler) -> None:
    """Raise `UciError` for files that are not certificates, or do not belong together."""
    import ssl

    context = ssl.create_default_context()
    for path in (scheduler.ca, scheduler.cert, scheduler.key):
        with named_errors(path):
            Path(path).open("rb").close()
    try:
        context.load_verify_locations(scheduler.ca)
    except ssl.SSLError:
        raise UciError(f"{shorten(scheduler.ca)}: not a certificate") from None
    try:
        context.load_cert_chain(scheduler.cert, scheduler.key, password=lambda: "")
    except (ssl.SSLError, ValueError):
        names = f"{shorten(scheduler.cert)}, {shorten(scheduler.key)}"
        raise UciError(f"{names}: expected a certificate and its key, without a password") from None
