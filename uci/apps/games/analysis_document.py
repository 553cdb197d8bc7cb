"""Analysis documents, which ``pythagoras analyse`` writes for programs: JSON of schema 1.

A document describes one source of games. It is an object with ``schema`` and the fields of
`AnalysisDocument`; each class below is an object in it. ``schema`` is increased when a name is
removed or changes its meaning; names may be added at any time. A field with a default is missing in
documents of earlier versions. All scores are from White's view, in Stockfish's centipawns; only one
of ``cp`` and ``mate`` is written.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import chess

from engine.files import open_file
from uci.apps.games.openings import Opening
from uci.apps.games.phases import Phases
from uci.apps.games.typed_json import WrongJson, from_json, to_json
from uci.errors import UciError, named_errors, shorten

SCHEMA = 1

Side = Literal["white", "black"]
BadMove = Literal["inaccuracy", "mistake", "blunder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedLine:
    """A PV of a position: ``uci`` and ``san`` are its moves.

    ``mate`` counts moves, and is 0 in checkmate; ``win`` is the winning chance in percent by
    lichess's curve; ``depth`` is in plies.
    """

    cp: int | None = None
    mate: int | None = None
    win: float
    depth: int
    nodes: int
    uci: tuple[str, ...]
    san: str


NO_LINE = AnalysedLine(win=50.0, depth=0, nodes=0, uci=(), san="")
"""The line of a position that was not searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedPosition:
    """A position; its ``lines`` are best first.

    ``threat`` is the opponent's line if the side to move passed; it is missing where that is no
    threat, or was not searched.
    """

    fen: str
    lines: tuple[AnalysedLine, ...]
    threat: AnalysedLine | None = None

    @property
    def best(self) -> AnalysedLine:
        """The best line, `NO_LINE` if there is none."""
        return self.lines[0] if self.lines else NO_LINE


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedMove:
    """A move of the game and its evaluation; ``ply`` counts from 1.

    ``win`` is the winning chance after it; ``points_lost`` are percentage points that its side lost
    by it. ``best`` is the engine's choice in SAN, None if the game was over; ``only`` is whether it
    is the only good move. ``clock`` is the time left in seconds; ``source_signs`` are the source's
    marks such as ``!?``.
    """

    ply: int
    color: Side
    uci: str
    san: str
    cp: int | None = None
    mate: int | None = None
    win: float
    points_lost: float
    verdict: BadMove | None
    best: str | None
    only: bool
    clock: float | None = None
    source_signs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SideTotals:
    """Totals of one side: ``accuracy`` in percent, mean loss, and numbers of bad moves."""

    accuracy: float | None
    centipawn_loss: int | None
    inaccuracy: int
    mistake: int
    blunder: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedGame:
    """A game: its ``number`` in the source, from 1, and its ``offset`` there, in bytes.

    ``headers`` are the source's. The ``result`` is that of the last position if the game is over
    there, otherwise the source's; ``contradictions`` are sentences on other results in the source.
    ``white`` and ``black`` are None if that side was not judged. ``positions`` has one entry more
    than ``moves``. ``pgn`` is the annotated game; ``errors`` say why lines of the game end early.
    """

    number: int
    offset: int
    headers: dict[str, str]
    chess960: bool
    result: str = ""
    contradictions: tuple[str, ...] = ()
    opening: Opening | None
    phases: Phases
    white: SideTotals | None
    black: SideTotals | None
    positions: tuple[AnalysedPosition, ...]
    moves: tuple[AnalysedMove, ...]
    pgn: str
    errors: tuple[str, ...] = ()

    def move_number(self, index: int) -> int:
        """Return the move number of a move; ``index`` counts plies from 0."""
        _, turn, _, _, _, number = self.positions[0].fen.split()
        return int(number) + (index + (turn == "b")) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineName:
    """The engine that analysed the games, and the digests of its ``network`` and ``sources``."""

    name: str
    version: str
    network: str = ""
    sources: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Minimum loss of each kind of bad move, in percentage points."""

    inaccuracy: float
    mistake: float
    blunder: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The rules of the verdicts, and the unit of the scores in ``centipawns``."""

    name: str
    centipawns: str = "Stockfish's, converted"
    unit: str
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisHead:
    """The name of the ``source``, and how its games were analysed.

    ``limit`` has the ``nodes``, ``depth`` or ``movetime`` per position. ``tables`` is whether there
    were tablebases; ``side`` whose moves were judged, None for both; ``numbers`` which games were
    selected, None for all. ``threat_limit`` is the limit of the searches for threats; it is missing
    without them.
    """

    source: str
    engine: EngineName
    limit: dict[str, int]
    multipv: int
    tables: bool
    scale: Scale
    side: str | None
    numbers: str | None = None
    threat_limit: dict[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadGame:
    """A game that could not be read: its number, its offset in bytes, and the reason."""

    number: int
    offset: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisDocument(AnalysisHead):
    """A whole document. ``hash`` (MiB) and ``threads`` are those of each process."""

    games: tuple[AnalysedGame, ...]
    hash: int | None = None
    threads: int | None = None
    unread: tuple[UnreadGame, ...]


def document_start(head: AnalysisHead) -> str:
    """Return the beginning of a document, up to the games."""
    facts = {"schema": SCHEMA} | to_json(head, omitted_if_none=("threat_limit",))
    return f'{_text(facts)[:-1]}, "games": ['


def game_text(game: AnalysedGame, first: bool) -> str:
    """Return one game of a document, in a line of its own."""
    text = _text(to_json(game, omitted_if_none=("cp", "mate", "threat")))
    return f"{'' if first else ','}\n{text}"


def document_end(resources: dict[str, int], unread: Iterable[UnreadGame]) -> str:
    """Return the end of a document; ``resources`` are its ``hash`` and ``threads``."""
    return f"\n], {_text({**resources, 'unread': [to_json(each) for each in unread]})[1:]}\n"


def read_document(path: Path) -> AnalysisDocument:
    """Return the document in a file. Raises `UciError` if it is missing or damaged."""
    with named_errors(path), open_file(path) as file:
        return _document_in(file, shorten(str(path)))


def _document_in(file: IO[bytes], name: str) -> AnalysisDocument:
    try:
        found = json.load(file)
    except (ValueError, RecursionError):
        raise UciError(f"{name} is not valid JSON") from None
    if not isinstance(found, dict) or not found.keys() >= {"schema", "games"}:
        raise UciError(f"{name} is not a document of analysed games: create one with `analyse`")
    if found["schema"] != SCHEMA:
        schema = shorten(json.dumps(found["schema"]))
        raise UciError(f"{name}: schema {schema} is unknown, expected {SCHEMA}")
    try:
        document = from_json(AnalysisDocument, found)
        if not document.limit or document.threat_limit == {}:
            raise WrongJson(f"{'threat_limit' if document.limit else 'limit'} has no number")
        games = tuple(_checked(game, f"games[{at}]") for at, game in enumerate(document.games))
        return replace(document, games=games)
    except WrongJson as error:
        raise UciError(f"{name} is damaged: {error}") from None


def _checked(game: AnalysedGame, place: str) -> AnalysedGame:
    """Return a consistent game, with the result that old versions omitted. Raises `ValueError`."""
    last = len(game.moves)
    if len(game.positions) != last + 1:
        raise WrongJson(f"{place} has {len(game.positions)} positions for {last} moves")
    for at, move in enumerate(game.moves):
        if move.ply != at + 1:
            raise WrongJson(f"{place}.moves[{at}].ply must be {at + 1}, not {move.ply}")
    for name, ply in (("middlegame", game.phases.middlegame), ("endgame", game.phases.endgame)):
        if ply is not None and not 0 <= ply <= last:
            raise WrongJson(f"{place}.phases.{name} must be 0 to {last}, not {ply}")
    for at, position in enumerate(game.positions):
        if not _is_fen(position.fen):
            raise WrongJson(
                f"{place}.positions[{at}].fen is not a valid FEN: {shorten(position.fen)}"
            )
        threats = (position.threat,) if position.threat else ()
        if any(not threat.uci for threat in threats):
            raise WrongJson(f"{place}.positions[{at}].threat has no move")
        if any(line.cp is None and line.mate is None for line in (*position.lines, *threats)):
            raise WrongJson(f"{place}.positions[{at}]: a line has neither cp nor mate")
    return replace(game, result=game.result or game.headers.get("Result", "*"))


def _is_fen(text: str) -> bool:
    with suppress(ValueError):
        chess.Board(text, chess960=True)
        return len(text.split()) == 6
    return False


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
