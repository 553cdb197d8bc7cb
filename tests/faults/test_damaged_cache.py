"""Damage to the whole cache: each start plays, reports that it compiles, and repairs the cache."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.jit import cache
from helpers.faults import COLD, plays, strings, whole_engine
from helpers.processes import environment, start
from helpers.tiny_engine import tiny_engine

CHEAP = "engine.board.makemove.unmake"
"""The entry point that compiles in a moment: in the short form only its file is damaged."""

COMPILING = "compiling search, evaluation and move generation for this machine"

Damage = Callable[[bytes, random.Random], bytes]


def emptied(data: bytes, rng: random.Random) -> bytes:
    return b""


def halved(data: bytes, rng: random.Random) -> bytes:
    return data[: len(data) // 2]


def zeroed(data: bytes, rng: random.Random) -> bytes:
    return bytes(len(data))


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Flip a byte at random."""
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :]


def copied(folder: Path, home: Path) -> Path:
    """Copy a cache into another home; return its folder there."""
    to = home / "pythagoras" / folder.name
    shutil.copytree(folder, to)
    for path in (to.parent, to):
        path.chmod(0o700)
    return to


@pytest.fixture(scope="session")
def sound(warm: Path) -> Path:
    """Return the complete cache folder of this machine."""
    folder = cache.folder()
    assert folder is not None
    assert (folder / "complete").exists()
    return folder


def starts(root: Path) -> list[str]:
    """Start the engine and play with its kernels; return its messages about compiling."""
    with whole_engine(root) as engine:
        lines = strings(engine.say("uci", "perft 3").until("8902"))
        assert not plays(engine, "go depth 6")
    return [line for line in lines if "compil" in line]


def damage_and_start(how: Damage, root: Path, folder: Path, names: list[str], seed: int) -> None:
    """Damage the files, and start twice: the first start repairs them."""
    rng = random.Random(seed)
    for name in names:
        (file,) = folder.glob(name)
        before = file.read_bytes()
        file.write_bytes(how(before, rng))
        assert file.read_bytes() != before
    first, *more = starts(root)
    assert first.startswith(COMPILING)
    assert not more
    assert starts(root) == []
    assert not list(folder.glob("*.draft"))


def short(how: Damage, root: Path, sound: Path, home: Path, seed: int) -> None:
    folder = copied(sound, home)
    damage_and_start(how, root, folder, [f"{CHEAP}-*.code", "complete"], seed)


@pytest.mark.external
def test_an_emptied_cache(root: Path, sound: Path, home: Path, seed: int) -> None:
    short(emptied, root, sound, home, seed)


@pytest.mark.external
def test_a_halved_cache(root: Path, sound: Path, home: Path, seed: int) -> None:
    folder = copied(sound, home)
    damage_and_start(halved, root, folder, [f"{CHEAP}-*.code"], seed)


@pytest.mark.external
def test_a_zeroed_cache(root: Path, sound: Path, home: Path, seed: int) -> None:
    short(zeroed, root, sound, home, seed)


@pytest.mark.external
def test_a_cache_with_a_flipped_byte(root: Path, sound: Path, home: Path, seed: int) -> None:
    folder = copied(sound, home)
    damage_and_start(flipped, root, folder, [f"{CHEAP}-*.code"], seed)


@pytest.mark.external
def test_a_list_of_the_cache_with_a_flipped_bit(
    root: Path, sound: Path, home: Path, seed: int
) -> None:
    """A list with a flipped bit may not even be valid text."""
    folder = copied(sound, home)

    def no_text(data: bytes, rng: random.Random) -> bytes:
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] | 0x80]) + data[at + 1 :]

    damage_and_start(no_text, root, folder, ["complete"], seed)


@pytest.mark.external
def test_code_of_another_version_in_its_place(
    root: Path, tmp_path: Path, sound: Path, home: Path, seed: int
) -> None:
    """Valid code under the right name, but of another engine or another function, is not loaded."""
    other = tiny_engine(root, tmp_path / "other", comment="another version")
    process = start(other, "import engine.tiny", environment(home))
    theirs = Path(json.loads(process.communicate(timeout=COLD)[0])["folder"])
    (code,) = theirs.glob("*.code")
    twin = tiny_engine(root, tmp_path / "twin", comment="a twin")
    process = start(twin, "import engine.tiny", environment(home))
    ours = Path(json.loads(process.communicate(timeout=COLD)[0])["folder"])
    assert ours != theirs
    shutil.copy(code, ours / code.name)
    process = start(twin, "import engine.tiny", environment(home))
    assert json.loads(process.communicate(timeout=COLD)[0])["compiled"] == 1
    folder = copied(sound, home)
    (make,) = folder.glob("engine.board.makemove.make-*.code")
    damage_and_start(lambda data, rng: make.read_bytes(), root, folder, [f"{CHEAP}-*.code"], seed)


@pytest.mark.long
@pytest.mark.parametrize("how", [emptied, halved, zeroed, flipped])
def test_every_file_damaged(how: Damage, root: Path, sound: Path, home: Path, seed: int) -> None:
    folder = copied(sound, home)
    names = [path.name for path in folder.iterdir() if path.stat().st_size]
    assert len(names) > 5
    damage_and_start(how, root, folder, names, seed)


@pytest.mark.long
def test_every_file_in_anothers_place(root: Path, sound: Path, home: Path, seed: int) -> None:
    folder = copied(sound, home)
    files = sorted(folder.glob("*.code"))
    content = [file.read_bytes() for file in files]
    turned = iter([*content[1:], content[0]])
    damage_and_start(
        lambda data, rng: next(turned), root, folder, [file.name for file in files], seed
    )


@pytest.mark.external
def test_six_cold_starts_at_once(root: Path, tmp_path: Path, home: Path) -> None:
    package = tiny_engine(root, tmp_path / "one")
    processes = [start(package, "import engine.tiny", environment(home)) for _ in range(6)]
    reports = [json.loads(process.communicate(timeout=COLD)[0]) for process in processes]
    assert sorted(report["compiled"] for report in reports) == [0, 0, 0, 0, 0, 1]
    assert {report["answer"] for report in reports} == {42}


@pytest.mark.long
def test_six_cold_starts_of_the_whole_engine(root: Path, home: Path) -> None:
    """All six play at once; only one compiles, so nothing is stored twice."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        engines = [stack.enter_context(whole_engine(root)) for _ in range(6)]
        for engine in engines:
            plays(engine, "uci", "go movetime 100")
        for engine in engines:
            engine.say("perft 3").until("8902")
            assert not plays(engine, "go depth 6")
        files = list(home.rglob("*.code"))
        assert len(files) > 5
        times = {file: file.stat().st_mtime_ns for file in files}
    assert starts(root) == []
    assert {file: file.stat().st_mtime_ns for file in home.rglob("*.code")} == times
