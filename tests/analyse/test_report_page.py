"""The HTML report: its content and size, and that no text of a game can harm it."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import count, islice
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from helpers.documents import analyse, annotated_game, document_of, made_game, random_games
from helpers.readers import complaints_of_html
from uci.apps.analyse.report.game_summary import game_summary
from uci.apps.analyse.report.moments import key_moments
from uci.apps.analyse.report.page import build_page
from uci.apps.analyse.report.page_data import ALPHABET
from uci.apps.analyse.report.totals import Totals
from uci.apps.console import html_file
from uci.apps.games.analysis_document import (
    AnalysedGame,
    AnalysisDocument,
    BadMove,
    SideTotals,
    read_document,
)
from uci.apps.games.openings import Opening
from uci.apps.games.passing import after_pass
from uci.errors import UciError

pytest.importorskip("jinja2")


def data_of(text: str) -> list[Any]:
    found = re.findall(
        r'<script type="application/json" class="data">(.*?)</script>', text, re.DOTALL
    )
    return [json.loads(each) for each in found]


def decode(board: chess.Board, line: str) -> list[str]:
    """Decode a line, and assert that the fields of each move agree with its notation."""
    board, found = board.copy(), []
    for first, second, which, rest in re.findall(r"([\w-])([\w-])(?:'(\w+)')?(=\w)?[+#]?", line):
        promotion = chess.Piece.from_symbol(rest[1]).piece_type if rest else None
        move = chess.Move(ALPHABET.index(first), ALPHABET.index(second), promotion)
        assert board.is_legal(move), (board.fen(), move)
        san = board.san(move)
        assert not which or san[1:].startswith(which)
        assert rest in san
        found.append(board.uci(move, chess960=True))
        board.push(move)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of six analysed games."""
    found = tmp_path_factory.mktemp("games")
    document_of(random_games(6), found, pytest.MonkeyPatch(), "--threats")
    return found


@pytest.fixture
def document(folder: Path) -> AnalysisDocument:
    return read_document(folder / "games.analysis.json")


@pytest.mark.slow
def test_the_command_writes_what_report_writes(document: AnalysisDocument, folder: Path) -> None:
    assert (folder / "games.html").read_text(encoding="utf-8") == build_page(document)


def test_nothing_is_lost_on_the_way(document: AnalysisDocument) -> None:
    for game, data in zip(document.games, data_of(build_page(document)), strict=True):
        board = chess.Board(data["fen"], chess960=game.chess960)
        assert len(data["lines"]) == len(data["scores"].split()) == len(game.positions)
        for position, line in zip(game.positions, data["lines"], strict=True):
            best = position.best.uci
            assert decode(chess.Board(position.fen, chess960=True), line) == list(best)
        for at, position in enumerate(game.positions):
            line = data["threats"].get(str(at), "")
            assert bool(line) == bool(position.threat)
            if position.threat:
                passed = after_pass(chess.Board(position.fen, chess960=True))
                assert decode(passed, line) == list(position.threat.uci)
        moves = [board.uci(board.parse_uci(move.uci), chess960=True) for move in game.moves[:1]]
        assert decode(board, data["moves"])[:1] == moves
        assert len(decode(board, data["moves"])) == len(game.moves)
        assert board.fen() == game.positions[0].fen
        assert data["lost"] == [move.points_lost for move in game.moves]


def test_script_and_style_are_those_that_the_policy_names(document: AnalysisDocument) -> None:
    text = build_page(document)
    policy = re.search(r'content="(default-src[^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert f"{tag}-src '{html_file.hash_of(content)}'" in policy[1]
    assert " style=" not in text
    assert not re.search(r" on[a-z]+=", re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))
    assert not re.search(r"(?:https?|file|wss?):", text.replace("http://www.w3.org/2000/svg", ""))


@pytest.mark.external
def test_html_is_valid(folder: Path, root: Path) -> None:
    assert complaints_of_html(root, folder / "games.html") == ""
    broken = folder / "broken.html"
    broken.write_text("<!DOCTYPE html><html><body><p><div></p>")
    assert "status 1" in complaints_of_html(root, broken)


HOSTILE = "</script><img src=x onerror=document.title=1>"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)


