"""Executions of loops have the numbers that TensorFlow gives them: its tasks name them so."""

import threading

import pytest

from tinytf.runtime import iterations
from tinytf.runtime.frames import ROOT, frame_number
from tinytf.runtime.iterations import FrameInstance
from tinytf.runtime.plan import FramePlan

#: In the keys that a TensorFlow 2.15.1's worker asked our parameter server for, of a loop in a
#: loop: the number of the frame of `outer`, and of `inner` by the iteration around it.
OUTER, OUTER_NUMBER = b"outer/while_context", 16151483404557480959
INNER = b"outer/inner/while_context"
INNER_NUMBERS = [10647713286725882191, 10647713286725883216, 10647713286725884237]


def test_a_loop():
    assert frame_number(0, 0, OUTER) == OUTER_NUMBER


@pytest.mark.parametrize("iteration", range(3))
def test_a_loop_in_a_loop(iteration):
    assert frame_number(OUTER_NUMBER, iteration, INNER) == INNER_NUMBERS[iteration]


def test_threads_that_ask_at_once_get_the_same_number(monkeypatch):
    """Of a loop that several threads run: the first ones send and receive in it at once."""
    root = FrameInstance(FramePlan(ROOT), None)
    frame = FrameInstance(FramePlan((OUTER,)), root.iterations[0])
    asked_meanwhile = []

    def slow(*place):
        monkeypatch.undo()
        other = threading.Thread(target=lambda: asked_meanwhile.append(frame.number))
        other.start()
        other.join()
        return frame_number(*place)

    monkeypatch.setattr(iterations, "frame_number", slow)
    assert frame.number == OUTER_NUMBER
    assert asked_meanwhile == [OUTER_NUMBER]
