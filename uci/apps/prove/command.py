"""The command ``pythagoras prove``: proves a forced mate, with every reply."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from uci.apps.console.arguments import HASH, Tasks, engine_option, refuse_unused
from uci.apps.console.output_file import check_target, write_target
from uci.apps.console.signals import status_of
from uci.apps.console.streams import print_now
from uci.errors import UciError, shorten

if TYPE_CHECKING:
    import chess

    from uci.apps.console.terminal import StatusBar
    from uci.chess_io.mate_certificate import MateCertificate

FORMATS = (".json", ".pgn")


def add_parser(tasks: Tasks) -> None:
    """Add the command to the parser of ``pythagoras``."""
    parser = tasks.add_parser(
        "prove",
        usage="%(prog)s [OPTION ...] FEN --mate N\n       %(prog)s --check FILE ...",
        help="prove a mate in N moves, with every reply, for anyone to check",
        description="Find a mate in at most N moves and write it as a certificate: one move of"
        " the side that mates, every legal reply, down to checkmate.",
        epilog='example: pythagoras prove "kbK5/pp6/1P6/8/8/8/8/R7 w - -" --mate 2',
    )
    add = parser.add_argument
    add("fen", nargs="*", metavar="FEN", help="the position")
    add("--mate", type=int, metavar="N", help="moves; -N: the side to move is mated in N")
    add(
        "-o", "--output", metavar="FILE", type=Path, action="append", default=[],
        help="certificate (NAME.json), or its variations (NAME.pgn); repeat for both",
    )  # fmt: skip
    add("--force", action="store_true", help="replace existing files")
    add("--chess960", action="store_true", help="castling is king takes rook")
    add("--hash", type=engine_option("Hash"), metavar="MB", help=f"size of the hash table ({HASH})")
    add("--quiet", action="store_true", help="print only results and errors")
    add("--check", nargs="+", metavar="FILE", help="check certificates, without the engine")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prove or check; return the exit status: 1 where there is no mate, or no valid certificate.

    Raises `UciError` for what cannot be done.
    """
    if options.check:
        from uci.chess_io import certificate_check

        refuse_unused(options, "with --check", {"check"})
        return certificate_check.main(options.check)
    if not options.fen or options.mate is None:
        raise UciError("prove: expected a FEN and --mate N, or --check FILE")
    for target in options.output:
        if target.suffix not in FORMATS:
            raise UciError(f"{shorten(str(target))}: expected NAME.json or NAME.pgn")
        check_target(target, options.force)
    from uci.apps.console.terminal import StatusBar
    from uci.chess_io.fen import read_fen
    from uci.session.prover import Stopped

    board, notes = read_fen(" ".join(options.fen), options.chess960)
    board.chess960 = options.chess960
    with StatusBar(options.quiet) as status:
        if notes:
            status.note(f"FEN: {notes}")
        try:
            certificate = _prove(board, options.mate, options.hash or HASH, status)
        except (KeyboardInterrupt, SystemExit, Stopped) as stop:
            status.note(f"stopped: a mate in {abs(options.mate)} is neither proved nor ruled out")
            return status_of(stop)
    if certificate is None:
        print_now(_no_mate(board, options.mate))
        return 1
    _report(certificate)
    for target in options.output:
        write_target(target, _written(certificate, target.suffix))
        if not options.quiet:
            print(f"written: {target}", file=sys.stderr)
    return 0


def _prove(
    board: "chess.Board", mate: int, hash_mb: int, status: "StatusBar"
) -> "MateCertificate | None":
    """Prove a mate, in another thread: in this one a Ctrl-C would wait for the kernel's return."""
    from uci.apps.engines.warm_up import compile_kernels
    from uci.session.backend import import_entry_points
    from uci.session.prover import prove
    from uci.session.worker import StopEvent

    import_entry_points()
    compile_kernels(status.note)
    stop, began, proved = StopEvent(), time.monotonic(), 0
    status.begin("searching", None)

    def count(positions: int) -> None:
        nonlocal proved
        proved = positions

    with ThreadPoolExecutor(1) as threads:
        task = threads.submit(prove, board, mate, hash_mb, stop, count)
        try:
            while True:
                try:
                    return task.result(0.2)
                except TimeoutError:
                    seconds = time.monotonic() - began
                    status.update(f"searching: {seconds:.0f} s, positions proved: {proved:,}")
        except MemoryError:
            raise UciError(f"not enough memory for a hash table of {hash_mb} MiB") from None
        finally:
            stop.set()


def _no_mate(board: "chess.Board", mate: int) -> str:
    side = "White" if board.turn == (mate > 0) else "Black"
    searched = "every move of both sides was searched to that depth"
    return f"There is no mate in {abs(mate)} for {side}: {searched}."


def _report(certificate: "MateCertificate") -> None:
    """Check the certificate, and print what it proves."""
    proved = certificate.check()
    print_now(str(proved))
    print_now(certificate.board().variation_san(certificate.line()))
    print_now(f"checked: {proved.size}")


def _written(certificate: "MateCertificate", suffix: str) -> bytes:
    """Return the bytes of a file of that kind."""
    if suffix == ".json":
        return certificate.to_json().encode()
    from uci.apps.games.pgn_writer import pgn_of

    return f"{pgn_of(certificate.game())}\n".encode()
