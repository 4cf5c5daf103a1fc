"""Tensors as a restore takes them: in memory of their own, large ones at the same time."""

import mmap
import resource
import sys
import threading

import numpy as np
import pytest

from tinytf.framework import dtypes, errors
from tinytf.resources.checkpoint_files import bundle, contents, reader, v1
from tinytf.resources.checkpoint_files.slices import parse
from tinytf.resources.variable import own

NAMES = [f"v{number}" for number in range(4)]


@pytest.fixture
def saved(tmp_path):
    """The prefix of a checkpoint of four tensors, of which each is full of its number."""
    values = [np.full((2, 3), number, np.float32) for number in range(len(NAMES))]
    tensors = zip(NAMES, values, strict=True)
    prefix = str(tmp_path / "saved")
    bundle.write_bundle(prefix, [(n.encode(), None, v, dtypes.float32) for n, v in tensors])
    return prefix


def read_all(prefix, names=NAMES):
    return v1.open_checkpoint(prefix).read_all([(name, None) for name in names])


@pytest.mark.parametrize("most", [reader._LARGE, 0])
def test_a_variable_takes_over_what_was_read(saved, monkeypatch, most):
    monkeypatch.setattr(reader, "_LARGE", most)
    for number, value in enumerate(read_all(saved)):
        assert own(value) is value  # and not a copy
        assert value.tolist() == [[number] * 3] * 2


@pytest.mark.skipif(sys.platform != "linux", reason="pages are the system's affair")
def test_a_large_array_has_pages_of_the_usual_size():
    value = contents.fresh([contents._FROM_SYSTEM // 8, 3], np.float32)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    value.fill(1.0)
    pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    assert pages > 0.9 * value.nbytes / mmap.PAGESIZE
    assert own(value) is value


def test_a_slice_is_taken_over_as_it_was_saved(tmp_path):
    halves = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    specs = "4 3 0,2:-", "4 3 2,2:-"
    tensors = [
        (b"w", parse(spec), half, dtypes.float32) for spec, half in zip(specs, halves, strict=True)
    ]
    bundle.write_bundle(str(tmp_path / "saved"), tensors)
    opened = v1.open_checkpoint(str(tmp_path / "saved"))
    for spec, half in zip((*specs, "4 3 2,2:0,3"), (*halves, halves[1]), strict=True):
        value = opened.read("w", parse(spec))
        assert own(value) is value
        assert value.tolist() == half.tolist()
    assert opened.read("w", parse("4 3 1,2:-")).tolist() == [[3, 4, 5], [6, 7, 8]]
    assert opened.read("w").tolist() == halves.reshape(4, 3).tolist()


def test_large_tensors_are_read_at_the_same_time(saved, monkeypatch):
    meeting = threading.Barrier(len(NAMES), timeout=60)
    read = bundle.BundleReader._read_piece

    def together(self, *where):
        meeting.wait()  # breaks, unless all are there
        return read(self, *where)

    monkeypatch.setattr(bundle.BundleReader, "_read_piece", together)
    monkeypatch.setattr(reader, "_LARGE", 0)
    assert [value[0, 0] for value in read_all(saved)] == [0, 1, 2, 3]


def test_small_tensors_are_read_by_who_asks(saved, monkeypatch):
    threads = {}
    read = bundle.BundleReader._read_piece

    def noted(self, name, *where):
        threads[name] = threading.current_thread()
        return read(self, name, *where)

    monkeypatch.setattr(bundle.BundleReader, "_read_piece", noted)
    read_all(saved)
    assert set(threads.values()) == {threading.current_thread()}


@pytest.mark.parametrize("most", [reader._LARGE, 0])
def test_the_first_damaged_tensor_is_named(saved, monkeypatch, most):
    monkeypatch.setattr(reader, "_LARGE", most)
    path = f"{saved}.data-00000-of-00001"
    with open(path, "r+b") as file:
        for number in (1, 3):
            file.seek(number * 24)
            file.write(b"\x01")
    with pytest.raises(errors.DataLossError, match="the tensor v1: Checksum does not match"):
        read_all(saved)
    with pytest.raises(errors.DataLossError, match="the tensor v3: Checksum does not match"):
        read_all(saved, NAMES[::-1])
    assert read_all(saved, ["v0", "v2"])[1].tolist() == [[2] * 3] * 2
