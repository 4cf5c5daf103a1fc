"""Checkpoints between tinytf and a real TensorFlow, both ways."""

import json
import subprocess
from pathlib import Path

import pytest

import tinytf as tf
from tests.interop.checkpoints_model import (
    RARE,
    look,
    look_at_rare,
    restore,
    save,
    save_rare,
)
from tests.oracle.environment import ROOT, tensorflow_environment

pytestmark = [pytest.mark.tensorflow, pytest.mark.timeout(240)]

PROGRAM = Path(__file__).with_name("checkpoints_program.py")


@pytest.fixture(scope="module")
def exchange(tmp_path_factory):
    """(the folder with both libraries' files, what we saved, what TensorFlow saw)."""
    from tinytf.cli import machine

    folder = tmp_path_factory.mktemp("checkpoints")
    (folder / "ours").mkdir()
    saved = save(tf, str(folder / "ours"))
    save_rare(tf, str(folder / "ours"))
    done = subprocess.run(
        [str(machine.tensorflow_python()), str(PROGRAM), str(folder)],
        capture_output=True,
        text=True,
        timeout=200,
        env={**tensorflow_environment(), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return folder, saved, json.loads(done.stdout.splitlines()[-1])


def test_tensorflow_restores_ours(exchange):
    _, saved, seen = exchange
    for name, found in seen["restored"].items():
        assert found == saved[name.partition(" ")[0]][1], name


def test_we_restore_tensorflows(exchange):
    folder, _, seen = exchange
    for name, found in restore(tf, str(folder / "theirs")).items():
        assert found == seen["saved"][name.partition(" ")[0]][1], name


def test_both_see_the_same_in_a_checkpoint(exchange):
    folder, _, seen = exchange
    for place in ("ours", "theirs"):
        assert json.loads(json.dumps(look(tf, str(folder / place)))) == seen["looked"]


def test_types_that_variables_do_not_have(exchange):
    folder, _, seen = exchange
    for place in ("ours", "theirs"):
        assert look_at_rare(tf, str(folder / place)) == seen["rare"]


@pytest.mark.parametrize("name", ["plain", "sharded", *RARE])
def test_the_files_are_the_same_byte_for_byte(exchange, name):
    folder = exchange[0]
    theirs = {
        path.name: path.read_bytes()
        for path in (folder / "theirs").glob(f"{name}*")
        if not path.name.endswith((".meta", ".state")) and path.name.count("_") == name.count("_")
    }
    assert theirs
    for file, content in theirs.items():
        assert (folder / "ours" / file).read_bytes() == content, file
