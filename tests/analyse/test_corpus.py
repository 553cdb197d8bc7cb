"""Files of every kind: each good game is analysed, once and whole, and each bad one is named."""

import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chess
import chess.pgn
import pytest

from engine.jit.kernel import COMPILED
from helpers.faults import behind
from helpers.pgn_corpus import CorpusFile, Sample, corpus
from helpers.readers import read_with_chessops, read_with_scid
from uci.apps.games.pgn_read import BadGame, read_game
from uci.apps.games.pgn_split import RawGame, split_games

EVAL = re.compile(r"\[%eval [^]]*\]")
NO_MOVES = "no moves"
NAMED = re.compile(r"pythagoras: (.*): game (\d+) at byte ([\d,]+): (.*)")


@cache
def files() -> list[CorpusFile]:
    return corpus()


def with_good() -> list[CorpusFile]:
    return [file for file in files() if any(sample.game for sample in file.samples)]


def games_in(path: Path) -> Iterator[chess.pgn.Game]:
    """Yield the games of a file as python-chess reads them, without an error."""
    with path.open(encoding="utf-8", newline="\n") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            yield game


def holds(found: chess.pgn.GameNode, source: chess.pgn.GameNode) -> None:
    """Assert that ``found`` contains all of ``source``: moves, signs, comments, variations."""
    words = " ".join(EVAL.sub(" ", source.comment).replace("}", " ").split())
    assert words in " ".join(EVAL.sub(" ", found.comment).split())
    assert source.nags <= found.nags
    for number, node in enumerate(source.variations):
        assert node.move is not None
        assert found.has_variation(node.move), f"{node.move} is lost"
        if number == 0:
            assert found.variations[0].move == node.move
        holds(found.variation(node.move), node)


def escaped(value: str) -> str:
    return re.sub(r'["\\]', r"\\\g<0>", value)


def hold_game(found: chess.pgn.Game, sample: Sample) -> None:
    """Assert that a good sample was analysed, and that nothing of it is lost."""
    assert sample.game is not None
    for name, value in sample.game.headers.items():
        if name != "Annotator":
            assert found.headers[name] == escaped(value)
    assert found.headers["Annotator"].startswith("Pythagoras ")
    holds(found, sample.game)
    for node in found.mainline():
        assert node.eval() is not None or node.board().is_checkmate()


@pytest.mark.slow
def test_good_and_bad_are_told_apart() -> None:
    for file in files():
        games = list(split_games(io.BytesIO(file.data)))
        assert len(games) == len(file.samples), file.name
        for number, (raw, sample, offset) in enumerate(
            zip(games, file.samples, file.offsets, strict=True), 1
        ):
            assert raw.number == number, file.name
            assert file.data[offset : raw.offset].strip() in (b"", b"[pgn]", b"% an escape")
            hold_reading(raw, sample)


def hold_reading(raw: RawGame, sample: Sample) -> None:
    """Hold that a good sample is read, and that a bad one is refused for its reason."""
    if sample.game is None:
        with pytest.raises(BadGame, match=re.escape(sample.why)):
            read_game(raw)
        return
    game = read_game(raw)
    holds(game, sample.game)
    assert [*game.mainline_moves()] == [*sample.game.mainline_moves()]
    assert any(sample.why in str(end) for end in game.errors) == bool(sample.why), sample.kind


@pytest.mark.slow
def test_there_are_many_of_each() -> None:
    samples = [sample for file in files() for sample in file.samples]
    assert sum(sample.game is not None for sample in samples) > 300
    assert len({sample.kind for sample in samples if sample.game is None}) > 40


