"""Real searches through the protocol: checks of their lines, and causes of other engines' bugs."""

import random
import struct
from pathlib import Path

import chess
import chess.polyglot
import pytest

from engine.jit import kernel
from helpers.line_checks import check_analysis, read_info
from helpers.puppet_session import Client, search
from helpers.syzygy import FOLDER
from uci.session.bench import POSITIONS

pytestmark = pytest.mark.skipif(not kernel.COMPILED, reason="needs compiled kernels")

ENDGAMES = (
    "8/8/8/8/8/5k2/8/4QK2 w - - 0 1",
    "8/8/8/8/4k3/8/8/3RK3 w - - 90 1",
    "k7/8/2K5/8/8/8/8/7R w - - 0 1",
    "7k/8/4K3/8/8/8/8/6Q1 w - - 4 1",
    "7k/7p/5K2/8/8/6Q1/8/8 b - - 0 1",
    "8/8/8/4k3/8/8/3BK1N1/8 w - - 60 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1",
    "8/8/8/8/8/1k6/7q/1K6 w - - 0 1",
    "2k5/8/1K6/8/8/8/8/3R4 w - - 98 1",
)


@pytest.fixture
def client(real_client: Client) -> Client:
    return real_client


def shuffle(board: chess.Board, dice: random.Random, plies: int) -> None:
    """Play quiet moves, preferably there and back again, so that positions repeat."""
    for _ in range(plies):
        quiet = [move for move in board.legal_moves if not board.is_zeroing(move)]
        last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
        back = [
            m for m in quiet if (m.from_square, m.to_square) == (last.to_square, last.from_square)
        ]
        if not quiet:
            return
        board.push(dice.choice(back if back and dice.random() < 0.7 else quiet))


@pytest.mark.slow
@pytest.mark.parametrize("multipv", [1, 4])
@pytest.mark.parametrize("megabytes", [1, 16])
def test_every_line_is_a_game(client: Client, multipv: int, megabytes: int) -> None:
    """No line goes past the end of the game, mates have their stated length, MultiPV is sorted."""
    dice = random.Random(multipv * 100 + megabytes)
    client.say(f"setoption name MultiPV value {multipv}", f"setoption name Hash value {megabytes}")
    mates = 0
    standard = [fen for fen in POSITIONS if "HFhf" not in fen]
    for fen in [*dice.sample(standard, 10), *ENDGAMES, *ENDGAMES]:
        board = chess.Board(fen)
        shuffle(board, dice, dice.choice([0, 0, 3, 6, 9]))
        if any(board.legal_moves):
            go = dice.choice(["go depth 9", "go nodes 30000", "go movetime 60", "go mate 3"])
            mates += sum(heard.mate is not None for heard in search(client, board, go))
    assert mates > 10


def test_a_check_on_the_hundredth_ply_ends_the_line(client: Client) -> None:
    board = chess.Board("2k5/8/1K6/8/8/8/8/3R4 w - - 98 1")
    for move in ("d1b1", "c8b8"):
        board.push_uci(move)
    for depth in range(1, 6):
        search(client, board, f"go depth {depth}")


def test_weak_play_is_legal_and_differs(client: Client) -> None:
    client.say("setoption name Skill Level value 0")
    games = []
    for _ in range(2):
        board = chess.Board()
        while board.ply() < 16 and any(board.legal_moves):
            pv = search(client, board, "go movetime 30")[-1].pv
            board.push_uci(pv[0])
        games.append(board.move_stack)
    assert games[0] != games[1]


def test_long_searches_tell_their_root_moves(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.loader.backend.searcher, "progress_after", 0.0)
    client.say("position startpos", "go depth 3")
    check_analysis(chess.Board(), said := client.until("bestmove"))
    told = [line.split() for line in said if " currmove " in line]
    for depth in range(1, 4):
        numbers = [int(words[6]) for words in told if words[2] == str(depth)]
        assert numbers == list(range(1, 21))
    assert {words[4] for words in told} == {move.uci() for move in chess.Board().legal_moves}
    assert all(words[:2] + words[3:6:2] == ["info", "depth", "currmove", "currmovenumber"]
               for words in told)  # fmt: skip


# What has broken other engines


def test_a_depth_limit_does_not_leak(client: Client) -> None:
    assert search(client, chess.Board(), "go depth 3")[-1].depth == 3
    assert search(client, chess.Board(), "go nodes 30000")[-1].depth > 3
    assert search(client, chess.Board(), "go movetime 50")[-1].depth > 3


def test_startpos_resets(client: Client) -> None:
    client.say("position startpos moves e2e4 e7e5 g1f3", "position startpos", "d")
    assert f"Fen: {chess.STARTING_FEN}" in client.until("Key")
    client.say("go depth 4")
    check_analysis(chess.Board(), client.until("bestmove"))


def test_castling_rights_are_neither_lost_nor_found(client: Client) -> None:
    fen = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
    client.say(f"position fen {fen}", "go depth 1 searchmoves e1g1").until("bestmove e1g1")
    client.say(f"position fen {fen} moves h1g1 h8g8 g1h1 g8h8", "d")
    assert any(" w Qq - " in line for line in client.until("Key"))
    client.say("go depth 1 searchmoves e1g1")
    assert "illegal move" in client.until("info string")[-1]
    client.say("go depth 1 searchmoves e1c1").until("bestmove e1c1")


