"""Texts of many encodings: letters are read correctly, or the assumed encoding is reported."""

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

from uci.apps.epd.suite_file import read_suite
from uci.apps.games.pgn_read import read_game
from uci.apps.games.pgn_split import split_games
from uci.chess_io import encodings
from uci.chess_io.compressed import decompressed
from uci.chess_io.encodings import Encoding, encoding_of
from uci.chess_io.text_files import text_lines

NAMES = {
    "cp1252": "Müller Fernández Grünfeld Réti Núñez García Söderström O’Kelly „Spiel“ – Straße",
    "cp1250": "Łódź Świercz Wojtaszek Żukowski Kraków Michał Piątek Gdańsk Wałbrzych Szczęsny",
    "iso8859_2": "Łódź Świercz Štoček Žižka Wałbrzych Piątek Šťastný Ľubomír Kašík Beneš",
    "cp850": "Müller Fernández Grünfeld Núñez García Zürich Köln Düsseldorf Gómez Bürger",
    "cp1251": "Каспаров Карпов Петросян Ботвинник Иванов Москва Таль Смыслов Спасский Чигорин",
    "koi8_r": "Каспаров Карпов Петросян Ботвинник Иванов Москва Таль Смыслов Спасский Чигорин",
    "gb18030": "王玥 丁立人 余泱漪 侯逸凡 北京 全国象棋甲级联赛 韦奕 卜祥志 谢军 李超 上海 徐俊",
    "gbk": "王玥 丁立人 余泱漪 侯逸凡 北京 全国象棋甲级联赛 韦奕 卜祥志 谢军 李超 上海 徐俊",
    "big5": "王玥 丁立人 侯逸凡 北京 全國象棋甲級聯賽 韋奕 謝軍 李超 台北 高雄 新竹 台中",
    "shift_jis": "羽生善治 渡辺 東京 小島慎也 日本選手権 大阪 京都 名古屋 札幌 ソ連 表示",
    "euc_kr": "서울 김철수 대한민국 이상훈 박정환 부산 대구 인천 광주 체스 연맹",
    "cp1253": "Κοτρώνιας Παπαϊωάννου Αθήνα Θεσσαλονίκη Μπανίκας Χαλκιάς Πάτρα Ρόδος Κρήτη",
    "cp1255": "גלפנד ירושלים רודשטיין תל אביב סוטובסקי חיפה באר שבע סמירין אליפות ישראל",
}
LATIN = {"cp1252", "cp1250", "iso8859_2", "cp850"}
TAKEN_FOR = {"gbk": "gb18030"}


def games(names: str, times: int = 1) -> str:
    return times * "".join(
        f'[White "{name}"]\n[Black "Smith"]\n\n1. e4 {{by {name}}} e5 1-0\n\n'
        for name in names.split()
    )


def read(data: bytes) -> tuple[list[str], list[Encoding]]:
    """Return the names of White in a file, and the encodings that are reported."""
    told: list[Encoding] = []
    found = [read_game(raw) for raw in split_games(io.BytesIO(data), told.append)]
    assert all(game.end().ply() == 2 for game in found)
    assert [game.next().comment for game in found] == [  # type: ignore[union-attr]
        f"by {game.headers['White']}" for game in found
    ]
    return [game.headers["White"] for game in found], told


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read(name: str) -> None:
    found, told = read(games(NAMES[name]).encode(name))
    assert found == NAMES[name].split()
    assert told == [Encoding(TAKEN_FOR.get(name, name), detected=name not in LATIN)]


@pytest.mark.parametrize("name", NAMES)
def test_without_the_library_it_is_said_what_is_assumed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "_library", lambda: None)
    found, (told,) = read(games(NAMES[name]).encode(name))
    assert not told.detected
    assert (
        str(told)
        == f"not UTF-8; {told.name} is assumed; install the extra [analysis] to detect others"
    )
    if name in LATIN:
        assert (told.name, found) == (name, NAMES[name].split())