@pytest.fixture(scope="module")
def analysed(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder in which all files were analysed, and the messages."""
    if not COMPILED:
        pytest.skip("the engine is to be quick")
    folder = tmp_path_factory.mktemp("corpus")
    for file in files():
        (folder / file.name).write_bytes(file.data)
    paths = sorted(map(str, folder.iterdir()))
    limits = "--nodes", "20", "--hash", "1", "--jobs", "2"
    result = behind([], warm, "analyse", *limits, *paths)
    assert result.returncode == 1
    return folder, result.stderr


def output(folder: Path, file: CorpusFile) -> Path:
    return (folder / file.name).with_suffix(".analysed.pgn")


@pytest.mark.slow
def test_every_good_game_is_analysed(analysed: tuple[Path, str]) -> None:
    folder, _ = analysed
    assert set(folder.glob("*.analysed.pgn")) == {output(folder, file) for file in with_good()}
    for file in with_good():
        good = [sample for sample in file.samples if sample.game is not None]
        games = list(games_in(output(folder, file)))
        assert len(games) == len(good), file.name
        for game, sample in zip(games, good, strict=True):
            hold_game(game, sample)


@pytest.mark.slow
def test_every_bad_game_is_named_where_it_is(analysed: tuple[Path, str]) -> None:
    """Games without moves are counted together if a file has several."""
    folder, said = analysed
    unplayed = {file.name: [each.why for each in file.samples].count(NO_MOVES) for file in files()}
    named = [found.groups() for found in map(NAMED.fullmatch, said.splitlines()) if found]
    expected = [
        (str(folder / file.name), str(number), f"{offset:,}", sample.why)
        for file in sorted(files(), key=lambda file: file.name)
        for number, (sample, offset) in enumerate(zip(file.samples, file.offsets, strict=True), 1)
        for _ in range(2 if sample.kind == "two illegal variations" else 1)
        if sample.why and not (sample.why == NO_MOVES and unplayed[file.name] > 1)
    ]
    assert len(expected) > 40
    counted = [f"{folder / name}: {n} games have" for name, n in unplayed.items() if n > 1]
    assert [words in said for words in counted] == [True] * 3
    assert [facts[:3] for facts in named] == [facts[:3] for facts in expected]
    for (*_, why), (*_, part) in zip(named, expected, strict=True):
        assert part in why


@pytest.mark.slow
def test_what_was_written_is_read_again(analysed: tuple[Path, str]) -> None:
    folder, _ = analysed
    for file in with_good():
        path = output(folder, file)
        games = [read_game(raw) for raw in split_games(io.BytesIO(path.read_bytes()))]
        assert len(games) == sum(sample.game is not None for sample in file.samples)


@pytest.mark.external
def test_chessops_reads_it(analysed: tuple[Path, str], root: Path) -> None:
    folder, _ = analysed
    found = read_with_chessops(root, [output(folder, file) for file in with_good()])
    for file, games in zip(with_good(), found, strict=True):
        good = [sample.game for sample in file.samples if sample.game is not None]
        games = [game for game in games if game["moves"]]
        assert len(games) == len(good)
        for game, source in zip(games, good, strict=True):
            assert not game["errors"]
            assert game["tags"].items() >= {
                (k, v) for k, v in source.headers.items() if k != "Annotator"
            }
            board = source.board()
            moves = [board.uci(move, chess960=True) for move in pushed(board, source)]
            assert game["moves"] == moves
            assert game["scored"] == len(moves) - board.is_checkmate()


def pushed(board: chess.Board, game: chess.pgn.Game) -> Iterator[chess.Move]:
    """Yield the moves of a game, and make each on ``board`` after it was yielded."""
    for move in game.mainline_moves():
        yield move
        board.push(move)


@pytest.mark.external
def test_scid_imports_it(analysed: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = analysed
    every = [game for file in with_good() for game in games_in(output(folder, file))]
    # Debian's Scid cannot read Chess960.
    usual = [game for game in every if not game.board().chess960]
    assert len(usual) > 300
    path = tmp_path / "all.pgn"
    path.write_text("".join(f"{game}\n\n" for game in usual), encoding="utf-8")
    said = read_with_scid(path, tmp_path)
    assert f"Imported {len(usual)} games" in said
    assert "There were no PGN errors or warnings." in said


@pytest.mark.external
def test_scid_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text('[Event "x"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke4 1-0\n')
    assert "Failed to parse the move: Ke4" in read_with_scid(path, tmp_path)


@pytest.mark.external
def test_chessops_says_what_is_wrong(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text("1. e4 e5 ( 1... c5 2. Nf4 ) 2. Nf3 *\n")
    ((game,),) = read_with_chessops(root, [path])
    assert game["errors"] == ["illegal move: Nf4"]
    assert game["moves"] == ["e2e4", "e7e5", "g1f3"]
    assert game["scored"] == 0
