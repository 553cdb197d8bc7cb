"""The process behind `uci.apps.engines.batch_engine`: batches of positions in, their scores out.

A message is a line of JSON. The first one has the limit and the size of the table; ``{}`` answers
it, or an ``error``. Each later one is a batch: its lines of text, in any form of FEN or EPD, and
whether moves are wanted in algebraic notation, too. The answer is a list of records, see
`record_of`. The end of the input ends the process at once, whatever it searches.
"""

import json
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

import chess

from uci.apps.console.streams import own_output
from uci.apps.engines.position_scorer import NoResult, PositionScorer
from uci.apps.engines.scored_records import ScoreRecord
from uci.apps.games.epd_line import BadEpd, read_line
from uci.chess_io.fen import read_fen
from uci.errors import UciError, reason
from uci.protocol.writer import exit_process


def record_of(scorer: PositionScorer, text: str, san: bool = False) -> ScoreRecord:
    """Return the record of a line: its position, its EPD operations and the score.

    ``note`` says what was dropped from the position, if anything; ``san`` holds move and line if
    wanted. Without a score, ``error`` is the only key.
    """
    try:
        line = read_line(text)
        board, note = read_fen(line.fen)
        found = scorer.score(board)
    except (BadEpd, UciError, NoResult) as error:
        return {"error": str(error)}
    score = {"cp": found.cp} if found.mate is None else {"mate": found.mate}
    return {
        "fen": board.fen(),
        **({"note": note} if note else {}),
        **score,
        "wdl": found.wdl,
        "move": found.move,
        "pv": found.pv,
        "depth": found.depth,
        "nodes": found.nodes,
        **({"operations": line.operands} if line.operands else {}),
        **({"san": [_san(board, [found.move]), _san(board, found.pv)]} if san else {}),
    }


def _san(board: chess.Board, moves: Sequence[str | None]) -> list[str]:
    replay = board.copy(stack=False)
    return [replay.san_and_push(replay.parse_uci(text)) for text in filter(None, moves)]


def main() -> NoReturn:
    """Answer messages until the input ends, which ends the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Windows, Ctrl-C reaches this process, too
    output = own_output()

    def answer(message: object) -> None:
        output.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        output.flush()

    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(messages,), daemon=True).start()
    try:
        _serve(messages.get, answer)
    except BaseException:  # noqa: BLE001  (a defect: print it to standard error)
        traceback.print_exc()
    # A normal exit would wait for the thread that reads.
    exit_process(1)


def _serve(receive: Callable[[], bytes], answer: Callable[[object], None]) -> None:
    """Answer messages; return only if the engine cannot be loaded."""
    settings = json.loads(receive())
    try:
        from engine.jit import kernel

        kernel.warm()
        scorer = PositionScorer(tuple(settings["limit"]), settings["hash"])
    except Exception as error:  # noqa: BLE001  (the parent reports it)
        answer({"error": reason(error)})
        return
    answer({})
    while True:
        batch = json.loads(receive())
        answer([record_of(scorer, text, batch["san"]) for text in batch["lines"]])


def _read(messages: "queue.SimpleQueue[bytes]") -> None:
    for line in sys.stdin.buffer:
        messages.put(line)
    exit_process(0)
