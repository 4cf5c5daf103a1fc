"""Each listing that this project began with prints what TensorFlow prints for it."""

import pytest

from tests.programs.comparing import (
    check,
    check_that_all_are_recorded,
    check_with_tensorflow,
    with_names,
)
from tests.programs.running import SEEDS


@pytest.mark.parametrize("program", with_names(SEEDS))
def test_prints_what_tensorflow_prints(program):
    check(program)


def test_each_has_a_recording_and_no_recording_is_left_over():
    check_that_all_are_recorded(SEEDS)


@pytest.mark.tensorflow
@pytest.mark.netns
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_tensorflow_still_prints_so(request):
    check_with_tensorflow(SEEDS, request.config)