def test_what_is_said() -> None:
    assert str(Encoding("cp1252")) == "not UTF-8; cp1252 is assumed"
    assert str(Encoding("big5", detected=True)) == "not UTF-8; charset-normalizer detects big5"


@pytest.mark.parametrize("text", ["", games("Smith"), games("Müller 東京 Каспаров")])
def test_utf_8_is_not_reported(text: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        found, told = read(text.encode(encoding))
        assert not told
        assert len(found) == text.count("[White")


def test_lines_of_utf_8_among_others_are_read_as_such() -> None:
    data = games("Müller Łódź").encode() + games(NAMES["cp1251"]).encode("cp1251")
    found, (told,) = read(data + games("東京").encode())
    assert told.name == "cp1251"
    assert found == ["Müller", "Łódź", *NAMES["cp1251"].split(), "東京"]


def test_a_word_that_is_utf_8_by_chance() -> None:
    """In a file in GBK, the two bytes of a letter may also be a letter in UTF-8."""
    chance = "陆"
    assert chance.encode("gbk").decode() != chance
    names = f"{NAMES['gbk']} {chance}"
    assert read(games(names).encode("gbk"))[0] == names.split()


def test_time_is_linear_in_the_size() -> None:
    """A search for words that backtracks would take hours for these texts."""
    for text in (b"a" * 10_000_000 + b'"\xe9', b"\xe9" * 10_000_000):
        assert encoding_of([text]).name == "cp1252"


def test_little_is_only_assumed() -> None:
    _, (told,) = read(games("Таль").encode("cp1251"))
    assert not told.detected
    assert told.name == "cp1251"


@pytest.mark.slow
def test_a_file_is_judged_by_what_follows_its_first_word(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def judge(lines: list[bytes]) -> Encoding:
        seen.append(sum(map(len, lines)))
        return encoding_of(lines)

    monkeypatch.setattr("uci.chess_io.text_files.encoding_of", judge)
    monkeypatch.setattr("uci.chess_io.text_files.AHEAD", ahead := 20_000)
    text = games("Smith", 180) + games(NAMES["iso8859_2"], 40)
    found, (told,) = read(text.encode("iso8859_2"))
    assert (len(seen), told.name) == (1, "iso8859_2")
    assert ahead / 2 < seen[0] < ahead < len(text)
    assert found[180:] == NAMES["iso8859_2"].split() * 40


def test_where_lines_begin_is_known_in_any_encoding() -> None:
    for name, names in NAMES.items():
        data = games(names).encode(name)
        lines = data.splitlines(keepends=True)
        starts = [at for at, _ in text_lines(io.BytesIO(data))]
        assert starts == [sum(map(len, lines[:number])) for number in range(len(lines))]


def test_damaged_data_end_a_file_after_the_lines_that_were_read_ahead() -> None:
    text = games(NAMES["cp1251"], 300).encode("cp1251")
    *found, last = split_games(decompressed(io.BytesIO(gzip.compress(text)[:-30])))
    assert len(found) > 1000
    assert last.broken == "gzip data are damaged or truncated"
    assert [read_game(raw).headers["White"] for raw in found[:9]] == NAMES["cp1251"].split()[:9]


def test_suites_report_it_too(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
    lines = [f'{start} bm e4; id "{name}";\n' for name in NAMES["cp1251"].split()]
    path.write_bytes("".join(lines).encode("cp1251"))
    suite = read_suite([str(path)])
    assert [problem.id for problem in suite.problems] == NAMES["cp1251"].split()
    assert suite.notes == [f"{path}: not UTF-8; charset-normalizer detects cp1251"]


def test_only_a_text_that_needs_it_imports_the_library(root: Path) -> None:
    code = """if True:
        import io, sys
        import uci.cli.main
        from uci.apps.games.pgn_split import split_games
        list(split_games(io.BytesIO("1. e4 {Müller} *".encode())))
        assert "charset_normalizer" not in sys.modules
        list(split_games(io.BytesIO("1. e4 {Таль} *".encode("cp1251"))))
        assert "charset_normalizer" in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
