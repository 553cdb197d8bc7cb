"""The values of options, and the files that they name."""

from pathlib import Path

import pytest

from engine.evaluation.network import serialise
from helpers.networks import random_net
from helpers.syzygy import FOLDER
from uci.apps.doctor.check_options import option_check


@pytest.mark.parametrize(
    ("name", "good", "found", "bad"),
    [
        ("Book File", "book.bin", "book.bin", "none"),
        ("EvalFile", "net", "a network, ", "text"),
        ("Debug Log File", "log", "log", "none/log"),
        ("SyzygyPath", "", "", "empty"),
    ],
)
def test_files(
    name: str, good: str, found: str, bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no book, no network")
    (tmp_path / "book.bin").write_bytes(bytes(16))
    (tmp_path / "net").write_bytes(serialise(random_net(1)))
    monkeypatch.chdir(tmp_path)
    result = option_check(name, good).run()
    assert (result.name, result.status) == (name, "ok")
    assert result.found.startswith(found)
    result = option_check(name, bad).run()
    assert (result.name, result.status) == (name, "wrong")
    assert result.fix


@pytest.mark.parametrize(
    ("name", "value", "status", "found"),
    [
        ("Hash", "64", "ok", "64"),
        ("Hash", "much", "wrong", "option Hash: much is not a number"),
        ("SyzygyPath", "<empty>", "ok", ""),  # as chess programs write it
        ("Nonsense", "1", "wrong", "unknown option: Nonsense"),
    ],
)
def test_values(name: str, value: str, status: str, found: str) -> None:
    result = option_check(name, value).run()
    assert (result.status, result.found) == (status, found)


def test_checksums_of_tables(tmp_path: Path) -> None:
    """One changed bit in a block is found."""
    for file in Path(FOLDER).glob("KPvK.rtb?"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    check = option_check("SyzygyPath", str(tmp_path))
    assert check.run().status == "ok"
    data = bytearray((tmp_path / "KPvK.rtbw").read_bytes())
    data[-100] ^= 1
    (tmp_path / "KPvK.rtbw").write_bytes(data)
    result = check.run()
    assert (result.status, result.found) == ("wrong", "wrong checksum: KPvK.rtbw")
    assert result.fix == "download again"
