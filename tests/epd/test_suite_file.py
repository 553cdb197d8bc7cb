"""Files of positions: what is read, and the messages about the rest."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.bad_paths import bad_paths
from uci.apps.epd.suite_file import read_problem, read_suite, summed_up, theme_of

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "not a position: nonsense"),
        (f"{START}", "nothing to solve: expected bm, am, dm or points"),
        (f'{START} id "x"; c0 "a comment";', "nothing to solve"),
        (f"{START} bm;", "nothing to solve"),
        (f"{START} bm Sf3;", "bm Sf3 does not use English piece letters"),
        (f"{START} am Cf3;", "am Cf3 does not use English piece letters"),
        (f"{START} bm Qg6;", "bm Qg6 is illegal"),
        (f"{START} bm e2e5;", "bm e2e5 is illegal"),
        (f"{START} bm N;", "bm N is not a move"),
        (f"{START} bm --;", "bm -- is not a move"),
        (f"{START} bm e4; am e4;", "bm and am name the same moves"),
        (f"{START} dm mate;", "dm mate: expected a number of moves"),
        (f"{START} dm 0;", "dm 0: expected a number of moves"),
        (f'{START} c0 "Qf9=10";', "c0 Qf9 is not a move"),
        (f'{START} c8 "10 5"; c9 "e2e4";', "c8 and c9: the numbers of points and moves differ"),
        (f'{START} c8 "x"; c7 "e4";', "c8 and c7: the numbers of points and moves differ"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - bm Kh8;", "the side to move has no legal moves"),
        ("7k/8/8/8/8/8/8/8 w - - bm Kh8;", "illegal FEN, no white king"),
        ("k7/8/2N5/8/8/2N5/8/K7 w - - bm Nd5;", None),
        ("k7/8/8/2N5/8/2N5/8/K7 w - - bm Ne4;", "bm Ne4 is ambiguous: N3e4 or N5e4"),
    ],
)
def test_what_is_wrong_is_said(line: str, reason: str | None) -> None:
    if reason is None:
        read_problem("x", 1, line)
        return
    with pytest.raises(ValueError, match=reason):
        read_problem("x", 1, line)


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.epd"
    path.write_text(f"# a comment\n\n{START} bm e4;\nnonsense\n  \n{START} bm d4; id a\n")
    suite = read_suite([str(path)])
    assert [(problem.line, problem.name) for problem in suite.problems] == [
        (3, "some.epd:3"),
        (6, "a"),
    ]
    assert [str(complaint) for complaint in suite.complaints] == [
        f"{path}:4: not a position: nonsense"
    ]
    assert (suite.repaired, sum(suite.repairs.values())) == (1, 1)


def test_lines_with_the_same_fault_are_counted(tmp_path: Path) -> None:
    path, other = tmp_path / "some.epd", tmp_path / "other.epd"
    path.write_text(f"{START} bm e4;\n" + f"{START}\n" * 1499 + "nonsense\n")
    other.write_text(f"{START} id x;\n")
    suite = read_suite([str(path), str(other)])
    assert len(suite.complaints) == 1501
    why = "nothing to solve: expected bm, am, dm or points"
    assert list(summed_up(suite.complaints)) == [
        f"{path}: 1,499 lines: {why} (the first is line 2)",
        f"{path}:1501: not a position: nonsense",
        f"{other}:1: {why}",
    ]


PIECES = st.sampled_from(
    ["bm", "am", "dm", "c0", "c8", "c9", "id", "e4", "Nf3", "e1g1", "O-O", "3"]
)
SIGNS = st.sampled_from(
    [";", " ", '"', "'", "=", ",", "10", "\\", "!", "+", "0", "-", "٣", "\0", "b"]
)


@settings(deadline=None)
@given(st.lists(PIECES | SIGNS | st.text(max_size=3), max_size=30))
def test_any_line_is_read_or_named(pieces: list[str]) -> None:
    for text in (f"{START} {' '.join(pieces)}", f"{START}{''.join(pieces)}", "".join(pieces)):
        try:
            problem, _ = read_problem("x", 1, text)
        except ValueError as error:
            reason = str(error)
            assert reason
        else:
            goal = problem.goal
            assert goal.best or goal.avoid or goal.points or goal.mate
            assert all(map(problem.board.is_legal, [*goal.best, *goal.avoid, *goal.points]))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("cp1252", b""),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ],
)
def test_encodings(encoding: str, mark: bytes, newline: str, tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    text = newline.join([f'{START} bm e4; id "Réti";', f"{START} bm d4; id “Grünfeld”;", ""])
    path.write_bytes(mark + text.encode(encoding))
    suite = read_suite([str(path)])
    assert [problem.id for problem in suite.problems] == ["Réti", "Grünfeld"]
    assert suite.complaints == []


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    good = tmp_path / "good.epd"
    good.write_text(f"{START} bm e4;\n")
    (tmp_path / "empty.epd").touch()
    with bad_paths(tmp_path) as paths:
        bad = [*paths.values(), str(tmp_path / "empty.epd")]
        suite = read_suite([*bad, str(good)])
    assert [problem.file for problem in suite.problems] == [str(good)]
    assert [complaint.file for complaint in suite.complaints] == bad
    assert all(complaint.reason and not complaint.line for complaint in suite.complaints)
    assert suite.complaints[-1].reason == "the file contains no positions"


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("STS(v1.0) Undermine.001", "STS(v1.0) Undermine"),
        ("STS(v14.0) 7th Rank.100", "STS(v14.0) 7th Rank"),
        ("WAC.001", "WAC"),
        ("Position 1 ", "Position"),
        ("Hard-2020.001", "Hard-2020"),
        ("7", ""),
        ("", ""),
        ("a study", "a study"),
    ],
)
def test_themes(name: str, theme: str) -> None:
    assert theme_of(name) == theme


def test_without_a_theme_the_file_is_it() -> None:
    for tail in ("", "id 7;"):
        assert read_problem("a/b/kaufman.epd", 1, f"{START} bm e4; {tail}")[0].theme == "kaufman"


def test_the_same_id_twice_is_two_positions(tmp_path: Path) -> None:
    path = tmp_path / "x.epd"
    path.write_text(2 * f'{START} bm e4; id "x";\n')
    assert [problem.line for problem in read_suite([str(path)]).problems] == [1, 2]
