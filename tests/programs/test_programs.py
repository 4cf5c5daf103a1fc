"""Each program of this folder prints what TensorFlow prints for it."""

import re

import pytest

from tests.oracle.environment import ROOT
from tests.programs.comparing import (
    check,
    check_that_all_are_recorded,
    check_with_tensorflow,
    with_names,
)
from tests.programs.running import PROGRAMS, names


@pytest.mark.parametrize("program", with_names(PROGRAMS))
def test_prints_what_tensorflow_prints(program):
    check(program)


def test_each_has_a_recording_and_no_recording_is_left_over():
    check_that_all_are_recorded(PROGRAMS)


def test_the_documentation_counts_them():
    page = (ROOT / "docs" / "unmodified_programs.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE)
    assert {kind: int(count) for kind, count in rows} == {
        k: len(v) for k, v in names(PROGRAMS).items()
    }


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_tensorflow_still_prints_so(request):
    check_with_tensorflow(PROGRAMS, request.config)
