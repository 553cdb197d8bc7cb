"""Fixtures: clients of a session, with a puppet engine and with the real one."""

from collections.abc import Iterator

import pytest

from helpers.puppet_session import Client
from uci.session.backend import Backend, load


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture(scope="module")
def kernels() -> Backend:
    return load(lambda text: None)


@pytest.fixture
def real_client(kernels: Backend) -> Iterator[Client]:
    kernels.searcher.use_threads(1)  # the session expects them to be new
    kernels.searcher.clear()
    client = Client(lambda notice: kernels)
    client.say("setoption name Hash value 1")
    yield client
    client.say("stop")
    client.session.join()
