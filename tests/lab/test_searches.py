"""The plain searches with all collectors: where their lines agree, and where they differ."""

import os
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board.types import MAX_PLY
from engine.jit.kernel import COMPILED
from engine.lab.collectors.line import LINE, LINE_MEASURED, LINE_TRIANGULAR
from engine.lab.collectors.refutation import REFUTATIONS_FIRST
from engine.lab.lab_record import (
    CUT,
    NOTHING_FIRST,
    ORDER,
    PV_FIRST,
    STORE,
    TREE_FIRST,
)
from engine.lab.laboratory import Lab
from engine.lab.registry import HASH_WALK
from engine.search.score import INFINITE
from helpers.all_collectors import ALL, WATCHERS, lab_for
from helpers.cases import at_least
from helpers.endgames import random_endgame
from helpers.naive_search import CLOCKS, random_positions, replay
from helpers.processes import run
from uci.chess_io.convert import board_of, encode_move, fill
from uci.session.bench import POSITIONS

WINDOWED = ("fail-hard", "fail-soft", "PVS")
games = st.integers(0, 1 << 30)
few = settings(max_examples=25 if COMPILED else 1, deadline=None)


def positions(seed: int) -> Iterator[chess.Board]:
    """Yield some positions of random games, and endgames near mate, stalemate and fifty moves."""
    boards = list(random_positions(seed, 2))
    yield from boards if COMPILED else random.Random(seed).sample(boards, 3)


def lines(lab: Lab) -> dict[str, tuple[int, ...]]:
    stack = LINE if lab.collector is ALL else LINE_TRIANGULAR
    return {c.name: c.line(lab.record) for c in (*WATCHERS, stack)}


def differing(lab: Lab) -> set[str]:
    told = lines(lab)
    return {name for name, line in told.items() if line != told["triangular"]}


def is_whole(board: chess.Board, line: tuple[int, ...], depth: int) -> bool:
    """Return whether a legal line has ``depth`` plies or ends the game."""
    after = replay(board, line)
    over = not any(after.generate_legal_moves()) or after.is_insufficient_material()
    return len(line) == depth or over or after.halfmove_clock >= 100 or after.is_repetition(2)


@pytest.mark.slow
@pytest.mark.interpreted
@pytest.mark.parametrize("search", ["minimax", *WINDOWED])
def test_all_collectors_tell_the_same_line(search: str) -> None:
    """All collectors find the same line without table cut-offs, and it is legal and complete.

    `single` takes part only in PVS; collectors that use a table while none of it is overwritten.
    """
    lab = lab_for(search)
    seen = {"all": 0, "hash_walk": 0, "pv_hash": 0}

    @few
    @given(games)
    def compare(seed: int) -> None:
        for number, board in enumerate(positions(seed)):
            depth = 1 + number % (3 if COMPILED else 2)
            fill(lab.pos, board)
            lab.prepare()
            found = lab.search(depth)
            different = differing(lab)
            if search != "PVS":
                different.discard("single")
            seen["all"] += 1
            for name, lost in (
                ("hash_walk", lab.record.overwritten),
                ("pv_hash", lab.record.pv_overwritten),
            ):
                seen[name] += not lost
                if lost:
                    different.discard(name)
            assert not different, (board.fen(), depth, lines(lab))
            assert is_whole(board, lines(lab)["triangular"], depth), board.fen()
            assert lab.record.tree_full == 0
            assert found.line == lines(lab)["triangular"]

    compare()
    assert seen["all"] >= (500 if COMPILED else 3)
    assert seen["hash_walk"] > seen["all"] // 3
    assert seen["pv_hash"] > seen["all"] // 3


@pytest.mark.interpreted
def test_all_searches_find_the_score_of_minimax() -> None:
    """Scores equal minimax with iterative deepening, every seed and every use of the table."""
    oracle = Lab("minimax", ALL)
    labs = [lab_for(search) for search in WINDOWED]
    rng = random.Random(4)
    boards = list(random_positions(4, 4 if COMPILED else 1))[: None if COMPILED else 3]
    # Near the fifty-move rule, entries of the table come from other halfmove clocks.
    for board in at_least(20 if COMPILED else 2, (b for b in boards if b.halfmove_clock <= 90)):
        depth = 3 if COMPILED else 2
        fill(oracle.pos, board)
        oracle.prepare()
        expected = oracle.search(depth).score
        for lab in labs:
            seed = rng.choice([NOTHING_FIRST, PV_FIRST, REFUTATIONS_FIRST, TREE_FIRST])
            fill(lab.pos, board)
            lab.prepare(seed, use=rng.choice([STORE, ORDER, CUT]))
            *_, last = lab.deepen(depth)
            assert last.depth == depth or abs(last.score) > 31_000
            if last.depth == depth:
                assert last.score == expected, (board.fen(), seed)