@pytest.mark.parametrize(
    "position",
    [
        "fen 8/8/8/8/8/8/8/8/8 w - - 0 1",
        "fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "fen joho",
        "startpos moves e2e4 e2e4",
    ],
)
def test_an_illegal_position_is_not_searched(client: Client, position: str) -> None:
    board = chess.Board()
    board.push_uci("d2d4")
    client.say("position startpos moves d2d4", f"position {position}")
    assert client.until("info string")
    assert client.say("go depth 3").until("bestmove")[-1] == "bestmove (none)"
    client.say("position startpos moves d2d4", "go depth 3")
    check_analysis(board, client.until("bestmove"))


@pytest.mark.parametrize("fen", ["4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w H - 0 1"])
def test_short_and_shredder_fens(client: Client, fen: str) -> None:
    client.say(f"position fen {fen}", "go depth 1 searchmoves e1g1").until("bestmove e1g1")


def test_words_and_white_space(client: Client) -> None:
    client.say("joho isready").until("readyok")
    client.say("\tposition   startpos\tmoves  e2e4 \r", "  go \t depth   2 joho\r")
    board = chess.Board()
    board.push_uci("e2e4")
    check_analysis(board, client.until("bestmove"))
    client.say("setoption  name  mOVE   oVERHEAD value 7", "setoption name uci_showwdl value TRUE")
    assert client.session.options.number("Move Overhead") == 7
    client.say("go depth 1")
    assert read_info(client.until("bestmove")[-2]).wdl is not None


def test_the_same_words_give_the_same_nodes(client: Client) -> None:
    counts = []
    for _ in range(2):
        client.say("ucinewgame")
        said = search(client, chess.Board(), "go depth 8")
        # A slow search reports more lines; the last of a depth counts all its nodes.
        counts.append({heard.depth: heard.nodes for heard in said})
    assert counts[0] == counts[1]


# Books and tables


def polyglot(path: Path, board: chess.Board, moves: dict[str, int]) -> None:
    """Write a Polyglot book with ``moves`` of ``board`` and their weights."""
    entries = b""
    for text, weight in moves.items():
        move = chess.Move.from_uci(text)
        packed = move.to_square | move.from_square << 6
        entries += struct.pack(">QHHI", chess.polyglot.zobrist_hash(board), packed, weight, 0)
    path.write_bytes(entries)


def test_a_book(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "my book.bin"
    polyglot(path, chess.Board(), {"a2a4": 1})
    client.say(f"setoption name Book File value {path}", "go depth 5")
    assert client.until("bestmove")[-1] != "bestmove a2a4", "only with OwnBook"
    client.say("setoption name OwnBook value true", "go wtime 1000 btime 1000")
    check_analysis(chess.Board(), said := client.until("bestmove"))
    assert said[-1] == "bestmove a2a4"
    for go in ("go infinite", "go searchmoves b2b3 depth 3", "go mate 1"):
        client.say(go)
        client.until("info depth 1 ")
        client.say("stop")
        assert not client.until("bestmove")[-1].startswith("bestmove a2a4")
    client.say("setoption name UCI_AnalyseMode value true", "go depth 5")
    assert not client.until("bestmove")[-1].startswith("bestmove a2a4")
    client.say("setoption name UCI_AnalyseMode value false", "go ponder depth 3").until(
        "info depth"
    )
    assert client.is_silent()
    assert client.say("ponderhit").until("bestmove") == ["bestmove a2a4"]
    client.say("position startpos moves e2e4", "go depth 2")
    assert len(client.until("bestmove")) > 2, "where the book ends the engine thinks"


def test_a_book_that_ends_by_number_or_repetition(client: Client, tmp_path: Path) -> None:
    path, board = tmp_path / "book.bin", chess.Board()
    entries = b""
    for text in ("g1f3", "g8f6", "f3g1", "f6g8"):
        polyglot(path, board, {text: 1})
        entries, board = entries + path.read_bytes(), board.copy()
        board.push_uci(text)
    path.write_bytes(b"".join(sorted(entries[at : at + 16] for at in range(0, len(entries), 16))))
    client.say(f"setoption name Book File value {path}", "setoption name OwnBook value true")

    def from_book(depth: int, moves: str) -> bool:
        client.say(f"setoption name Book Depth value {depth}", f"position startpos moves {moves}")
        return any("book move" in line for line in client.say("go depth 1").until("bestmove"))

    assert from_book(2, "g1f3 g8f6")
    assert not from_book(1, "g1f3 g8f6"), "that is the second move"
    assert from_book(1, "g1f3"), "black's first"
    assert not from_book(255, "g1f3 g8f6 f3g1"), "the knight would be back"


def test_tables(client: Client) -> None:
    board = chess.Board("8/8/8/8/8/4k3/8/4K2Q w - - 0 1")
    client.say(f"setoption name SyzygyPath value {FOLDER}")
    assert "WDL" in client.until("info string found")[-1]
    lines = search(client, board, "go depth 6")
    assert lines[-1].tbhits > 0
    assert lines[-1].mate or (lines[-1].cp or 0) >= 20_000
    client.say("setoption name SyzygyProbeLimit value 2")
    assert search(client, board, "go depth 6")[-1].tbhits == 0
    client.say("setoption name SyzygyProbeLimit value 7", "setoption name MultiPV value 4")
    assert len({heard.pv[0] for heard in search(client, board, "go depth 4")[-4:]}) == 4
    client.say("setoption name SyzygyPath value <empty>", "setoption name MultiPV value 1")
    assert search(client, board, "go depth 4")[-1].tbhits == 0
