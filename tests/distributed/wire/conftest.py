"""A server of the test's own, and a folder for its sockets."""

import contextlib
import os
import tempfile
from pathlib import Path

import pytest

from tests.distributed.wire.unix_place import Place
from tinytf.distributed.wire import unix_paths


@pytest.fixture
def place():
    with contextlib.closing(Place()) as place:
        yield place


@pytest.fixture
def folder(monkeypatch):
    """Where the user's folder will be; paths of sockets are short."""
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as place:
        monkeypatch.setattr(unix_paths.tempfile, "gettempdir", lambda: place)
        yield Path(place, f"tinytf-{os.getuid()}")
