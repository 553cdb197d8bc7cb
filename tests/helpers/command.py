"""The command `pythagoras` in this process."""

import io

from uci.cli import main
from uci.protocol.writer import Writer
from uci.session.loader import Loader
from uci.session.session import Session


def call(*words: object) -> int:
    """Run ``pythagoras`` with ``words``; return the exit status, also after argparse's exit."""
    session = Session(Writer(io.BytesIO()), Loader())
    try:
        return main._run_task([*map(str, words)], session)
    except SystemExit as end:
        if end.code != 2:
            raise
        return 2
