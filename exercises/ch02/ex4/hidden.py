"""Hidden checks of ch02.ex4."""

from exercise_checks import WHY, compare

from tinytf.grading import point


@point("a machine with one GPU, and one with four", 2)
def other_machines(answer):
    compare(answer, WHY, 1)
    compare(answer, WHY, 4)


@point("a machine without GPUs", 1)
def no_gpus(answer):
    compare(answer, WHY, 0)
