"""Telling malloc to keep what is freed."""

import pytest

from tinytf.runtime import memory


@pytest.mark.parametrize("name", ["MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"])
def test_who_sets_mallocs_own_variables_decides(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    assert memory.keep_freed_memory.__wrapped__() is False


def test_another_malloc_is_left_alone(monkeypatch):
    for name in memory._SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert memory.keep_freed_memory.__wrapped__() is False


def test_both_thresholds_are_set(monkeypatch):
    for name in memory._SETTINGS:
        monkeypatch.delenv(name, raising=False)
    calls = []

    class Library:
        def mallopt(self, parameter, value):
            calls.append((parameter, value))
            return 1

    monkeypatch.setattr("ctypes.CDLL", lambda name: Library())
    assert memory.keep_freed_memory.__wrapped__() is True
    assert calls == [(-3, 64 << 20), (-1, 256 << 20)]
