"""The shape of the search tree: which positions, the figures, the table and its file."""

import json
from pathlib import Path

import chess
import pytest

from engine.search.limits import Limits
from engine.search.searcher import Searcher
from scripts.measure import tree
from uci.chess_io.convert import fill


def test_middlegames() -> None:
    boards = tree.middlegames()
    assert len(boards) == 23
    assert all(len(board.piece_map()) >= 20 for board in boards)
    assert chess.STARTING_FEN not in [board.fen() for board in boards]


def test_table_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tree.json"
    assert tree.main(["--depth", "6", "--positions", "2", "--json", str(file)]) == 0
    table = capsys.readouterr().out
    facts = json.loads(file.read_text(encoding="utf-8"))
    assert facts["depth"] == len(facts["nodes"]) == 6
    assert facts["positions"] == 2
    searcher, product = Searcher(16), 1
    for board in tree.middlegames()[:2]:
        searcher.clear()
        fill(searcher.pos, board)
        list(searcher.begin(Limits(depth=6), None))
        product *= searcher.nodes
    assert facts["nodes"][-1] == round(product**0.5)
    [line] = [each for each in table.splitlines() if each.startswith("nodes to depth 6, ")]
    assert line.split()[-1] == f"{facts['nodes'][-1]:,}"
    measures, counts = facts["measures"], facts["counts"]
    assert measures["late_moves_reduced"] == pytest.approx(
        counts["reduced_moves"] / counts["late_moves"], abs=1e-5
    )
    assert f"{100 * measures['first_cutoffs']:.1f} %" in table
    assert all(0 < measures[name] < 1 for name in ("quiescence", "nulls_succeeded"))
    assert measures["growth"] == pytest.approx(
        (facts["nodes"][-1] / facts["nodes"][-5]) ** (1 / 4), rel=0.01
    )


def test_figures_of_a_known_tree() -> None:
    known = tree.Tree(nodes=[[10, 20, 40], [10, 80, 640]], main_nodes=[0, 60, 20, 10, 5, 3, 1, 1])
    known.counts.update(
        deep_moves=50, late_moves=40, reduced_moves=30, reduced_plies=60, researched_moves=3,
        singular_tests=4, extended=1, extended_twice=2, multi_cuts=1,
        quiescence_nodes=300, quiescence_moves=150, nodes_in_nulls=68,
    )  # fmt: skip
    assert known.mean_nodes() == pytest.approx([10, 40, 160])
    value = known.measures()
    assert value["growth"] == pytest.approx(4)
    assert (value["shallow_main_nodes"], value["far_main_nodes"]) == (0.9, 0.01)
    assert (value["late_reduction"], value["late_moves_reduced"]) == (1.5, 0.75)
    assert (value["reduction_of_all"], value["all_moves_reduced"]) == (1.2, 0.6)
    assert value["reduced_moves_researched"] == 0.1
    assert (value["singular_extended"], value["singular_extended_twice"]) == (0.75, 0.5)
    assert value["singular_multi_cut"] == 0.25
    assert (value["quiescence"], value["quiescence_moves"]) == (0.75, 0.5)
    assert value["nodes_in_nulls"] == 0.1
    assert value["first_cutoffs"] == 0  # without any cutoff


def test_one_ply_has_no_growth() -> None:
    assert tree.Tree(nodes=[[7]], main_nodes=[0, 1]).measures()["growth"] == 1


@pytest.mark.parametrize("words", [["--depth", "0"], ["--positions", "0"]])
def test_numbers_are_positive(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tree.main(words)
    assert "0: expected 1 or more" in capsys.readouterr().err


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tree.main(["--depth", "1", "--positions", "1", "--json", str(tmp_path)]) == 2
    assert f"tree: could not write {tmp_path}: " in capsys.readouterr().err
