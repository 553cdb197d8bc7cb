"""A client of a session, with a puppet for an engine."""

import pytest

from helpers.puppet_session import Client


@pytest.fixture
def client() -> Client:
    return Client()
