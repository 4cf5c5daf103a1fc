"""The limit of BLAS's threads: for the process, counted, restored."""

import subprocess
import sys
import threading

import pytest

from tests.runtime.blas_library import Library
from tinytf.runtime import blas


class Owner:
    """Whoever asks for a limit."""


@pytest.fixture
def libraries(monkeypatch):
    found = [Library(8), Library(2)]
    monkeypatch.setattr(blas, "_libraries", found)
    return found


def now(libraries):
    return [library.threads for library in libraries]


def test_a_limit_holds_for_all_libraries_and_ends(libraries):
    with blas.limit(1):
        assert now(libraries) == [1, 1]
        assert blas.threads_now() == 1
    assert now(libraries) == [8, 2]
    assert blas.threads_now() == 8


def test_the_smallest_limit_holds_and_nothing_is_raised(libraries):
    with blas.limit(4):
        assert now(libraries) == [4, 2]
        with blas.limit(1):
            assert now(libraries) == [1, 1]
            with blas.limit(3):
                assert now(libraries) == [1, 1]
        assert now(libraries) == [4, 2]
    assert now(libraries) == [8, 2]


def test_limits_end_in_any_order(libraries):
    first, second = Owner(), Owner()
    blas.acquire(1, first)
    blas.acquire(3, second)
    blas.release(first)
    assert now(libraries) == [3, 2]
    blas.release(second)
    assert now(libraries) == [8, 2]


def test_a_nested_limit_that_changes_nothing_asks_no_library(libraries):
    with blas.limit(1):
        before = [library.changes for library in libraries]
        with blas.limit(1), blas.limit(2):
            pass
        assert [library.changes for library in libraries] == before


def test_what_somebody_else_set_before_is_what_is_restored(libraries):
    libraries[0].threads = 5
    with blas.limit(1):
        pass
    assert now(libraries) == [5, 2]


def test_a_limit_ends_with_an_error(libraries):
    with pytest.raises(KeyError), blas.limit(1):
        raise KeyError
    assert now(libraries) == [8, 2]


def test_from_many_threads_at_once(libraries):
    inside = threading.Barrier(8)

    def work():
        for _ in range(50):
            with blas.limit(1):
                inside.wait()  # all eight hold it now
                assert now(libraries) == [1, 1]
                inside.wait()

    failed = []

    def run():
        try:
            work()
        except BaseException as error:
            failed.append(error)
            inside.abort()

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert now(libraries) == [8, 2]


@pytest.mark.parametrize("threads", [0, -1])
def test_a_limit_below_one(threads):
    with pytest.raises(ValueError, match=f"at least 1 thread. Got a limit of {threads}"):
        blas.acquire(threads, Owner())


def test_releasing_what_was_not_taken_changes_nothing(libraries):
    with blas.limit(1):
        blas.release(Owner())
        assert now(libraries) == [1, 1]
    assert now(libraries) == [8, 2]


def test_without_a_library(monkeypatch):
    monkeypatch.setattr(blas, "_libraries", [])
    with blas.limit(1):
        assert blas.threads_now() is None
    assert not blas.has_switch()


def test_the_library_that_numpy_has():
    # In another process, where nobody else has a limit; and where nothing was looked for yet.
    code = """
import sys
import tinytf as tf
from tinytf.runtime import blas
assert "threadpoolctl" not in sys.modules
before = blas.threads_now()
with blas.limit(1):
    print(blas.threads_now() in (1, None), blas.has_switch() == (before is not None))
print(blas.threads_now() == before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]
