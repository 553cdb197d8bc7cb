"""Published distributions: checks of an installed engine, and refusals before a build."""

from pathlib import Path

import pytest

from helpers.fake_managers import posix, write_program
from scripts.release import distributions
from scripts.release.distributions import CONVERSATION, Unusable, main, try_out
from uci import __version__

ENGINE = f"""
import sys
match sys.argv[1:]:
    case ["--version"]: print("Pythagoras {__version__}")
    case ["bench", _]: print("info depth 4\\n12345 nodes 678 nps")
    case ["doctor"]: print("Installation OK.")
    case []:
        assert sys.stdin.read() == {CONVERSATION!r}
        print("uciok\\nreadyok\\nbestmove e7e5")
"""


@posix
def test_an_engine_that_works(tmp_path: Path) -> None:
    assert try_out([str(write_program(tmp_path / "engine", ENGINE))], tmp_path / "home") == 12345


@posix
@pytest.mark.parametrize(
    ("sound", "broken", "reason"),
    [
        (__version__, "0.0.0", "in:\nPythagoras 0.0.0"),
        ("12345 nodes", "no nodes", r"nodes \\d\+ nps\$ in"),
        ("bestmove e7e5", "bestmove (none)", "no .*bestmove"),
        ('print("Installation OK.")', "sys.exit(1)", "doctor.*status 1"),
        ("import sys", "import sys; print('hm', file=sys.stderr)", "hm"),
    ],
)
def test_an_engine_that_does_not(sound: str, broken: str, reason: str, tmp_path: Path) -> None:
    engine = write_program(tmp_path / "engine", ENGINE.replace(sound, broken))
    with pytest.raises(Unusable, match=reason):
        try_out([str(engine)], tmp_path / "home")


def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(distributions, "build", lambda folder: pytest.fail("it was built"))
    for words, reason in (
        ([str(tmp_path / "new"), "--tag", "v0.0.0"], f"does not match version {__version__}"),
        ([str(tmp_path)], "is not empty: run make clean"),
    ):
        (tmp_path / "old").touch()
        with pytest.raises(SystemExit, match="2"):
            main(words)
        assert reason in capsys.readouterr().err


def test_all_must_count_the_same_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = iter([1, 1, 1, 2])
    monkeypatch.setattr(distributions, "build", lambda folder: [folder / "a", folder / "b"])
    monkeypatch.setattr(distributions, "install", lambda file, place: [file.name])
    monkeypatch.setattr(distributions, "try_out", lambda command, home: next(nodes))
    assert main([str(tmp_path / "one")]) == 0
    assert main([str(tmp_path / "two")]) == 1
