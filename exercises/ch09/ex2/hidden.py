"""Hidden checks of ch09.ex2."""

from exercise_checks import collected, compare

from tinytf.grading import point


@point("late answers between those in time, more of them than members", 2)
def in_between(answer):
    late = [(n, n % 4, [0.0, 0.0, 40.0]) for n in range(5)]
    now = [(11, member, [0.5, 0.4, 0.0]) for member in (3, 1)]
    last = [(11, 0, [0.0, 0.3, 0.0]), (11, 2, [0.1, 0.3, 0.0])]
    got = collected(answer, [*late, *now, *late, *last], 11, 4)
    compare("the sums are 1.1, 1.4 and 0.0", (1, [0, 1, 2, 3]), got)


@point("other questions and members, below zero", 1)
def one_of_two(answer):
    got = collected(answer, [(0, 5, [-3.0, -2.0, -1.0])], 0, 2)
    compare("member 5 alone, scores below zero", (2, [5]), got, "sums may be below zero")
