"""Compressed files: their games are read, and unreadable files are named in an error."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.inline_executor import Inline
from helpers.three_games import GAMES, Output, call, document, names
from uci.apps.epd.suite_file import read_suite
from uci.apps.games.pgn_split import split_games
from uci.chess_io import compressed
from uci.chess_io.compressed import DamagedFile, decompressed, open_text, stem_of
from uci.chess_io.positions import read_positions

TEXT = GAMES.encode()
SUITE = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\n"


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def tarred(mode: str) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo("games.pgn")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return data.getvalue()


FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "games.pgn.gz": gzip.compress,
    "games.pgn.bz2": bz2.compress,
    "games.pgn.xz": lzma.compress,
    "games.zip": lambda text: zipped({"games.pgn": text}),
    "games.pgn.zip": lambda text: zipped({"a name": text}, zipfile.ZIP_STORED),
    "GAMES.ZIP": lambda text: zipped({"A.PGN": text, "read.me": b"1. d4 *"}, zipfile.ZIP_BZIP2),
}


class Pipe(io.RawIOBase):
    """A stream that cannot be rewound and returns one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._data.read(1)
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize("name", FORMATS)
def test_games_are_analysed(inline: Inline, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FORMATS[name](TEXT))
    assert call(tmp_path / name) == 1
    stem = name.split(".")[0]
    written = ["analysed.pgn", "analysis.json", "html"]
    assert sorted(names(tmp_path)) == sorted([name, *(f"{stem}.{end}" for end in written)])
    if stem == "games":
        found = document(tmp_path)
        assert [game["number"] for game in found["games"]] == [1, 3]
        assert [TEXT[each["offset"] :][:12] for each in found["unread"]] == [b'[Event "two"']


@pytest.mark.parametrize("name", FORMATS)
def test_the_standard_input_is_decompressed(
    inline: Inline, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Output(FORMATS[name](TEXT)))
    assert call("-", "-o", tmp_path) == 1
    assert "input.analysed.pgn" in names(tmp_path)


@pytest.mark.parametrize("name", FORMATS)
def test_pipes_and_suites_and_positions(name: str, tmp_path: Path) -> None:
    data = FORMATS[name](SUITE)
    assert decompressed(io.BufferedReader(Pipe(data))).read().rstrip() == SUITE.rstrip()
    (tmp_path / name).write_bytes(data)
    (problem,) = read_suite([str(tmp_path / name)]).problems
    assert [move.uci() for move in problem.goal.best] == ["e2e4"]
    assert len(read_positions(tmp_path / name)) == 1


def test_what_is_not_compressed_is_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_bytes(TEXT)
    with open_text(tmp_path / "games.pgn") as stream:
        assert stream.read() == TEXT
    assert decompressed(io.BufferedReader(Pipe(TEXT))).read() == TEXT
    assert decompressed(io.BytesIO(b"")).read() == b""


def test_several_files_of_an_archive_are_read_one_after_the_other() -> None:
    files = {"b/": b"", "b/two.pgn": b"1. d4 *", "one.PGN": b"1. e4 *\n", "x.jpg": b"\xff"}
    data = zipped({**files, "__MACOSX/._one.pgn": b"\0"})
    games = list(split_games(decompressed(io.BytesIO(data))))
    assert [game.moves for game in games] == [["1. d4 *"], ["1. e4 *"]]


MANY = b"".join(b'[White "%d"]\n\n1. e4 {%d} *\n\n' % (n, n**99) for n in range(2000))


