"""``pythagoras scores``: formats, errors by line, and interrupted work."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import chess
import pytest

from engine.jit.kernel import COMPILED
from helpers import command
from helpers.client import ENVIRONMENT, PYTHAGORAS
from helpers.faults import COLD
from helpers.inline_executor import Inline, inline_executor
from uci.apps.engines import batch_engine
from uci.apps.engines.batch_engine import score_lines
from uci.apps.engines.batch_process import record_of
from uci.apps.engines.client import OURS, EngineClient
from uci.apps.engines.executor import AHEAD, TaskLost, in_order
from uci.apps.engines.position_scorer import PositionScorer
from uci.apps.engines.task_worker import this_worker
from uci.apps.games.epd_line import read_line
from uci.apps.scores import scored_file
from uci.protocol.scored_line import parse_info
from uci.session.bench import POSITIONS

pytestmark = pytest.mark.skipif(not COMPILED, reason="the engine is to be quick")

OWN = """# own positions
6k1/5ppp/8/8/8/8/5PPP/3R2K1 w K - id "rook; \\"a\\""; bm Rd8#; ce 7;

r3k2r/8/8/8/8/8/8/4K3 b kq - 3 12
nonsense
8/8/8/8/8/8/8/8 w - -
7k/6Q1/6K1/8/8/8/8/8 b - -
7k/5Q2/6K1/8/8/8/8/8 b - -
"""
SCORED = 2, 4, 7, 8
"""The line numbers of the positions."""

ERRORS = {
    5: "not a position: nonsense",
    6: "illegal FEN, no white king: 8/8/8/8/8/8/8/8 w - - 0 1",
}
QUICK = "--nodes", 300, "--quiet"


class InThisProcess:
    """A scorer of lines that runs in this process."""

    def __init__(self, limit: tuple[str, int], hash_mb: int) -> None:
        self._scorer = PositionScorer(limit, hash_mb)

    def score(self, lines: list[str], san: bool) -> list[dict[str, Any]]:
        """Return scores as JSON, as they come through a pipe."""
        records = [record_of(self._scorer, line, san) for line in lines]
        found: list[dict[str, Any]] = json.loads(json.dumps(records))
        return found

    def close(self) -> None:
        pass


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inline]:
    monkeypatch.setattr(batch_engine, "BatchEngine", InThisProcess)
    yield inline_executor(monkeypatch)
    this_worker().close()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.epd"
    path.write_text(OWN)
    return path


def call(*words: object) -> int:
    return command.call("scores", *words)


def test_json(inline: Inline, own: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert call(own, *QUICK) == 1
    out, err = capfdbinary.readouterr()
    head, *records = map(json.loads, out.splitlines())
    assert head["schema"] == "pythagoras scores 1"
    assert (head["source"], head["limit"], head["hash"]) == ("own.epd", {"nodes": 300}, 1)
    assert {*head["engine"]} == {"name", "version", "network", "sources"}
    assert [each["line"] for each in records] == sorted([*SCORED, *ERRORS])
    assert {each["line"]: each["error"] for each in records if "error" in each} == ERRORS
    assert err.decode().splitlines() == [f"{own}:{n}: {error}" for n, error in ERRORS.items()]
    mate, castling, mated, stalemate = (each for each in records if "error" not in each)
    assert (mate["mate"], mate["move"], mate["pv"]) == (1, "d1d8", ["d1d8"])
    assert mate["operations"] == {"id": 'rook; "a"', "bm": "Rd8#", "ce": "7"}
    assert castling["fen"] == "r3k2r/8/8/8/8/8/8/4K3 b kq - 3 12"
    assert sum(castling["wdl"]) == 1000
    assert castling["nodes"] == 300
    assert (mated["mate"], mated["wdl"], mated["move"]) == (0, [0, 0, 1000], None)
    assert (stalemate["cp"], stalemate["wdl"], stalemate["pv"]) == (0, [0, 1000, 0], [])


def test_csv(inline: Inline, own: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert call(own, *QUICK, "--csv") == 1
    rows = [*csv.DictReader(io.StringIO(capfdbinary.readouterr().out.decode()))]
    assert {int(row["line"]): row["error"] for row in rows if row["error"]} == ERRORS
    assert [rows[0][name] for name in ("cp", "mate", "win", "pv")] == ["", "1", "1000", "d1d8"]
    assert [row["note"] for row in rows] == ["dropped castling K", *[""] * (len(rows) - 1)]
    assert rows[0]["operations"] == 'bm Rd8#; ce 7; id "rook; \\"a\\"";'


def test_epd(inline: Inline, own: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Python-chess and our reader read the written EPD; the opcodes of the input stay."""
    assert call(own, *QUICK, "--epd") == 1
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [line for line in lines if line[0] == "#"] == [
        f"# line {n}: {e}" for n, e in ERRORS.items()
    ]
    boards = [chess.Board.from_epd(line) for line in lines if line[0] != "#"]
    (board, mate), (_, castling), (_, mated), (_, stalemate) = boards
    assert mate["id"] == 'rook; "a"'
    assert mate["bm"] == mate["pv"] == [board.parse_san("Rd8#")]
    assert (mate["ce"], mate["dm"], mate["acn"]) == (32766, 1, 300)
    assert (castling["hmvc"], castling["fmvn"], castling["acn"]) == (3, 12, 300)
    assert (mated["ce"], stalemate["ce"]) == (-32767, 0)
    assert "dm" not in mated
    assert read_line(lines[0]).operands["id"] == 'rook; "a"'


