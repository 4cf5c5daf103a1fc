"""Timers: what may be given. When they say that it is time, tests/behaviour compares."""

import pytest

import tinytf as tf
from tinytf.training.hooks.timer import NeverTriggerTimer


@pytest.mark.parametrize("settings", [{"every_secs": "1"}, {"every_steps": [3]}])
def test_what_is_no_number_is_refused_where_it_is_given(settings):
    [name] = settings
    with pytest.raises(TypeError, match=f"{name} must be a number, got"):
        tf.train.SecondOrStepTimer(**settings)


def test_hooks_that_save_name_their_own_arguments(graph):
    # CheckpointSaverHook(folder, saver) is a common slip: the second argument is seconds.
    tf.train.get_or_create_global_step()
    with pytest.raises(TypeError, match=r"CheckpointSaverHook takes one of save_secs and save_st"):
        tf.train.CheckpointSaverHook("folder", tf.train.Saver())
    with pytest.raises(ValueError, match=r"got save_secs=1, save_steps=2"):
        tf.train.ProfilerHook(save_secs=1, save_steps=2)


def test_a_look_at_the_step_is_spared_while_seconds_are_not_over(clock):
    seconds, steps = tf.train.SecondOrStepTimer(10), tf.train.SecondOrStepTimer(None, 10)
    assert seconds.may_trigger()
    for timer in (seconds, steps):
        timer.update_last_triggered_step(0)
    assert not seconds.may_trigger()
    clock.now += 10
    assert seconds.may_trigger()
    assert steps.may_trigger()  # which step it is, only a look tells


def test_a_timer_for_which_it_is_never_time():
    timer = NeverTriggerTimer()
    timer.reset()
    assert timer.update_last_triggered_step(3) == (None, None)
    assert not timer.should_trigger_for_step(3)
    assert timer.last_triggered_step() is None