@pytest.mark.parametrize(
    ("name", "compress"),
    [("gzip", gzip.compress), ("bzip2", lambda text: bz2.compress(text, 1)), ("xz", lzma.compress)],
)
def test_what_was_read_before_damaged_data_is_kept(
    name: str, compress: Callable[[bytes], bytes]
) -> None:
    data = compress(MANY)
    *games, last = split_games(decompressed(io.BytesIO(data[: len(data) // 2])))
    assert len(games) > 500
    assert not any(game.broken for game in games)
    assert last.broken == f"{name} data are damaged or truncated"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wrong_checksum_of_an_archive_is_found(method: int) -> None:
    data = bytearray(zipped({"games.pgn": MANY}, method))
    data[len(data) // 2] ^= 1
    *_, last = split_games(decompressed(io.BytesIO(data)))
    assert last.broken == "zip data are damaged or truncated"


@pytest.mark.slow
def test_a_damaged_suite_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.epd.gz"
    path.write_bytes(gzip.compress(SUITE * 10_000)[:-20])
    suite = read_suite([str(path)])
    assert suite.problems
    assert [complaint.reason for complaint in suite.complaints] == [
        "gzip data are damaged or truncated"
    ]


def encrypted() -> bytes:
    data = bytearray(zipped({"games.pgn": TEXT}))
    central = data.index(b"PK\x01\x02")
    data[6] |= 1
    data[central + 8] |= 1
    return bytes(data)


def of_an_unknown_method() -> bytes:
    data = bytearray(zipped({"games.pgn": TEXT}))
    data[8] = 9
    data[data.index(b"PK\x01\x02") + 10] = 9
    return bytes(data)


REFUSED = {
    "7-Zip": (
        b"7z\xbc\xaf\x27\x1c" + bytes(30),
        "7-Zip files are not supported: extract the file first",
    ),
    "RAR": (b"Rar!\x1a\x07\x00" + bytes(30), "RAR files are not supported: extract the file first"),
    "tar": (tarred("w"), "tar files are not supported: extract the file first"),
    "tar.gz": (tarred("w:gz"), "tar files are not supported: extract the file first"),
    "zip of nothing": (zipped({}), "no games in the archive"),
    "zip of two others": (zipped({"a": b"x", "b": b"y"}), "no games in the archive"),
    "zip that is cut": (zipped({"a.pgn": TEXT})[:-30], "zip data are damaged or truncated"),
    "encrypted zip": (encrypted(), "the archive is encrypted: extract it first"),
    "unknown method": (
        of_an_unknown_method(),
        "unsupported compression in the archive: extract it first",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_named_before_the_work(
    inline: Inline, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    data, why = REFUSED[kind]
    monkeypatch.chdir(tmp_path)
    path = Path("games.pgn")
    path.write_bytes(data)
    assert call(path) == 2
    assert capsys.readouterr().err == f"pythagoras: {path}: {why}\n"
    monkeypatch.setattr(sys, "stdin", Output(data))
    assert call("-") == 2
    assert capsys.readouterr().err == f"pythagoras: -: {why}\n"
    assert names(tmp_path) == ["games.pgn"]
    (complaint,) = read_suite([str(path)]).complaints
    assert complaint.reason == why


ZSTD = bytes.fromhex("28b52ffd0458390000312e206534202a0a")  # "1. e4 *\n", and a wrong checksum


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads zstd")
def test_without_zstd_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.pgn.zst").write_bytes(ZSTD)
    with pytest.raises(
        OSError, match=r"zstd files need Python 3\.14 or newer: decompress it first"
    ):
        open_text(tmp_path / "x.pgn.zst")


def test_with_zstd_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later Python has the zstd module; here another decoder takes its place."""

    class Module:
        @staticmethod
        def open(stream: io.BufferedReader) -> io.BytesIO:
            assert stream.read() == ZSTD
            return io.BytesIO(TEXT)

    monkeypatch.setattr(compressed.importlib, "import_module", {"compression.zstd": Module}.get)
    assert len(list(split_games(decompressed(io.BytesIO(ZSTD))))) == 3


def test_a_python_without_a_module_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(compressed.importlib, "import_module", missing)
    with pytest.raises(OSError, match="bzip2 files need Python's module bz2"):
        decompressed(io.BytesIO(bz2.compress(TEXT)))


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.pgn", "a"), ("a.pgn.gz", "a"), ("a.gz", "a"), ("a.b.zip", "a.b"), ("A.PGN.BZ2", "A"),
     ("a.b.pgn", "a.b"), ("a.epd.zst", "a"), ("a", "a")],
)  # fmt: skip
def test_names_of_outputs(name: str, stem: str) -> None:
    assert stem_of(Path(name)) == stem


def test_a_start_imports_no_decompression(root: Path) -> None:
    code = "import sys, uci.cli.main; sys.exit(bool({'bz2', 'lzma', 'zipfile'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def test_errors_of_reading_are_those_of_the_file() -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
            raise PermissionError(13, "no")

    reader = compressed._Decoded("gzip", [lambda: io.BufferedReader(Broken())], io.BytesIO())
    with pytest.raises(PermissionError):
        io.BufferedReader(reader).read()
    with pytest.raises(DamagedFile):
        decompressed(io.BytesIO(gzip.compress(TEXT)[:-9])).read()