def break_off(inline: Inline, known: bytes, *words: object) -> None:
    """Create the files that a command leaves if it is ended after writing ``known``."""
    left, submit = iter(range(2)), inline.submit

    def interrupted(*task: Any) -> Any:
        if next(left, None) is None:
            raise ZeroDivisionError
        return submit(*task)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inline, "submit", interrupted)
        patch.setattr(scored_file, "batch_size", lambda _: 1)
        with pytest.raises(ZeroDivisionError):
            call(*words)
    Path(f"{words[-1]}.part", "lines").write_bytes(known)


@pytest.mark.parametrize("format_", ["--json", "--csv", "--epd"])
def test_work_that_was_broken_off_anywhere_ends_in_the_same_bytes(
    format_: str, inline: Inline, own: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, part = own.with_name("out"), own.with_name("out.part")
    words = own, *QUICK, format_, "-o", out
    assert call(*words) == 1
    whole = out.read_bytes()
    assert not part.exists()
    assert call(*words) == 2
    assert "already exists; use --force to replace it" in capfd.readouterr().err
    out.unlink()
    for size in (0, 1, len(whole) // 3, len(whole) - 1, len(whole)):
        break_off(inline, whole[:size], *words)
        assert call(*words) == (
            size < len(whole) // 2
        )  # 1 if lines without a score were left to do
        assert out.read_bytes() == whole, size
        out.unlink()


def test_other_work_is_not_continued(
    inline: Inline, own: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = own.with_name("out")
    words = own, *QUICK, "-o", out
    assert call(*words) == 1
    known = out.read_bytes()
    out.unlink()
    for text in OWN.replace("7k/5Q2", "6k1/5Q2"), "\n".join(OWN.splitlines()[:-1]):
        own.write_text(OWN)
        shutil.rmtree(own.with_name("out.part"), ignore_errors=True)
        break_off(inline, known, *words)
        own.write_text(text)
        assert call(*words) == 2
        assert "the input does not continue what" in capfd.readouterr().err
        assert not out.exists()
    others = own, "--nodes", 400, "--quiet", "-o", out
    assert call(*others) == 2
    assert "was begun with another engine or other settings" in capfd.readouterr().err
    assert call(*others, "--force") == 1
    assert out.exists()


def test_nothing_to_score_leaves_nothing(
    inline: Inline, own: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    own.write_text("# nothing\n\n")
    assert call(own, *QUICK, "-o", own.with_name("out")) == 2
    assert call(own.with_name("none"), *QUICK) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 2
    assert [path.name for path in own.parent.iterdir()] == ["own.epd"]


@pytest.mark.slow
def test_scores_are_those_of_the_engine(warm: Path) -> None:
    """Scores equal the engine's in a new game, whatever was searched before; Chess960 too."""
    engine = EngineClient(OURS, {"UCI_ShowWDL": "true", "UCI_AnalyseMode": "true", "Hash": "1"})
    fens = POSITIONS[1:24]
    try:
        records = score_lines(("nodes", 500), 1, [*fens, fens[0]])
        assert records[-1] == records[0]
        for fen, record in zip(fens, records, strict=False):
            chess960 = chess.Board(fen, chess960=True).has_chess960_castling_rights()
            option = f"setoption name UCI_Chess960 value {chess960}".lower()
            asked = [option, "ucinewgame", f"position fen {fen}", "go nodes 500"]
            texts = [text for _, text in engine.ask(asked, "bestmove")]
            lines = [line for text in texts if (line := parse_info(text)) is not None]
            last = [line for line in lines if not line.bound][-1]
            assert record.get("cp") == last.cp
            assert record.get("mate") == last.mate
            assert tuple(record["wdl"]) == last.wdl
            assert tuple(record["pv"]) == last.pv
            assert record["move"] == texts[-1].split()[1]
            assert record["nodes"] == max(line.nodes for line in lines)
            assert last.depth - 1 <= record["depth"] <= last.depth
    finally:
        engine.close()
        this_worker().close()


def test_scores_are_verified(inline: Inline, own: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = own.with_name("out.jsonl")
    assert call(own, *QUICK, "-o", out) == 1
    assert command.call("verify", out, "--seed", 1) == 0
    assert "searching 4 of 4 positions again, seed 1" in capfd.readouterr().err
    known = out.read_text()
    for before, after, told in (
        ('"depth": 0', '"depth": 1', "line 6: depth: recorded 1, computed 0\n"),
        ('["d1d8"]', '["d1d7"]', "line 2: pv: recorded d1d7, computed d1d8\n"),
        ("6k1/5ppp", "6k1/5p1p", "line 2: "),
        ("[1000, 0, 0]", "[999, 1, 0]", "line 2: wdl: recorded 999 1 0, computed 1000 0 0\n"),
    ):
        assert before in known
        out.write_text(known.replace(before, after, 1))
        assert command.call("verify", out, "--quiet") == 1
        assert told in capfd.readouterr().out
    out.write_text(known.replace('"network": "', '"network": "0', 1))
    assert command.call("verify", out, "--quiet") == 3
    assert "another engine made it: network 0" in capfd.readouterr().err
    out.write_text(f"{known}{{")
    assert command.call("verify", out, "--quiet") == 2
    assert "is damaged: line 8 is not valid JSON" in capfd.readouterr().err


def test_too_few_nodes_and_a_line_that_no_engine_survives(
    inline: Inline, own: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write_text(f"{chess.STARTING_FEN}\nkiller\n{chess.STARTING_FEN}\n")
    submit = inline.submit

    def fragile(task: Any, limit: Any, hash_mb: int, lines: list[str], san: bool) -> Any:
        if "killer" in lines:
            future: Future[Any] = Future()
            future.set_exception(TaskLost("it has ended 4 engines"))
            return future
        return submit(task, limit, hash_mb, lines, san)

    monkeypatch.setattr(inline, "submit", fragile)
    assert call(own, "--nodes", 300, "--quiet") == 1
    out, err = capfd.readouterr()
    assert err == f"{own}:2: given up: it has ended 4 engines\n"
    _, first, second, third = map(json.loads, out.splitlines())
    assert second == {"line": 2, "text": "killer", "error": "given up: it has ended 4 engines"}
    assert first | {"line": 3} == third

    assert call(own, "--nodes", 1, "--quiet") == 1
    assert f"{own}:1: no result within 1 nodes" in capfd.readouterr().err


def test_results_come_in_order_and_few_are_under_way() -> None:
    futures: list[Future[int]] = []

    def late() -> Future[int]:
        """Return a future; once enough tasks wait, they are run, the last one first."""
        futures.append(Future())
        if len(futures) % AHEAD == 0:
            for future in reversed(futures[-AHEAD:]):
                future.set_result(len(futures))
        return futures[-1]

    results = in_order(Inline(), ((number, late) for number in range(3 * AHEAD)))
    for expected, (number, future) in enumerate(results):
        assert number == expected
        assert future is futures[number]
        assert len(futures) - number <= AHEAD


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills")
def test_a_real_process_that_is_interrupted_goes_on(tmp_path: Path, warm: Path) -> None:
    path, out = tmp_path / "own.epd", tmp_path / "out"
    path.write_text("\n".join(POSITIONS * 5))  # more batches than are begun before one is written
    words = "scores", path, "--depth", 8, "--jobs"
    one = subprocess.run(
        [*PYTHAGORAS, *map(str, (*words, 1))], env=ENVIRONMENT, check=True, capture_output=True
    )
    several = [*PYTHAGORAS, *map(str, (*words, 2, "-o", out))]
    with subprocess.Popen(several, env=ENVIRONMENT, text=True, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + COLD
        lines = tmp_path / "out.part" / "lines"
        while not (lines.exists() and lines.read_bytes().count(b"\n") > 1):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=COLD)
    assert process.returncode == 130
    assert said.endswith("stopped: the same command continues from here\n")
    assert not out.exists()
    again = subprocess.run(several, env=ENVIRONMENT, check=True, capture_output=True)
    assert b"continuing" in again.stderr
    assert out.read_bytes() == one.stdout
