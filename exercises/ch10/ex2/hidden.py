"""Hidden checks of ch10.ex2."""

from exercise_checks import check_crossing, check_states

from tinytf.grading import point


@point("three layers on three devices: the states are right", 1)
def three_layers(answer):
    check_states(answer, 4, 3)


@point("three layers on three devices: what crosses", 1)
def three_layers_crossing(answer):
    check_crossing(answer, 4, 3)


@point("a sequence of one step", 1)
def one_step(answer):
    check_states(answer, 1, 2)
