"""Random graphs are placed as TensorFlow 2.15.1 places them; where it fails, it fails so here.

Compared are, for every graph and every time it is placed, all lines of the placer's log in their
order, or the class of the error and its message up to where ours goes on. There are no mismatches;
should one be left on purpose it belongs into MISMATCHES, with its reason.
"""

import json
import subprocess
import sys

import pytest

from tests.oracle import environment
from tests.placement import recordings
from tests.placement.placing import placements
from tests.placement.random_graphs import SEEDS

#: seed -> why the graph is placed otherwise here
MISMATCHES: dict[int, str] = {}

_AT_ONCE = 20
#: seeds that are not in the recording, for a TensorFlow that is there
_LIVE = range(10_000, 10_060)


@pytest.fixture(scope="module")
def recorded():
    return recordings.read()


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=pytest.mark.slow if number % 5 else ())
        for number, first in enumerate(SEEDS[::_AT_ONCE])
    ],
)
def test_placed_as_recorded(first, recorded):
    seeds = [seed for seed in range(first, first + _AT_ONCE) if seed in SEEDS]
    differing = {seed for seed in seeds if not same(placements(seed), recorded[seed])}
    assert differing == set(MISMATCHES).intersection(seeds)


def test_the_recording_has_what_it_is_to_show(recorded):
    times = [lines for phases in recorded for lines in phases]
    errors = [lines[0] for lines in times if is_error(lines)]
    assert len(recorded) == len(SEEDS) >= 500
    assert 100 < len(errors) < len(times) / 2
    for phrase in (
        "was explicitly assigned to",
        "Cannot colocate nodes",
        "incompatible ids",
        "incompatible types",
        "Malformed device specification",
        "Colocation Debug Info",
        "was colocated with a group of nodes that required incompatible device",
        "InternalError",
    ):
        assert any(phrase in error for error in errors), phrase
    used = {line.rpartition(":")[2] for lines in times for line in lines if not is_error(lines)}
    assert used == {"0", "1", "2"}
    assert sum(len(phases) == 2 for phases in recorded) > 100


@pytest.mark.tensorflow
@pytest.mark.slow
def test_placed_as_a_live_tensorflow_places():
    script = environment.ROOT / "scripts" / "oracle" / "record_placements.py"
    done = subprocess.run(
        [sys.executable, str(script), "--print", *map(str, _LIVE)],
        capture_output=True,
        text=True,
        env=environment.tensorflow_environment(),
        timeout=55,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    live = json.loads(done.stdout.splitlines()[-1])
    assert not [seed for seed in _LIVE if not same(placements(seed), live[str(seed)])]


def is_error(lines: list[str]) -> bool:
    return len(lines) == 1 and "Error: " in lines[0]


def same(here: list[list[str]], there: list[list[str]]) -> bool:
    """Whether logs are equal, and an error begins with TensorFlow's."""
    if len(here) != len(there):
        return False
    return all(
        ours[0].startswith(theirs[0]) if is_error(ours) and is_error(theirs) else ours == theirs
        for ours, theirs in zip(here, there, strict=True)
    )
