"""Reads files of scored positions, as `pythagoras scores` writes them in JSON."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from engine.files import open_file
from uci.errors import UciError, named_errors, shorten

ScoreRecord: TypeAlias = dict[str, Any]
"""The score of a position, or why it has none: see `uci.apps.engines.batch_process`."""

SCHEMA = "pythagoras scores 1"
"""Changes with every change that a reader must know of."""


@dataclass(frozen=True, slots=True)
class ScoresHead:
    """The first line of a file: its engine, the limit of a position and the MiB of the table."""

    engine: dict[str, str]
    limit: tuple[str, int]
    hash_mb: int


def is_scores(path: Path) -> bool:
    """Return whether a file is one of scored positions: a document's schema is a number.

    Raises `UciError`.
    """
    with named_errors(path), open_file(path) as file:
        return file.readline(100).startswith(b'{"schema": "')


def read_head(path: Path) -> ScoresHead:
    """Return the head of a file. Raises `UciError`."""
    _, head = next(_lines(path))
    if head.get("schema") != SCHEMA:
        found = shorten(json.dumps(head.get("schema")))
        raise UciError(f"{shorten(str(path))}: schema {found} is unknown, expected {SCHEMA!r}")
    try:
        [(name, number)] = head["limit"].items()
        return ScoresHead(dict(head["engine"]), (str(name), int(number)), int(head["hash"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UciError(f"{shorten(str(path))} is damaged: line 1: {error!r}") from None


def read_records(path: Path) -> Iterator[tuple[int, ScoreRecord]]:
    """Return the records of a file with the numbers of their lines in it. Raises `UciError`."""
    return islice(_lines(path), 1, None)


def _lines(path: Path) -> Iterator[tuple[int, ScoreRecord]]:
    name = shorten(str(path))
    with named_errors(path), open_file(path) as file:
        for number, line in enumerate(file, 1):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                raise UciError(f"{name} is damaged: line {number} is not valid JSON") from None
            if not isinstance(found, dict):
                raise UciError(f"{name} is damaged: line {number} is not an object")
            yield number, found
