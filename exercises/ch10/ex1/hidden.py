"""Hidden checks of ch10.ex1."""

from exercise_checks import check_bytes, check_values

from tinytf.grading import point


@point("another network: the scores are right", 1)
def another_network(answer):
    check_values(answer, 7, 10)


@point("another network: only the scores cross", 1)
def another_network_bytes(answer):
    check_bytes(answer, 20, 128)
