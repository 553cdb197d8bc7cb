"""The check of certificates finds every single change to one, and needs python-chess alone."""

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import pytest

from helpers.mates import IN_TWO, certificate
from uci.chess_io import certificate_check
from uci.chess_io.certificate_check import CertificateError, Proved, check, read
from uci.chess_io.mate_certificate import certificate_of

MATED = "kbK5/pp6/RP6/8/8/8/8/8 b - - 1 1"
CASTLES = "3k4/1R6/1N3N2/8/8/8/8/R3K3 w Q - 0 1"


def document(fen: str = IN_TWO, mate: int = 2, chess960: bool = False) -> dict[str, Any]:
    proof = certificate(chess.Board(fen, chess960=chess960), mate)
    assert proof is not None
    return json.loads(proof.to_json())  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("fen", "mate", "chess960", "attacker"),
    [
        (IN_TWO, 2, False, chess.WHITE),
        (MATED, -1, False, chess.WHITE),
        ("8/8/8/8/5q2/5k2/8/5K2 b - - 0 1", 1, False, chess.BLACK),
        ("rb6/k1p4R/P1P5/PpK5/8/8/8/5B2 w - b6 0 1", 1, False, chess.WHITE),
    ],
)
def test_what_is_proved(fen: str, mate: int, chess960: bool, attacker: chess.Color) -> None:
    proved = check(document(fen, mate, chess960))
    assert (proved.fen, proved.moves, proved.attacker) == (fen, abs(mate), attacker)


@pytest.mark.parametrize(
    ("positions", "replies", "size"),
    [
        (1, 0, "1 position, 0 replies"),
        (2, 1, "2 positions, 1 reply"),
        (1234, 5678, "1,234 positions, 5,678 replies"),
    ],
)
def test_the_size_in_words(positions: int, replies: int, size: str) -> None:
    assert Proved(IN_TWO, chess.WHITE, 2, positions, replies).size == size


@pytest.mark.parametrize("chess960", [False, True])
def test_castling_is_written_as_the_certificate_says(chess960: bool) -> None:
    board = chess.Board(CASTLES, chess960=chess960)
    proof = certificate_of(board, {board.epd(): board.parse_san("O-O-O")}, defends=False)
    assert proof.positions[0].move == ("e1a1" if chess960 else "e1c1")
    assert proof.check().moves == 1
    with pytest.raises(CertificateError, match="is illegal"):
        replace(proof, chess960=not chess960).check()


def test_a_position_stands_once() -> None:
    values = document("k7/8/2K5/8/8/8/8/6QR w - - 0 1", 2)
    replies = [target for entry in values["positions"] for target in entry["replies"].values()]
    assert len(values["positions"]) == len({entry["position"] for entry in values["positions"]})
    assert check(values).replies == len(replies)


def changed(values: Any) -> Iterator[Any]:
    """Yield copies of a document with one value replaced, removed or added."""
    leaves = [*places(values)]
    others = [*{repr(at(values, path)): at(values, path) for path in leaves}.values()]
    for path in leaves:
        *above, name = path
        old = at(values, path)
        for new in (*others, None, "", 0, 1, -1, 2, 10**30, True, [], {}):
            if type(new) is not type(old) or new != old:
                copied = copy.deepcopy(values)
                at(copied, above)[name] = new
                yield copied
        copied = copy.deepcopy(values)
        del at(copied, above)[name]
        yield copied


