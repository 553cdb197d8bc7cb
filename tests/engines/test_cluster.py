"""Real clusters on the loopback give the same results as one machine, even if processes die."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation import network
from engine.jit.kernel import COMPILED
from helpers.client import ENVIRONMENT, PYTHAGORAS
from helpers.clusters import copy_sources, dask_options, our_options
from helpers.command import call
from helpers.dask_processes import PRELOAD, DaskProcesses, dask_processes
from helpers.faults import COLD
from helpers.networks import random_net
from helpers.pgn_corpus import build, good
from helpers.pgn_games import random_game
from uci.apps.engines.certificates import make_certificates
from uci.apps.engines.dask_workers import DaskWorkers
from uci.apps.engines.executor import TaskLost
from uci.apps.engines.scheduler import Scheduler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="the engine is to be quick"),
    pytest.mark.skipif(os.name != "posix", reason="kills"),
]

RESULTS = "games.analysed.pgn", "games.analysis.json", "games.html"
QUICK = "--nodes", "2000", "--hash", "1"
SUITE = """6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id "Mates.001";
7k/8/5K2/6Q1/8/8/8/8 w - - dm 1; id "Mates.002";
4k3/8/8/3q4/8/2N5/8/4K3 w - - bm Ke2; c0 "Nxd5=3, Ke2=10"; id "Points.2";
"""


@pytest.fixture(scope="module")
def cluster(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    """Yield a cluster of two workers, without TLS."""
    with dask_processes(warm, tmp_path_factory.mktemp("plain") / "cluster") as it:
        yield it


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates") / "own"
    make_certificates(folder, 1)
    return folder


def write_games(folder: Path, games: int) -> Path:
    dice = random.Random(1)
    folder.mkdir()
    samples = [good("game", random_game(dice, dice.randrange(6, 30))) for _ in range(games)]
    path = folder / "games.pgn"
    path.write_bytes(build(path.name, samples).data)
    return path


def written(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in RESULTS]


def alone(path: Path, *words: str) -> list[bytes]:
    """Return the output of one process on this machine."""
    folder = path.parent / "alone"
    assert call("analyse", path, *QUICK, *words, "--jobs", 1, "-o", folder, "--quiet") == 0
    return written(folder)


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PYTHAGORAS, *map(str, words)], env=ENVIRONMENT, text=True, stderr=subprocess.PIPE
    )


def wait_for_records(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    deadline = time.monotonic() + COLD
    while len(list(folder.glob("games.analysis.part/records/*.json"))) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_all_commands_give_the_same_bytes(
    cluster: DaskProcesses, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = "--scheduler", cluster.address
    path = write_games(tmp_path / "games", 12)
    assert call("analyse", path, *QUICK, *where) == 0
    said = capsys.readouterr().err
    assert written(path.parent) == alone(path)
    assert "12 analysed" in said
    assert "127.0.0.1: 2 workers at " in said

    suite, one, two = (tmp_path / name for name in ("own.epd", "one.json", "two.json"))
    suite.write_text(SUITE)
    assert call("epd", suite, "--nodes", 3000, "--json", one, "--quiet") == 0
    assert call("epd", suite, "--nodes", 3000, "--json", two, "--quiet", *where) == 0
    assert untimed(one) == untimed(two)

    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    words = "--nodes", 10_000, "--quiet"  # batches of 50
    suite.write_text(SUITE * 40)
    assert call("scores", suite, *words, "--jobs", 1, "-o", one) == 0
    assert call("scores", suite, *words, *where, "-o", two) == 0
    assert one.read_bytes() == two.read_bytes()

    here, there = tmp_path / "here", tmp_path / "there"
    for games in 40, 70:  # begun, and continued
        words = "--games", games, "--nodes", 50
        assert call("datagen", here, *words, "--threads", 1) == 0
        assert call("datagen", there, *words, *where) == 0
        assert there.read_bytes() == here.read_bytes()


def untimed(path: Path) -> object:
    document = json.loads(path.read_text())
    for position in document["positions"]:
        for outcome in position["outcomes"]:
            del outcome["time"], outcome["spent"]
    return document


def test_ctrl_c_stops_what_runs(cluster: DaskProcesses, tmp_path: Path) -> None:
    """Ctrl-C frees the workers at once, although each position would take forever."""
    path = write_games(tmp_path / "games", 3)
    where = "--scheduler", cluster.address
    endless = start("analyse", path, "--nodes", 10**12, *where)
    workers = DaskWorkers(Scheduler(cluster.address), print)
    with workers, endless:
        deadline = time.monotonic() + COLD
        while not all(workers._client.processing().values()):
            assert endless.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        endless.send_signal(signal.SIGINT)
        _, said = endless.communicate(timeout=COLD)
        assert endless.returncode == 130
        assert said.splitlines()[-1] == "stopped; nothing was saved to resume from"
        assert "Traceback" not in said
        assert [workers.submit(abs, -n).result(COLD) for n in range(4)] == [0, 1, 2, 3]


def test_a_scheduler_keeps_no_notes_of_tasks(cluster: DaskProcesses) -> None:
    def notes(dask_scheduler: Any) -> int:
        spans = dask_scheduler.extensions["spans"].spans.values()
        return sum(len(span._metadata["collections"]) for span in spans if span._metadata)

    with DaskWorkers(Scheduler(cluster.address), print) as workers:
        for number in range(20):
            assert workers.submit(abs, -number).result(COLD) == number
            if before := workers._client.run_on_scheduler(notes):
                break
        assert before
        deadline = time.monotonic() + COLD
        while workers._client.run_on_scheduler(notes):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_strangers_get_no_work(
    cluster: DaskProcesses, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker with another network, or one that does not report its engine, gets no tasks."""
    other = copy_sources(cluster.root, tmp_path / "other")
    nets = other / "engine" / "evaluation" / "nets"
    (nets / network.DEFAULT).write_bytes(network.serialise(random_net(1)))
    before = len(cluster.processes)
    try:
        cluster.work(*PRELOAD, sources=other, NUMBA_DISABLE_JIT="1")
        cluster.work()
        path = write_games(tmp_path / "games", 4)
        with DaskWorkers(Scheduler(cluster.address), print) as workers:
            deadline = time.monotonic() + COLD
            while len(workers._client.nthreads()) < 4:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert call("analyse", path, *QUICK, "--scheduler", cluster.address) == 0
    finally:
        for process in cluster.processes[before:]:
            process.kill()
            process.wait()
    said = capsys.readouterr().err
    assert said.count(" gets no tasks: network ") == 1
    assert said.count("started without --preload uci.apps.engines.preload") == 1
    assert "127.0.0.1: 2 workers at " in said
    assert written(path.parent) == alone(path)