def disagreements(lab: Lab, selective: bool = False) -> int:
    """Return the number of bench positions on which `single` and the triangular table differ."""
    count = 0
    for fen in POSITIONS:
        fill(lab.pos, board_of(fen))
        lab.prepare(selective=selective)
        lab.search(4)
        count += "single" in differing(lab)
    return count


@pytest.mark.slow
def test_one_array_is_enough_for_a_stable_search_only() -> None:
    pvs = lab_for("PVS")
    assert disagreements(pvs) == 0
    assert disagreements(pvs, selective=True) > 0
    for search in ("fail-hard", "fail-soft"):
        assert disagreements(lab_for(search)) > 0, search


def test_one_array_does_not_survive_aspiration() -> None:
    """After a fail-high at the root, as in aspiration, the single array may hold a wrong line."""
    lab = lab_for("PVS")
    broken = 0
    for fen in POSITIONS:
        fill(lab.pos, board_of(fen))
        lab.prepare()
        true = lab.search(4).score
        for margin in (1, 10, 40):
            lab.prepare()
            if lab.search(4, -INFINITE, true - margin).line:
                broken += "single" in differing(lab)
    assert broken > 0


@pytest.mark.slow
def test_cutoffs_break_lines_that_stores_and_trees_mend() -> None:
    """If the table cuts off PV nodes, collected lines end there; a store or a tree completes them.

    The triangular table shares its rows with the store here, so the quadratic table is compared.
    """
    lab = lab_for("PVS")
    rng = random.Random(3)
    whole = dict.fromkeys(("quadratic", "hash_store", "tree", "hash_walk"), 0)
    wrong = 0
    for number in range(360):
        board = random_endgame(rng, 4 + number % 3, CLOCKS)
        fill(lab.pos, board)
        lab.prepare(use=CUT)
        *_, last = lab.deepen(8)
        told = lines(lab)
        for name in whole:
            whole[name] += is_whole(board, told[name], last.depth)
        wrong += told["single"] != told["quadratic"]
        lost = {name: whole[name] - whole["quadratic"] for name in whole if name != "quadratic"}
        if wrong and min(lost.values()) >= 5:
            return
    pytest.fail(f"single arrays that are wrong: {wrong}; whole lines: {whole}")


@pytest.mark.slow
def test_mtdf_has_no_line_of_its_own() -> None:
    """In MTD(f) all windows are zero windows, so only collectors that read a table have a line."""
    lab = Lab("MTD(f)", ALL)
    for fen in POSITIONS[:12]:
        fill(lab.pos, board_of(fen))
        lab.prepare()
        *_, last = lab.deepen(3)
        told = lines(lab)
        empty = {name for name, line in told.items() if not line}
        assert empty == set(told) - {"hash_walk", "refutation"}
        for name in ("hash_walk", "refutation"):
            replay(board_of(fen), told[name])
        oracle = lab_for("fail-soft")
        fill(oracle.pos, board_of(fen))
        oracle.prepare()
        assert oracle.search(3).score == last.score


def test_fail_soft_remembers_moves_that_nobody_believes_in() -> None:
    """If every move fails low, fail-hard stores no best move, and fail-soft stores one of them."""
    hard, soft = lab_for("fail-hard"), lab_for("fail-soft")
    others = 0
    for fen in POSITIONS[:20]:
        for lab in (hard, soft):
            fill(lab.pos, board_of(fen))
            lab.prepare()
        best = hard.search(3)
        walks = []
        for lab in (hard, soft):
            lab.prepare()
            lab.search(3, best.score + 100, best.score + 101)
            walks.append(HASH_WALK.line(lab.record))
        assert walks[0] == ()
        assert walks[1] != ()
        others += walks[1][0] != best.line[0]
    assert others > 0


