"""`pythagoras pv-lab`: its input, its measurements and its output."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest

from engine.board.types import MAX_PLY
from helpers import command
from helpers.bad_paths import bad_paths
from uci.apps.console.extras import missing
from uci.apps.lab import command as pvlab_command
from uci.apps.lab import comparison
from uci.apps.lab.comparison import LAB_POSITIONS
from uci.chess_io.convert import board_of
from uci.chess_io.positions import read_positions
from uci.errors import UciError

PAIRS = (("PVS", "none"), ("PVS", "triangular"), ("PVS", "refutation"))
EPD = """# two positions
4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "a pawn";

6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 3 20
"""


@pytest.fixture
def positions(tmp_path: Path) -> Path:
    path = tmp_path / "two.epd"
    path.write_text(EPD)
    return path


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "PAIRS", PAIRS)
    monkeypatch.setattr(comparison, "RUNS", 2)
    monkeypatch.setattr(comparison, "TREE_MB", 4)


def call(*words: str) -> int:
    return command.call("pv-lab", *words)


def test_fifty_positions_of_its_own() -> None:
    boards = read_positions(None, LAB_POSITIONS)
    assert len(boards) == len({board.fen() for board in boards}) == 50


def test_positions_from_a_file(positions: Path) -> None:
    fens = [board.fen() for board in read_positions(positions, ())]
    assert fens == [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 3 20",
    ]


@pytest.mark.parametrize(
    ("operations", "numbers"),
    [
        (" bm Sxd5 e4?!;", "0 1"),
        (" bm e4", "0 1"),
        (" hmvc 7; bm 1.e4; fmvn 30;", "7 30"),
        (' id "a; hmvc 5; b"; fmvn 9', "0 9"),
        (" hmvc x; fmvn -;", "0 1"),
        (";", "0 1"),
    ],
)
def test_operations_are_not_looked_at(tmp_path: Path, operations: str, numbers: str) -> None:
    path, fields = tmp_path / "odd.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -"
    path.write_text(fields + operations)
    assert [board.fen() for board in read_positions(path)] == [f"{fields} {numbers}"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "line 1: illegal FEN"),
        ("\n7k/8/8/8/8/8/8/8 w - -", "line 2: illegal FEN, no white king"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "line 1: the side to move has no legal moves"),
        ("# nothing\n", "no positions"),
    ],
)
def test_bad_positions_are_named(
    tmp_path: Path, text: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.epd"
    path.write_text(text)
    with pytest.raises(UciError, match=reason):
        read_positions(path, ())
    assert call("--epd", path) == 2
    assert reason in capsys.readouterr().err
    assert call("--epd", tmp_path / "missing") == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *(
            (f"--depth={depth}", f"argument --depth: {depth}: expected 1 to 100")
            for depth in ("0", "-1", "x", "101")
        ),
        ("--truth --variants", "argument --variants: not allowed with argument --truth"),
        ("--truth --sample 0", "argument --sample: 0: expected 1 or more"),
    ],
)
def test_what_argparse_refuses(words: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*words.split()) == 2
    assert capsys.readouterr().err.endswith(f"pythagoras pv-lab: error: {told}\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--truth --json", "--json cannot be used with --truth"),
        ("--truth --depth 3", "--depth cannot be used with --truth"),
        ("--variants --tt off", "--tt cannot be used with --variants"),
        ("--seeding --plot x.png", "--plot cannot be used with --seeding"),
        ("--seeding --sample 3", "--sample cannot be used with --seeding"),
        ("--variant triangular --epd x.epd", "--epd cannot be used with --variant"),
        ("--show --epd x.epd", "--epd cannot be used with --show"),
        ("--force", "--force cannot be used in this mode"),
        ("--fen 8/8", "--fen cannot be used in this mode"),
    ],
)
def test_options_that_would_be_ignored(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words.split()) == 2
    assert capsys.readouterr() == ("", f"pythagoras: {told}\n")


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("table", ["on", "off"])
def test_a_table_of_facts(positions: Path, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--depth", 3, "--epd", positions, "--tt", table, "--json") == 0
    told, heard = capsys.readouterr()
    facts = json.loads(told)
    assert (facts["positions"], facts["depth"], facts["tt"], facts["runs"]) == (2, 3, table, 2)
    none, triangular, refutation = facts["rows"]
    assert [(row["search"], row["collector"]) for row in facts["rows"]] == [*PAIRS]
    assert (none["time"], none["bytes"], none["whole"]) == (1.0, 0, 0.0)
    # In the second position the search ends at depth 2 with a mate in one, a complete line.
    assert triangular["lengths"] == [1.0, 1.5, 3.0]
    for row in (triangular, refutation):
        assert (row["whole"], row["agreeing"]) == (1.0, 1.0)
        assert row["time"] > 0
        assert row["nodes"] == triangular["nodes"]
    assert triangular["bytes"] == MAX_PLY * (MAX_PLY + 1) + 3 * 8 * MAX_PLY < refutation["bytes"]
    assert "time, run 2 of 2" in heard


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(
    ("at", "pairs", "runs", "times"),
    [("lines: PVS triangular", 0, 0, 0), ("lines: PVS refutation", 2, 0, 0),
     ("time, run 1 of 2: PVS none", 3, 0, 0), ("time, run 1 of 2: PVS refutation", 3, 0, 2),
     ("time, run 2 of 2: PVS triangular", 3, 1, 3)],
)  # fmt: skip
@pytest.mark.parametrize("as_json", [True, False])
def test_a_ctrl_c_leaves_what_was_measured(
    at: str, pairs: int, runs: int, times: int, as_json: bool, positions: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    show = pvlab_command._ProgressDisplay.show

    def interrupt(
        display: pvlab_command._ProgressDisplay, done: int, total: int, what: str
    ) -> None:
        if what == at:
            raise KeyboardInterrupt
        show(display, done, total, what)

    monkeypatch.setattr(pvlab_command._ProgressDisplay, "show", interrupt)
    words = ["--depth", 2, "--epd", positions, *["--json"] * as_json]
    assert call(*words) == 130
    told = capsys.readouterr().out
    if as_json:
        facts = json.loads(told)
        assert (facts["stopped"], facts["runs"], len(facts["rows"])) == (True, runs, pairs)
        assert sum(row["time"] is not None for row in facts["rows"]) == times
    else:
        title, _, _, _, *rows = told.splitlines()
        assert title.endswith(f"stopped: {pairs} of 3 pairs, {runs} of 2 runs for the time")
        assert len(rows) == pairs


@pytest.mark.usefixtures("_few")
def test_a_ctrl_c_leaves_what_was_counted(
    positions: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show = pvlab_command._ProgressDisplay.show

    def interrupt(
        display: pvlab_command._ProgressDisplay, done: int, total: int, what: str
    ) -> None:
        if what == f"seeding: {comparison.SEEDS[2][0]}":
            raise KeyboardInterrupt
        show(display, done, total, what)

    monkeypatch.setattr(pvlab_command._ProgressDisplay, "show", interrupt)
    assert call("--depth", 2, "--epd", positions, "--seeding", "--json") == 130
    facts = json.loads(capsys.readouterr().out)
    assert facts["stopped"]
    assert list(facts["nodes"]) == [name for name, *_ in comparison.SEEDS[:2]]


def test_ten_positions_of_ours_unless_more_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int | None]] = []

    def compare(options: argparse.Namespace, boards: Sequence[chess.Board]) -> int:
        asked.append((len(boards), options.depth))
        return 0

    monkeypatch.setattr(pvlab_command, "_compare", compare)
    for words in ((), ("--sample", 50, "--depth", 6), ("--sample", 3)):
        assert call(*words) == 0
    assert asked == [(10, None), (50, 6), (3, None)]


@pytest.mark.usefixtures("_few")
def test_a_table_to_read(positions: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--depth", 2, "--epd", positions) == 0
    title, _, head, rule, *rows = capsys.readouterr().out.splitlines()
    assert title == "2 positions, depth 2, hash table cut-offs off"
    assert [cell.strip() for cell in head.strip("|").split("|")] == list(pvlab_command.HEADINGS)
    assert set(rule) == set("| -")
    assert len(rows) == len(PAIRS)
    assert len({len(row) for row in (head, rule, *rows)}) == 1


@pytest.mark.usefixtures("_few")
def test_seeding(positions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--depth", 3, "--epd", positions, "--seeding", "--json") == 0
    nodes = json.loads(capsys.readouterr().out)["nodes"]
    assert list(nodes) == [name for name, *_ in comparison.SEEDS]
    for row in nodes.values():
        assert row == sorted(row)
    assert nodes["nothing, with a table"][-1] < nodes["nothing"][-1]
    assert len({row[0] for row in nodes.values()}) == 1, "nothing comes before the first depth"
    assert call("--depth", 2, "--epd", positions, "--seeding") == 0
    table = capsys.readouterr().out
    assert "| the line before " in table
    words, file = ("--depth", 2, "--epd", positions, "--seeding", "--json"), tmp_path / "x.json"
    assert call(*words, file) == 0
    assert capsys.readouterr().out == table, "a file comes in addition to the text"
    assert list(json.loads(file.read_text())["nodes"]) == list(nodes)
    assert call(*words, file) == 2
    assert call(*words, file, "--force") == 0


@pytest.mark.slow
@pytest.mark.usefixtures("_few")
def test_a_picture(positions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "picture.svg"
    assert call("--depth", 2, "--epd", positions, "--plot", picture) == 0
    assert "</svg>" in picture.read_text()
    for name, told in (("picture.svg", "--force to replace it"), ("x.xyz", ".pdf, ")):
        assert call("--epd", positions, "--plot", tmp_path / name) == 2
        assert told in capsys.readouterr().err
    assert "</svg>" in picture.read_text()


def test_a_picture_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pvlab_command, "find_spec", lambda name: None)
    assert call("--plot", tmp_path / "picture.svg") == 1
    assert capsys.readouterr().err == f"pv-lab: no plot: {missing('matplotlib', 'tools')}\n"
    assert not list(tmp_path.iterdir())


def test_a_picture_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error comes before anything is measured."""
    monkeypatch.setattr(pvlab_command, "find_spec", lambda name: name)
    with bad_paths(tmp_path) as paths:
        del paths["missing"]
        paths.pop("loop", None)  # a loop of links may be replaced by a file
        paths["nowhere"] = tmp_path / "nowhere" / "x.png"
        for kind, path in paths.items():
            assert call("--plot", path) == 2, kind
            assert len(capsys.readouterr().err.splitlines()) == 1, kind


def test_a_line_that_cannot_be_played_is_not_whole() -> None:
    board = board_of(None)
    e4, e5 = 12 | 28 << 6 | 1 << 12, 52 | 36 << 6 | 1 << 12
    assert comparison.is_whole(board, (e4, e5), 2)
    assert not comparison.is_whole(board, (e4, e5), 3)
    assert not comparison.is_whole(board, (e5, e4), 2)
    mate = board_of("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    assert comparison.is_whole(mate, (3 | 59 << 6,), 3), "the game is over"
