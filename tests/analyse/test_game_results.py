"""The result of a game: how it is decided, and the message if the source contradicts it."""

from pathlib import Path

import chess
import pytest

from helpers.inline_executor import Inline
from helpers.three_games import call, read
from uci.apps.analyse.report.game_summary import game_summary
from uci.apps.games.analysis_document import read_document
from uci.apps.games.game_results import contradictions, result_after_moves, result_on_board

MATE = "1. f3 e5 2. g4 Qh4#"
STALEMATE = (
    "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7"
    " 9. Qxc8 Kg6 10. Qe6"
)
BARE = '[FEN "k7/8/8/3p4/4K3/8/8/8 w - - 0 1"]\n\n1. Kxd5'
OPEN = "1. e4 e5"


@pytest.mark.parametrize(
    ("fen", "result"),
    [
        (chess.STARTING_FEN, "*"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "0-1"),
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "1-0"),
        ("k7/2Q5/8/8/8/8/8/6K1 b - - 0 1", "1/2-1/2"),
        ("k7/8/8/8/8/8/8/5BK1 b - - 0 1", "1/2-1/2"),
        ("k7/8/8/8/8/8/8/5RK1 b - - 0 1", "*"),
    ],
)
def test_results_on_the_board(fen: str, result: str) -> None:
    assert result_on_board(chess.Board(fen)) == result


@pytest.mark.parametrize(
    ("moves", "result"),
    [
        ("1. e4 e5", "*"),
        ("1. e4 e5 *", "*"),
        ("1. e4 (1. d4 1-0) e5 0–1 {it was 1-0}", "0-1"),
        ("1. e4 e5 1/2", "1/2-1/2"),
    ],
)
def test_the_result_after_the_moves(moves: str, result: str) -> None:
    assert result_after_moves(moves) == result


IN_MATE = "but the game ends in checkmate by Black"
CASES = [
    (MATE, "*", "", "0-1", "0-1", []),
    (MATE, "0-1", "0-1", "0-1", "0-1", []),
    (MATE, "1-0", "", "0-1", "1-0", [f"the tag Result is 1-0, {IN_MATE}"]),
    (MATE, "0-1", "1/2-1/2", "0-1", "0-1", [f"the moves are followed by 1/2-1/2, {IN_MATE}"]),
    (MATE, "1-0", "1-0", "0-1", "1-0", [f"the tag Result is 1-0, {IN_MATE}",
                                        f"the moves are followed by 1-0, {IN_MATE}"]),
    (STALEMATE, "?", "", "1/2-1/2", "1/2-1/2", []),
    (STALEMATE, "1-0", "", "1/2-1/2", "1-0",
     ["the tag Result is 1-0, but the game ends in stalemate"]),
    (BARE, "0-1", "", "1/2-1/2", "0-1",
     ["the tag Result is 0-1, but the game ends where neither side can mate"]),
    (OPEN, "*", "", "*", "*", []),
    (OPEN, "*", "1-0", "1-0", "1-0", []),
    (OPEN, "1-0", "*", "1-0", "1-0", []),
    (OPEN, "1-0", "0-1", "1-0", "1-0",
     ["the tag Result is 1-0, but the moves are followed by 0-1"]),
]  # fmt: skip


def test_results_of_games(inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Document and verdict have the decided result, and the source's own tag stays."""
    games.write_text(
        "\n".join(
            f'[White "Ada"]\n[Black "Ben"]\n[Result "{tag}"]\n{moves} {after}\n'
            for moves, tag, after, *_ in CASES
        )
    )
    assert call(games, "--quiet") == 0
    errors = capsys.readouterr().err.splitlines()
    analysed = read_document(games.with_suffix(".analysis.json")).games
    annotated = read(games.parent / "games.analysed.pgn")
    for case, game, pgn in zip(CASES, analysed, annotated, strict=True):
        _, _, after, result, written, reported = case
        assert (game.result, list(game.contradictions)) == (result, reported)
        assert pgn.headers["Result"] == written
        assert game.pgn.split()[-1] == (written if after in ("", "*") else after)
        here = f"game {game.number} at byte {game.offset:,}: "
        assert [line.partition(here)[2] for line in errors if here in line] == reported
        words = game_summary(game)
        assert words.startswith(VERDICTS[result])
        sentences = "".join(f" {each[0].upper()}{each[1:]}." for each in reported)
        assert words.endswith(sentences)
        assert words.count("Result") == sentences.count("Result")
    assert len(errors) == sum(len(case[-1]) for case in CASES)


VERDICTS = {"1-0": "Ada won", "0-1": "Ben won", "1/2-1/2": "Ada and Ben drew", "*": "Ada played"}


def test_contradictions_of_an_open_position() -> None:
    board = chess.Board()
    assert contradictions(board, "1-0", "1-0") == []
    assert len(contradictions(board, "1-0", "1/2-1/2")) == 1


def test_players_of_one_name_are_called_by_their_sides(
    inline: Inline, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games.write_text(f'[White "Smith"]\n[Black "SMITH"]\n{MATE}\n')
    assert call(games) == 0
    said = capsys.readouterr().err
    assert ": game 1: White: accuracy " in said
    assert "; Black: accuracy " in said
    page = (games.parent / "games.html").read_text(encoding="utf-8")
    verdict = page.partition('data-part="verdict">')[2].partition("</p>")[0]
    assert verdict.startswith("Black won")
    assert "SMITH" not in verdict.upper()
    rows = page.partition('data-part="sides">')[2].partition("</tbody>")[0]
    assert "<bdi>White</bdi></th>" in rows
    assert "<bdi>Black</bdi></th>" in rows
    assert "Smith – SMITH" in page
