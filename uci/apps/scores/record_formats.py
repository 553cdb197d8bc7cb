"""Records of scored positions as JSON lines, CSV and EPD: one line of output for each position.

A record is that of `uci.apps.engines.batch_process`. In EPD the opcodes are those of the EPD
standard by Steven J. Edwards: ``ce`` (centipawns for the side to move; a mate in n plies is
32767 - n, being mated -32767 + n), ``dm`` (moves to mate), ``acd`` (depth), ``acn`` (nodes), ``pm``
(the move) and ``pv``. They replace those of the input; all its other operations are kept.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from uci.apps.engines.scored_records import SCHEMA, ScoreRecord
from uci.apps.games.epd_line import MOVES, NUMBERS
from uci.apps.games.position_lines import PositionLine
from uci.errors import shorten

COLUMNS = (
    "line", "fen", "cp", "mate", "win", "draw", "loss", "move", "pv", "depth", "nodes",
    "operations", "note", "error",
)  # fmt: skip

EPD_MATE = 32767
"""Centipawns of a mate at once in EPD."""

OURS = frozenset({"acd", "acn", "ce", "dm", "pm", "pv"})

Head = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """An output format: ``head`` returns the first line, if any, and ``row`` that of a position.

    ``san`` is whether the rows need moves in algebraic notation.
    """

    head: Callable[[Head], str]
    row: Callable[[PositionLine, ScoreRecord], str]
    san: bool = False


def _json_row(line: PositionLine, record: ScoreRecord) -> str:
    text = {"text": shorten(line.text)} if "error" in record else {}
    return _json({"line": line.number, **text, **record})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _csv_row(line: PositionLine, record: ScoreRecord) -> str:
    win, draw, loss = record.get("wdl", ("", "", ""))
    cells = {
        **record,
        "line": line.number,
        "win": win,
        "draw": draw,
        "loss": loss,
        "pv": " ".join(record.get("pv", ())),
        "operations": " ".join(_operations(record.get("operations", {}))),
    }
    return _csv(cells.get(name) for name in COLUMNS)


def _csv(cells: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _epd_row(line: PositionLine, record: ScoreRecord) -> str:
    if "error" in record:
        return f"# line {line.number}: {record['error']}\n"
    *position, clock, number = record["fen"].split()
    moves, pv = record["san"]
    mate = record.get("mate")
    operands = {
        **({} if (clock, number) == ("0", "1") else {"hmvc": clock, "fmvn": number}),
        **{name: each for name, each in record.get("operations", {}).items() if name not in OURS},
        "acd": str(record["depth"]),
        "acn": str(record["nodes"]),
        "ce": str(record["cp"] if mate is None else _mate_centipawns(mate)),
        **({"dm": str(mate)} if mate is not None and mate > 0 else {}),
        **({"pm": moves[0], "pv": " ".join(pv)} if moves else {}),
    }
    return " ".join([*position, *_operations(operands)]) + "\n"


def _mate_centipawns(moves: int) -> int:
    """Return the opcode ``ce`` of a mate in ``moves``, which counts plies; -32767 for checkmate."""
    return EPD_MATE - (2 * moves - 1) if moves > 0 else -EPD_MATE - 2 * moves


def _operations(operands: Mapping[str, str]) -> list[str]:
    """Return operations as text, sorted by opcode, as the standard has them."""
    return [f"{name} {_operand(name, operands[name])}".strip() + ";" for name in sorted(operands)]


def _operand(name: str, text: str) -> str:
    """Return an operand: moves and numbers without quotes, other texts in quotes."""
    if not text or name in MOVES | NUMBERS or text.lstrip("+-").replace(".", "", 1).isdecimal():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


FORMATS = {
    "json": RecordFormat(lambda head: _json({"schema": SCHEMA, **head}), _json_row),
    "csv": RecordFormat(lambda _: _csv(COLUMNS), _csv_row),
    "epd": RecordFormat(lambda _: "", _epd_row, san=True),
}
"""The formats by their options."""
