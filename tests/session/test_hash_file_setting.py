"""`Hash File`: when it is loaded, saved, kept and refused."""

from pathlib import Path

import pytest

from engine.evaluation.network import serialise
from helpers.networks import random_net
from helpers.puppet_session import Client
from uci.session.backend import Backend


def search(client: Client) -> None:
    client.say("go depth 1").until("bestmove")
    client.session.join()


def messages(client: Client) -> list[str]:
    """Return the messages since the last answer."""
    client.say("isready")
    lines = client.until("readyok")
    return [line.removeprefix("info string ") for line in lines if "info string" in line]


def test_it_is_saved_once_at_the_end(client: Client) -> None:
    client.run(b"setoption name Hash File value a\nsetoption name Hash File value a\nquit\n")
    assert client.engine.hash_files == ["load a"], "nothing was searched"
    assert messages(client) == ["loaded hash file a: 1,234 entries"]
    search(client)
    client.run(b"quit\n")
    client.session.close()
    assert client.engine.hash_files == ["load a", "save a"]
    assert messages(client) == ["saved hash file a: 1,234 entries"]


@pytest.mark.parametrize("end", [b"quit\n", b""])
def test_the_end_during_a_search(client: Client, end: bytes) -> None:
    client.run(b"go infinite\nsetoption name Hash File value new\n" + end)
    assert client.engine.hash_files == ["load new", "save new"]
    assert "hash file new does not exist yet; quit creates it" in messages(client)


def test_the_end_before_another_value_is_applied(client: Client) -> None:
    client.say("setoption name Hash File value a", "go infinite").until("info depth 2")
    client.run(b"setoption name Hash File value <empty>\nquit\n")
    assert client.engine.hash_files == ["load a", "save a"]


def test_a_new_game_keeps_the_table_of_a_file(client: Client) -> None:
    client.say("setoption name Hash File value a")
    search(client)
    client.say("ucinewgame")
    assert client.engine.cleared == 0
    client.say("setoption name Clear Hash")
    assert client.engine.cleared == 1
    client.run(b"quit\n")
    assert client.engine.hash_files == ["load a"], "an empty table replaces no file"
    client.say("setoption name Hash File value")
    search(client)
    client.say("ucinewgame")
    assert client.engine.cleared == 2


def test_clear_hash_clears_a_loaded_table(client: Client) -> None:
    client.say("setoption name Hash File value a", "setoption name Clear Hash")
    assert client.engine.cleared == 1


@pytest.mark.parametrize("setting", ["Hash value {}", "Threads value {}", "EvalFile value {}"])
def test_settings_that_empty_the_table_load_it_again(client: Client, setting: str) -> None:
    client.say("setoption name Hash File value a", f"setoption name {setting.format(2)}")
    assert client.engine.hash_files == ["load a", "load a"]
    search(client)
    client.say(*(f"setoption name {setting.format(number)}" for number in (2, 3)))
    assert client.engine.hash_files == ["load a", "load a", "save a", "load a"]


def test_another_file(client: Client) -> None:
    """What was searched goes to the old file, and then to the new one if it does not exist yet."""
    client.say("setoption name Hash File value a")
    search(client)
    client.say("setoption name Hash File value b", "setoption name Hash File value new")
    client.run(b"quit\n")
    assert client.engine.hash_files == ["load a", "save a", "load b", "load new", "save new"]


def test_a_file_that_does_not_fit(client: Client) -> None:
    client.say("setoption name Hash File value bad")
    reason = "bad checksum: the file is damaged"
    assert messages(client) == [f"could not load hash file bad: {reason}"]
    search(client)
    client.run(b"quit\n")
    assert client.engine.hash_files == [], "it is never overwritten"
    client.say("setoption name Hash File value full", "setoption name Hash File value bad")
    search(client)
    client.run(b"quit\n")
    assert client.session.options.text("Hash File") == "full"
    said = messages(client)
    assert said[-1] == "could not save hash file full: No space left on device"


def test_save_hash(client: Client) -> None:
    client.say("setoption name Save Hash")
    assert messages(client) == ["Save Hash: set Hash File first"]
    client.say("setoption name Hash File value a", "go infinite").until("info depth 2")
    client.say("setoption name Save Hash")
    assert client.engine.hash_files == ["load a"]
    client.say("stop").until("bestmove")
    client.session.join()
    client.say("isready").until("readyok")
    assert client.engine.hash_files == ["load a", "save a"]


def test_the_real_engine(real_client: Client, kernels: Backend, tmp_path: Path) -> None:
    """It finds in the file what it has searched, in a table of any size, and by any spelling."""
    path = tmp_path / "a b.hash"
    client = real_client
    client.say(f"setoption name Hash File value {tmp_path / 'missing' / 'a'}")
    assert "could not load hash file" in messages(client)[-1]
    client.say(f"setoption name Hash File value  '{path}' ", "go depth 8").until("bestmove")
    client.session.join()
    client.say("setoption name Save Hash")
    client.say("setoption name Clear Hash", "setoption name Hash value 2")
    count = messages(client)[-1].split()[-2]
    assert messages(client) == []
    assert kernels.load_hash(str(path)) == (path, int(count.replace(",", "")))
    net = tmp_path / "other.nnue"
    net.write_bytes(serialise(random_net(9)))
    before = path.read_bytes()
    client.say(f"setoption name EvalFile value {net}")
    assert "it was made with the evaluation" in messages(client)[-1]
    search(client)
    client.run(b"quit\n")
    assert path.read_bytes() == before
    client.say("setoption name EvalFile value")