def places(values: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of a document's values, except engine and Chess960 (no castling here)."""
    if path:
        yield path
    names = [*values] if isinstance(values, dict) else []
    names = [*range(len(values))] if isinstance(values, list) else names
    for name in names:
        if name not in ("engine", "chess960"):
            yield from places(values[name], (*path, name))


def at(values: Any, path: Any) -> Any:
    for name in path:
        values = values[name]
    return values


@pytest.mark.slow
def test_every_change_is_found() -> None:
    for values in (document(), document(MATED, -1)):
        forgeries = [*changed(values)]
        assert len(forgeries) > 500
        for forged in forgeries:
            with pytest.raises(CertificateError):
                pytest.fail(f"{check(forged)}: {json.dumps(forged)}")


def forge(values: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of a document with a ``new`` value at a path, removed if that is ``...``."""
    copied = copy.deepcopy(values)
    *above, name = path
    if new is ...:
        del at(copied, above)[name]
    else:
        at(copied, above)[name] = new
    return copied


@pytest.mark.parametrize(
    ("path", "new", "told"),
    [
        (("positions", 0, "replies", "b8g3"), ..., "position 0: the legal reply b8g3 is missing"),
        (("positions", 0, "replies", "b8a7"), 1, "position 0: the move 'b8a7' is illegal"),
        (("positions", 0, "replies", "b8g3"), 4, "the reply b8g3 does not lead to position 4"),
        (("positions", 0, "replies", "b8g3"), 9, "the reply b8g3 leads to no position"),
        (("positions", 0, "move"), "a1a9", "position 0: the move 'a1a9' is illegal"),
        (("positions", 1, "move"), "a6a5", "position 1: the legal reply c7d8 is missing"),
        (("positions", 7, "move"), "a6a7", "position 7: the move 'a6a7' is illegal"),
        (("positions", 1, "mate"), 2, "after b8c7 it is mate in 2 (position 1)"),
        (("mate",), 1, "mate in 1 claimed, in 2 at position 0"),
        (("mate",), -2, "a move of the side that is mated, where all must be"),
        (("fen",), "kbK5/pp6/8/1P6/8/8/8/R7 w - - 0 1", "position 0 is not that of the FEN"),
        (("fen",), "kbK5/pp6/1P6/8/8/8/8/R7 w - - 98 60", "fifty-move rule may draw first"),
        (("fen",), "kb6/pp6/1P6/8/8/8/8/R7 w - - 0 1", "fen: no game can be played from"),
        (("fen",), "kbK5 w", "fen: invalid castling part"),
        (("positions", 7), ..., "the reply b7a6 leads to no position"),
        (("positions", 0, "replies"), ..., '"replies" is missing or not of type dict'),
        (("positions", 0, "mate"), True, '"mate" is missing or not of type int'),
        (("version",), 2, "unknown version"),
        (("format",), "proof", "not a mate certificate"),
    ],
)  # fmt: skip
def test_a_change_is_named(path: tuple[Any, ...], new: Any, told: str) -> None:
    with pytest.raises(CertificateError) as error:
        check(forge(document(), path, new))
    assert told in str(error.value)


def test_a_cycle_is_named() -> None:
    """Both kings move back and forth, so each position leads to the other."""
    values = {
        "format": "mate certificate", "version": 1, "fen": "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
        "chess960": False, "mate": 3,
        "positions": [
            {"position": "7k/8/5K2/8/8/8/8/6R1 w - -", "mate": 3, "move": "g1g2",
             "replies": {"h8h7": 1}},
            {"position": "8/7k/5K2/8/8/8/6R1/8 w - -", "mate": 2, "move": "g2g1",
             "replies": {"h7h8": 0, "h7h6": 2}},
            {"position": "8/8/5K1k/8/8/8/8/6R1 w - -", "mate": 1, "move": "g1h1", "replies": {}},
        ],
    }  # fmt: skip
    with pytest.raises(CertificateError, match=r"after h7h8 it is mate in 3 \(position 0\)"):
        check(values)


def test_no_mate_at_the_end_is_named() -> None:
    values = {
        "format": "mate certificate", "version": 1, "fen": "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1",
        "chess960": False, "mate": 1,
        "positions": [
            {"position": "7k/8/5K2/8/8/8/8/6Q1 w - -", "mate": 1, "move": "g1g6", "replies": {}}
        ],
    }  # fmt: skip
    with pytest.raises(CertificateError, match="not checkmate, but stalemate"):
        check(values)


def test_a_position_too_many_is_named() -> None:
    values = document()
    extra = {"position": "7k/8/5K2/8/8/8/8/6Q1 w - -", "mate": 1, "move": "g1g7", "replies": {}}
    values["positions"].append(extra)
    with pytest.raises(CertificateError, match="position 8: no reply leads to it"):
        check(values)
    values["positions"][8] = values["positions"][7]
    with pytest.raises(CertificateError, match="position 8: the same as position 7"):
        check(values)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[]", "not a mate certificate"),
        (b'{"mate": 1, "mate": 2}', "a name stands twice"),
    ],
)
def test_what_is_no_certificate(data: bytes, told: str) -> None:
    with pytest.raises(CertificateError, match=told):
        read(data)


def test_it_runs_by_itself(tmp_path: Path) -> None:
    """It runs from any folder, where none of our packages can be imported."""
    script = shutil.copy(certificate_check.__file__, tmp_path / "check.py")
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(document()))
    bad.write_text(json.dumps(forge(document(), ("positions", 0, "mate"), 1)))
    code = (
        "import runpy, sys; sys.modules['uci'] = sys.modules['engine'] = None\n"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    for names, status in ([good], 0), ([good, bad], 1), ([], 1):
        command = [sys.executable, "-I", "-c", code, script, *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        if names:
            assert done.stdout.splitlines() == [
                f"{good}: valid, 8 positions, 7 replies",
                f"White mates in at most 2 moves from {IN_TWO}",
            ]
        assert (str(bad) in done.stderr) == (bad in names)
        assert done.stderr.startswith("usage: ") == (not names)