def test_with_certificates_and_from_another_path(
    warm: Path, certificates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same sources at another path count as the same engine, even if not compiled yet.

    At the end a task crashes the worker, and is given up.
    """
    make_certificates(tmp_path / "strange", 1)
    elsewhere = copy_sources(warm, tmp_path / "elsewhere")
    few = "--nodes", "10", "--games", "1"
    path = write_games(tmp_path / "games", 2)
    tls = dask_options(certificates)
    allowed = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with dask_processes(warm, tmp_path / "cluster", tls, workers=0, **allowed) as cluster:
        cluster.work(*PRELOAD, sources=elsewhere, NUMBA_DISABLE_JIT="1")
        cluster.wait_for_workers(1)
        assert cluster.address.startswith("tls://127.0.0.1:")
        words = "analyse", path, "--hash", 1, *few, "--scheduler", cluster.address
        assert call(*words, *our_options(tmp_path / "strange")) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"pythagoras: could not connect to {cluster.address}: ")
        assert said.count("\n") == 1
        plain = cluster.address.replace("tls://", "tcp://")
        assert call("analyse", path, "--scheduler", plain) == 2
        assert "could not connect to" in capsys.readouterr().err
        assert call(*words, *our_options(certificates)) == 0
        ours = (str(certificates / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        with DaskWorkers(Scheduler(cluster.address, *ours), print) as workers:
            killer = workers.submit(os._exit, 1)
            with pytest.raises(TaskLost, match="it crashed 1 workers"):
                killer.result(COLD)
    assert written(path.parent) == alone(path, *few)


@pytest.mark.external
def test_a_worker_and_then_the_scheduler_are_killed(warm: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "games", 20)
    with dask_processes(warm, tmp_path / "cluster") as cluster:
        process = start("analyse", path, *QUICK, "--scheduler", cluster.address)
        with process:
            wait_for_records(process, path.parent, 2)
            cluster.processes[1].kill()
            wait_for_records(process, path.parent, 6)
            cluster.processes[0].kill()
            _, said = process.communicate(timeout=COLD)
        assert process.returncode == 2
        assert said.splitlines()[-1] == (
            f"pythagoras: lost the connection to {cluster.address}; finished work is saved"
        )
        assert "Traceback" not in said
    again = start("analyse", path, *QUICK, "--jobs", 1)
    _, said = again.communicate(timeout=COLD)
    assert again.returncode == 0
    assert "resuming, " in said
    assert written(path.parent) == alone(path)
