"""Files are written at one stroke, and errors of the file system are TensorFlow's."""

import os
import stat

import pytest

from tinytf.framework import errors, files


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path):
    path = tmp_path / "file"
    files.write_file(path, b"old")
    usual = tmp_path / "usual"
    usual.write_bytes(b"")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    files.write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["file", "usual"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    files.write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_what_was_there_stays_if_writing_fails(tmp_path, monkeypatch):
    path = tmp_path / "file"
    files.write_file(path, b"old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(errors.ResourceExhaustedError, match="file; No space left on device"):
        files.write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (2, errors.NotFoundError),
        (13, errors.PermissionDeniedError),
        (17, errors.AlreadyExistsError),
        (28, errors.ResourceExhaustedError),
        (5, errors.UnknownError),
    ],
)
def test_errors_have_tensorflows_classes(number, kind):
    error = files.as_op_error(OSError(number, os.strerror(number)), "path")
    assert type(error) is kind
    assert error.message == f"path; {os.strerror(number)}"
