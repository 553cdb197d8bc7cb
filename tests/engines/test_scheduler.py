"""The schedulers to which a connection is allowed, and the certificates needed."""

import argparse
import os
import ssl
from pathlib import Path

import pytest

from uci.apps.engines.certificates import make_certificates
from uci.apps.engines.scheduler import Scheduler, add_options, find_scheduler
from uci.cli.main import main
from uci.errors import UciError


def find(*words: str) -> Scheduler | None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    parser.add_argument("--jobs")
    return find_scheduler(parser.parse_args(words), "jobs")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("made") / "certificates"
    return [str(path) for path in make_certificates(folder, 1)]


def test_this_machine_and_those_with_certificates(made: list[str]) -> None:
    assert find() is None
    for address in "tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:8786":
        assert find("--scheduler", address) == Scheduler(address)
    away = "tcp://192.0.2.1:8786"
    assert find("--scheduler", away, "--insecure") == Scheduler(away)
    names = "--tls-ca", "--tls-cert", "--tls-key"
    words = [word for pair in zip(names, made, strict=True) for word in pair]
    address = "tls://192.0.2.1:8786"
    assert find("--scheduler", address, *words) == Scheduler(address, *made)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["tcp://192.0.2.1:8786"], "without encryption, anyone on the network can run"),
        (["tcp://no.such.host.invalid:1"], "no.such.host.invalid: "),
        (["tcp://a..b:1"], "a..b: not a valid host name"),
        ([f"tcp://{'a' * 64}:1"], "not a valid host name"),
        (["192.0.2.1:8786"], "192.0.2.1:8786: expected tls://HOST:PORT"),
        (["ucx://192.0.2.1:8786"], "expected tls://HOST:PORT"),
        (["tls://192.0.2.1"], "expected tls://HOST:PORT"),
        (
            ["tls://192.0.2.1:1", "--tls-ca", "x"],
            "--scheduler tls://... also requires --tls-cert, --tls-key",
        ),
        (
            ["tcp://127.0.0.1:1", "--tls-ca", "x"],
            "--scheduler tcp://... cannot be used with certificates",
        ),
        (["tcp://127.0.0.1:1", "--jobs", "2"], "--jobs cannot be used with --scheduler"),
    ],
)
def test_others_are_refused(words: list[str], reason: str) -> None:
    with pytest.raises(UciError) as error:
        find("--scheduler", *words)
    assert reason in str(error.value)


@pytest.mark.parametrize("word", ["--insecure", "--tls-key=x"])
def test_words_without_a_scheduler(word: str) -> None:
    with pytest.raises(UciError, match="requires --scheduler"):
        find(word)


def test_files_that_are_no_certificates(made: list[str], tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate")
    ca, cert, key = made
    for files, reason in (
        ([str(text), cert, key], ": not a certificate"),
        ([ca, str(text), key], "expected a certificate and its key"),
        ([ca, cert, cert], "expected a certificate and its key"),
        ([ca, ca, key], "expected a certificate and its key"),
        ([ca, cert, str(tmp_path / "missing")], ": No such file or directory"),
    ):
        words = [
            f"--tls-{name}={path}" for name, path in zip(("ca", "cert", "key"), files, strict=True)
        ]
        with pytest.raises(UciError) as error:
            find("--scheduler", "tls://192.0.2.1:1", *words)
        assert reason in str(error.value)


def test_the_command_makes_a_set_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "set"
    assert main(["certificates", str(folder), "--days", "2"]) == 0
    assert f"--tls-ca {folder / 'ca.pem'} --tls-cert" in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == ["ca.pem", "cert.pem", "key.pem"]
    context = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    if os.name == "posix":
        assert {path.stat().st_mode & 0o077 for path in [folder, *folder.iterdir()]} == {0}
    before = [path.read_bytes() for path in sorted(folder.iterdir())]
    for words, reason in (
        ([str(folder)], ": File exists"),
        ([str(tmp_path / "x"), "--days", "0"], "argument --days: 0: expected 1 to 36,500"),
        ([str(folder / "ca.pem" / "x")], "Not a directory"),
    ):
        assert main(["certificates", *words]) == 2
        assert reason in capsys.readouterr().err
    assert [path.read_bytes() for path in sorted(folder.iterdir())] == before