@pytest.mark.slow
def test_overwriting_cuts_walks_but_never_makes_them_illegal() -> None:
    """Walks stay legal in small tables, but are shorter, less so if exact entries are kept."""
    lab = lab_for("PVS")
    whole = {}
    for protect in (0, 1):
        for clusters in (2, 512):
            whole[protect, clusters] = 0
            for fen in POSITIONS:
                board = board_of(fen)
                fill(lab.pos, board)
                lab.prepare(clusters=clusters)
                lab.record.protect = protect
                *_, last = lab.deepen(4)
                line = HASH_WALK.line(lab.record)
                replay(board, line)
                whole[protect, clusters] += is_whole(board, line, last.depth)
    assert whole[0, 2] < len(POSITIONS) / 2
    assert whole[0, 512] < whole[1, 512]


def test_seeds_save_nodes() -> None:
    """Searching the previous line first saves nodes; a seed of the whole tree changes the count."""
    lab = Lab("fail-hard", ALL)
    spent = dict.fromkeys((NOTHING_FIRST, PV_FIRST, TREE_FIRST), 0)
    for seed in spent:
        for fen in POSITIONS[:10]:
            fill(lab.pos, board_of(fen))
            lab.prepare(seed, use=ORDER if seed == TREE_FIRST else STORE, megabytes=16)
            *_, last = lab.deepen(4)
            spent[seed] += last.nodes
    assert spent[PV_FIRST] < spent[NOTHING_FIRST]
    assert len(set(spent.values())) == len(spent)


def long_game(rng: random.Random) -> tuple[chess.Board, list[int]]:
    """Return a start and 127 moves without a repetition or a bare king."""
    while True:
        board = chess.Board(chess960=True)
        seen, moves = {board._transposition_key()}, []
        while len(moves) < MAX_PLY - 1:
            choices = list(board.legal_moves)
            rng.shuffle(choices)
            for move in choices:
                code = encode_move(board, move)
                board.push(move)
                good = board._transposition_key() not in seen and board.halfmove_clock < 90
                if good and any(board.legal_moves) and not board.is_insufficient_material():
                    seen.add(board._transposition_key())
                    moves.append(code)
                    break
                board.pop()
            else:
                break
        else:
            return board.root(), moves


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the interpreter's stack is another")
def test_the_stack_of_the_deepest_search() -> None:
    """A search to the last ply fits on a thread's stack, which holds the buffers of its nodes."""
    board, moves = long_game(random.Random(5))
    shrinking = {"child_handle": LINE_TRIANGULAR.hooks["child_handle"]}
    triangular = replace(
        LINE_MEASURED, name="line, shrinking", hooks={**LINE_MEASURED.hooks, **shrinking}
    )
    sizes = []
    for collector in (LINE_MEASURED, triangular):
        lab = Lab("PVS", collector)
        fill(lab.pos, board)
        lab.prepare()
        lab.record.hint[: len(moves)] = moves
        lab.record.hint_length = len(moves)
        lab.record.node_limit = MAX_PLY + 10
        lab.search(MAX_PLY)
        places = lab.record.buffer_at[:MAX_PLY].tolist()
        assert all(places), "it did not get that deep"
        sizes.append(places[0] - places[-1])
    assert 2 * MAX_PLY * (MAX_PLY + 1) < sizes[0] < 256 << 10, "a thread of macOS has 512 KiB"
    saved = sum(2 * (ply + 1) for ply in range(1, MAX_PLY))
    assert abs(sizes[0] - sizes[1] - saved) < 16 * MAX_PLY, "but for alignment"


@pytest.mark.skipif(not COMPILED, reason="there is no machine code")
@pytest.mark.slow
def test_a_second_process_finds_the_code_in_the_cache(root: Path) -> None:
    """It is cached apart from the code of play, which does not import the laboratory."""
    code = """if True:
        import sys
        from engine.jit import cache, kernel
        from uci.session.backend import load
        load(print)
        assert not [name for name in sys.modules if name.startswith("engine.lab")]
        sys.path.append("tests")
        from engine.lab.laboratory import LAB
        from lab.test_searches import board_of, fill, lab_for
        lab = lab_for("PVS")
        fill(lab.pos, board_of(None))
        lab.prepare()
        *_, last = lab.deepen(3)
        assert LAB.folder != kernel.PLAY.folder
        print(last.line, sum(lab._root.stats.cache_hits.values()))
    """
    first, second = (
        run(root, "import os; os.chdir(sys.path[0])\n" + code, dict(os.environ)).splitlines()[-1]
        for _ in range(2)
    )
    assert first.rsplit(" ", 1)[0] == second.rsplit(" ", 1)[0] != "()"
    assert second.endswith(" 1")
