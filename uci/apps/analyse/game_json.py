"""What was found out about games, for programs: JSON.

A document is for one source of games. ``schema`` rises when a name in it changes its meaning or
goes; names may be added at any time. All scores are from White's view.

| name | content |
| --- | --- |
| `schema` | 1 |
| `source` | the name of the file |
| `engine`, `limit`, `multipv`, `tables`, `side`, `numbers` | how the games were analysed, and which |
| `scale` | whose rules the verdicts follow, their thresholds, whose centipawns `cp` are |
| `games` | of each its `number` (from 1), its `offset` (bytes), and what follows |
| `headers`, `chess960` | the tags of the source |
| `result` | that of the last position if the game is over there, otherwise that of the source |
| `contradictions` | sentences about results in the source that contradict the last position or each other |
| `opening` | `eco`, `name`, and the `ply` that reached it; or null |
| `phases` | the plies at which `middlegame` and `endgame` begin; or null |
| `white`, `black` | `accuracy` (percent), `centipawn_loss`, `inaccuracy`, `mistake`, `blunder`; null unless judged |
| `positions` | one more than moves: `fen`, and `lines`, best first: `cp` or `mate`, `win` (percent), `depth`, `nodes`, `uci`, `san` |
| `moves` | `ply` (from 1), `color`, `uci`, `san`, `cp` or `mate`, `win` after it, `points_lost` by the mover, `verdict` or null, `best`, whether it is the `only` good move, `clock` (seconds left) or null, `source_signs` such as `!?` |
| `pgn` | the game as annotated PGN |
| `errors` | why lines of the game end before their text does: moves that cannot be made |
| `hash`, `threads` | what each process had: MiB of its table, and threads; less than asked for where the system gave less |
| `unread` | `number`, `offset` and `error` of each game that could not be read |
"""  # noqa: E501

import json
from collections.abc import Iterator, Sequence

import chess
from chess.engine import PovScore

from uci.apps.analyse.analysis_settings import AnalysisSettings
from uci.apps.analyse.annotate import GLYPHS
from uci.apps.analyse.chances import win_percent
from uci.apps.analyse.explanation import Explanation
from uci.apps.analyse.judge import JudgedMove, Summary, read_line
from uci.apps.games.analysis_document import SCHEMA, Json
from uci.protocol.scored_line import ScoredLine


def opening_lines(source: str, settings: AnalysisSettings) -> str:
    """Return the beginning of a document: all but the games, one of which follows on each line."""
    head = json.dumps({"schema": SCHEMA, "source": source, **settings.facts}, ensure_ascii=False)
    return f'{head[:-1]}, "games": ['


def closing_lines(resources: Json, unread: list[Json]) -> str:
    """Return the end of a document; the ``resources`` that there were are known by then."""
    end = json.dumps({**resources, "unread": unread}, ensure_ascii=False)
    return f"\n], {end[1:]}\n"


def game_line(facts: Json) -> str:
    """Return one game of a document, in a line of its own."""
    return "\n" + json.dumps(facts, ensure_ascii=False)


def game_facts(
    number: int, offset: int, known: Explanation, pgn: str, errors: Sequence[str] = ()
) -> Json:
    """Return what a document says of a game."""
    opening, phases = known.opening, known.phases
    facts: Json = {
        "number": number,
        "offset": offset,
        "headers": known.headers,
        "chess960": known.boards[0].chess960,
        "result": known.result,
        "contradictions": list(known.contradictions),
        "opening": opening._asdict() if opening else None,
        "phases": {"middlegame": phases.middlegame, "endgame": phases.endgame},
    }
    for color, name in ((chess.WHITE, "white"), (chess.BLACK, "black")):
        facts[name] = _summary(known.summaries.get(color))
    facts["positions"] = [
        {"fen": board.fen(), "lines": [_line(board, line) for line in look.lines]}
        for board, look in zip(known.boards, known.looks, strict=True)
    ]
    facts["moves"] = list(_moves(known))
    facts["pgn"] = pgn
    facts["errors"] = list(errors)
    return facts


def _summary(summary: Summary | None) -> Json | None:
    if summary is None:
        return None
    return {
        "accuracy": summary.accuracy,
        "centipawn_loss": summary.centipawn_loss,
        **{verdict.name.lower(): count for verdict, count in summary.verdicts.items()},
    }


def _line(board: chess.Board, line: ScoredLine) -> Json:
    found = read_line(board, line)
    return {
        **_score(found.score),
        "depth": line.depth,
        "nodes": line.nodes,
        "uci": [move.uci() for move in found.moves],
        "san": board.variation_san(found.moves),
    }


def _moves(known: Explanation) -> Iterator[Json]:
    for board, move, clock, signs in zip(
        known.boards, known.moves, known.clocks, known.signs, strict=False
    ):
        yield {
            "ply": move.ply,
            "color": chess.COLOR_NAMES[move.mover],
            "uci": move.move.uci(),
            "san": board.san(move.move),
            **_score(move.after),
            "points_lost": round(move.points_lost, 2),
            "verdict": move.verdict.name.lower() if move.verdict else None,
            "best": _best(board, move),
            "only": move.only,
            "clock": clock,
            "source_signs": [GLYPHS[sign] for sign in signs],
        }


def _best(board: chess.Board, move: JudgedMove) -> str | None:
    return board.san(move.best.moves[0]) if move.best.moves else None


def _score(score: PovScore) -> Json:
    """Return a score from White's view; for a mate on the board, 0, `win` tells who has won."""
    white = score.white()
    mate = white.mate()
    number: Json = {"cp": white.score()} if mate is None else {"mate": mate}
    return {**number, "win": round(win_percent(white), 2)}