def test_text_of_games_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = random_games(3)
    for game in games:
        for name in (
            "Event",
            "Site",
            "White",
            "Black",
            "WhiteElo",
            "TimeControl",
            "Opening",
            "ECO",
        ):
            game.headers[name] = HOSTILE
        for node in game.mainline():
            node.comment = HOSTILE
    build_page(document_of(games, tmp_path, monkeypatch))
    text = (tmp_path / "games.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert "img" not in tags.seen
    assert tags.seen.count("script") == 1 + 3
    assert data_of(text)[0]["names"][0] == HOSTILE
    assert "<img" in data_of(text)[0]["pgn"]


def test_many_games_have_a_list_and_totals(document: AnalysisDocument) -> None:
    text = build_page(document)
    assert text.count("<tr data-game=") == 6
    assert ">Players</h2>" in text
    assert ">Openings, from White’s view</h2>" in text
    less = build_page(document, most=2)
    assert len(data_of(less)) == less.count("<tr data-game=") == 2
    assert "The first 2 of 6 games are on this page; the totals include all games." in less
    first = build_page(document, most=1)
    assert "The first 1 of 6 games is on this page; the totals include all games." in first
    title = re.search("<h1>(.*)</h1>", text)
    assert title
    assert title[0] in first
    one = build_page(replace(document, games=document.games[:1]))
    assert ">Players</h2>" not in one
    assert title[0] not in one


def test_totals() -> None:
    totals = Totals()
    counts = {"inaccuracy": 0, "mistake": 0, "blunder": 0}
    white = SideTotals(accuracy=90.0, centipawn_loss=20, **counts)
    black = SideTotals(accuracy=70.0, centipawn_loss=40, **counts)
    opening = Opening("C60", "Ruy Lopez: Berlin", 5)
    for names, result in ((("A", "B"), "1-0"), (("B", "A"), "1/2-1/2"), (("A", "??"), "*")):
        headers = dict(zip(("White", "Black"), names, strict=True))
        more = {"headers": headers, "white": white, "black": black, "opening": opening}
        totals.add(made_game([], [], result=result, **more))
    a, b = totals.players
    assert (a.name, a.games, a.finished, a.score) == ("A", 3, 2, 75.0)
    assert a.loss == pytest.approx(80 / 3)
    assert (b.name, b.games, b.score, b.accuracy) == ("B", 2, 25.0, 80.0)
    (only,) = totals.openings
    assert (only.name, only.games, only.score) == ("C60 Ruy Lopez", 3, 75.0)


def with_accuracies(game: AnalysedGame, white: float, black: float) -> AnalysedGame:
    assert game.white
    assert game.black
    return replace(
        game,
        white=replace(game.white, accuracy=white),
        black=replace(game.black, accuracy=black),
    )


def test_a_game_in_a_sentence(document: AnalysisDocument) -> None:
    game = with_accuracies(document.games[0], 61.4, 88.8)
    names = {"White": "Ada", "Black": "Ben", "Result": "*"}
    game = replace(game, headers=game.headers | names, result="0-1")
    assert game_summary(game).startswith("Ben won and played more accurately, 89 % against 61 %.")
    drawn = game_summary(replace(game, result="1/2-1/2"))
    assert drawn.startswith("Ada and Ben drew; Ben played more accurately, 89 %")
    small = replace(game, headers=game.headers | {"White": "ada", "Black": "ben"})
    said = game_summary(small)
    assert said.startswith("ben won and played"), "a name is as its player writes it"
    open_ = replace(with_accuracies(game, 88.8, 88.8), result="*")
    assert game_summary(open_).startswith("Both sides played at 89 % accuracy.")
    moves = tuple(replace(move, verdict=None) for move in game.moves)
    blameless = replace(open_, white=None, moves=moves)
    assert game_summary(blameless) == "The game has no result. There were no bad moves."


def test_signs_of_the_source_and_ours(document: AnalysisDocument) -> None:
    """The source's signs and ours are both shown if they differ."""
    game = document.games[0]
    cases: list[tuple[BadMove | None, tuple[str, ...], str]] = [
        ("inaccuracy", ("!",), "! ?!"), ("mistake", ("?",), "?"), (None, ("!?",), "!?"),
        ("blunder", (), "??"), (None, (), ""),
    ]  # fmt: skip
    moves, expected = list(game.moves), []
    for at, (verdict, signs, shown) in enumerate(cases):
        moves[at] = replace(moves[at], verdict=verdict, source_signs=signs, only=False)
        expected.append(f">{moves[at].san}{shown} <")
    game = replace(game, moves=tuple(moves))
    text = build_page(replace(document, games=(game,)))
    rows = text[text.index('data-part="moves"') :]
    places = [rows.index(each) for each in expected]
    assert places == sorted(places)
    (data,) = data_of(text)
    assert (data["source_signs"]["1"], data["signs"]["1"]) == ("!", "?!")


def test_a_key_moment_shows_its_lines(document: AnalysisDocument) -> None:
    """Its text explains one of two lines: the move played and its sequel, or the better move."""
    game = document.games[0]
    text = build_page(replace(document, games=(game,)))
    cards = re.findall(r'<li class="moment">(.*?)</li>', text, re.DOTALL)
    moments = key_moments(game)
    assert len(cards) == len(moments) > 0
    for card, (ply, _) in zip(cards, moments, strict=True):
        move, position = game.moves[ply - 1], game.positions[ply - 1]
        board = chess.Board(position.fen)
        played, better, *more = re.findall(r'<p class="written">(.*?)</p>', card)
        threat = position.threat
        assert more == ([f"Threat: {threat.san}"] if threat else [])
        assert card.count('class="arrow threat"') == len(more)
        assert better == f"Better: {position.best.san}"
        answer = game.positions[ply].best
        sans = [word for word in played.split()[1:] if not word.endswith(".")]
        board.push_san(sans[0].rpartition(".")[2])
        assert board.peek().uci() == move.uci
        for san, uci in zip(sans[1:], answer.uci, strict=True):
            assert board.push_san(san).uci() == uci


def test_a_number_is_the_same_wherever_it_stands(document: AnalysisDocument) -> None:
    game = with_accuracies(document.games[0], 84.5, 60.5)
    assert "85 % against 61 %" in game_summary(game)
    text = build_page(replace(document, games=(game,)))
    assert "<td>85 %</td>" in text
    assert "<td>61 %</td>" in text


@pytest.mark.slow
def test_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of a report of one game, and of each further game with some twenty bad moves."""
    monkeypatch.setattr("helpers.inline_executor.LONG", 24)
    monkeypatch.setattr("helpers.inline_executor.RISE", 0.28)
    long = (game for seed in count() if (game := annotated_game(seed, 80)).end().ply() == 80)
    document = document_of(list(islice(long, 3)), tmp_path, monkeypatch)
    counts = [sum(bool(move.verdict) for move in game.moves) for game in document.games]
    assert min(counts) >= 15
    sizes = [len(build_page(replace(document, games=document.games[:n])).encode()) for n in (1, 3)]
    assert sizes[0] <= 150_000
    assert (sizes[1] - sizes[0]) / 2 <= 20_000


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 1}', "[" * 5000])
def test_what_is_no_document(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("a.json")
    path.write_text(text)
    with pytest.raises(UciError, match=r"^a\.json"):
        read_document(path)


def test_another_schema(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    text = (folder / "games.analysis.json").read_text(encoding="utf-8")
    path.write_text(text.replace('"schema": 1', '"schema": 2', 1), encoding="utf-8")
    with pytest.raises(UciError, match="schema 2 is unknown, expected 1"):
        read_document(path)


def test_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document_of(random_games(1), tmp_path, monkeypatch, "--no-html")
    assert not (tmp_path / "games.html").exists()
    analyse(tmp_path / "games.pgn", monkeypatch, "--html-games", "1")
    assert (tmp_path / "games.html").exists()


def test_a_game_of_chess960_is_called_so(document: AnalysisDocument) -> None:
    """The fifth of the six games is a game of Chess960, and labelled so."""
    found = data_of(build_page(document))
    assert [each["about"][0] == "Chess960" for each in found] == [False] * 4 + [True, False]
    assert build_page(document).count(">Chess960</td>") == 1
    alone = build_page(replace(document, games=document.games[4:5]))
    assert 'data-part="about">Chess960 · Game 4' in alone


def test_centipawn_loss_is_called_average(document: AnalysisDocument) -> None:
    text = build_page(document)
    assert "lost a move" not in text, "that would be a tempo"
    assert text.count("Average centipawn loss") == 3  # of players, openings, both sides
