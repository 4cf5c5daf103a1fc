"""Whatever happens while a checkpoint is written: the one before is whole, and nothing is left."""

import builtins
import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.oracle.environment import ROOT
from tinytf.framework import dtypes, errors
from tinytf.resources.checkpoint_files import bundle, v1

PROGRAM = Path(__file__).with_name("crash_program.py")


def save(prefix, value, size=1000):
    content = np.full(size, value, np.float32)
    bundle.write_bundle(str(prefix), [(b"v", None, content, dtypes.float32)])


def saved(prefix):
    [value] = set(v1.open_checkpoint(str(prefix)).read("v").tolist())
    return value


def test_a_process_that_ends_in_the_middle(tmp_path):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for parts, seen in json.loads(done.stdout).items():
        assert seen == sorted(seen), (parts, seen)  # the old one, and from some call on the new
        assert seen[0] == 1
        assert seen[-1] == 2
        assert len(seen) > 6


class Full:
    """Every call of a function fails, as on a full disk, from the n-th on."""

    def __init__(self, function, count):
        self.function, self.left = function, count

    def __call__(self, *args, **kwargs):
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.function(*args, **kwargs)


@pytest.mark.parametrize(
    ("module", "name", "count"),
    [(os, "fsync", 0), (os, "fsync", 1), (os, "replace", 0), (os, "replace", 1)],
)
def test_a_full_disk(tmp_path, monkeypatch, module, name, count):
    prefix = tmp_path / "model"
    save(prefix, 1)
    before = sorted(path.name for path in tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(module, name, Full(getattr(module, name), count))
        with pytest.raises(errors.ResourceExhaustedError, match="No space left on device"):
            save(prefix, 2)
    assert saved(prefix) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_disk_that_is_full_from_the_start(tmp_path, monkeypatch):
    real = builtins.open

    def open_on_full_disk(path, mode="r", *args, **kwargs):
        return real("/dev/full" if "x" in mode else path, mode.replace("x", "w"), *args, **kwargs)

    save(tmp_path / "model", 1)
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", open_on_full_disk)
        with pytest.raises(errors.ResourceExhaustedError, match=r"model\.temp.*No space left"):
            save(tmp_path / "model", 2, size=1_000_000)
    assert saved(tmp_path / "model") == 1


def test_saving_again_and_again_leaves_two_files_of_data_at_most(tmp_path):
    for value in range(5):
        save(tmp_path / "model", value)
        assert saved(tmp_path / "model") == value
    assert len(list(tmp_path.glob("model.*"))) <= 3


def test_programs_that_save_under_one_name(tmp_path):
    """One of them is there in the end, whole, and nobody ever reads a mixture."""
    failures = []

    def saving(value):
        try:
            for _ in range(30):
                save(tmp_path / "model", value)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=saving, args=(value,)) for value in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert saved(tmp_path / "model") in (1, 2, 3)
    assert len(list(tmp_path.glob("model.*"))) <= 3
