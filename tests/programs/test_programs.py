"""Each program of this folder prints what TensorFlow prints for it."""

import json
import subprocess
import sys
import warnings

import pytest

from tests.oracle import environment
from tests.programs.running import FOLDER, kinds, printed, programs, recording_of
from tinytf import compatibility


@pytest.fixture(autouse=True)
def quiet():
    """Programs of TensorFlow 1 warn: of what they use, and of files that they leave open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


BY_KIND = [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in programs()]


@pytest.mark.parametrize("program", BY_KIND)
def test_prints_what_tensorflow_prints(program):
    kind, name = program.parent.name, program.stem
    expected = recording_of(kind).get(name)
    assert expected is not None, f"python3 scripts/oracle/record_programs.py {kind}/{name}"
    with compatibility.as_tensorflow():
        assert printed(program) == expected


def test_no_recording_is_left_of_a_program_that_is_gone():
    assert {path.stem for path in (FOLDER / "recorded").glob("*.json")} == set(kinds())
    for kind in kinds():
        assert list(recording_of(kind)) == [path.stem for path in programs(kind)]


def print_under_tensorflow(names):
    """What a live TensorFlow prints for these programs, all in one process."""
    script = environment.ROOT / "scripts" / "oracle" / "record_programs.py"
    done = subprocess.run(
        [sys.executable, str(script), *names, "--print"],
        capture_output=True,
        text=True,
        env=environment.tensorflow_environment(),
        timeout=560,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_tensorflow_still_prints_so():
    live = print_under_tensorflow([])
    assert live == {kind: recording_of(kind) for kind in kinds()}
