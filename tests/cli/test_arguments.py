"""Arguments of commands, and the program in a process of its own."""

import argparse
from pathlib import Path

import pytest

from uci.apps.console.arguments import engine_option, integer, refuse_unused
from uci.apps.console.own_command import own_command, run_own_command
from uci.errors import UciError
from uci.protocol.commands import MAX_NUMBER


def test_integers() -> None:
    assert [integer(0, 5)(text) for text in ("0", "5")] == [0, 5]
    assert integer()("9" * 30) == MAX_NUMBER
    for text in ("-1", "6", "x", "", "1.5", "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match="expected 0 to 5"):
            integer(0, 5)(text)


def test_the_values_of_an_option() -> None:
    assert engine_option("Hash")("64") == 64
    with pytest.raises(argparse.ArgumentTypeError, match="Threads: 0 is out of range 1 to 1024"):
        engine_option("Threads")("0")


def test_zero_is_given_and_a_default_is_not() -> None:
    options = argparse.Namespace(task="x", run=None, seed=0, force=False, file="", engine=[])
    refuse_unused(options, "with --stats", {"seed"})
    with pytest.raises(UciError, match="--seed cannot be used with --stats"):
        refuse_unused(options, "with --stats", set())


@pytest.mark.slow
def test_our_own_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A package with our name in the working directory is not executed."""
    (tmp_path / "uci").mkdir()
    (tmp_path / "uci" / "__init__.py").write_text("print('planted')")
    monkeypatch.chdir(tmp_path)
    assert run_own_command("--version") == 0
    assert run_own_command("analyse", "missing.pgn") == 2
    out, err = capfd.readouterr()
    assert out.startswith("pythagoras ")
    assert err == "pythagoras: missing.pgn: No such file or directory\n"
    assert own_command("go")[-1] == "go"
