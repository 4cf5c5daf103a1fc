"""Hidden checks of ch03.ex2."""

from exercise_checks import check_race

from tinytf.grading import point

#: Three at once, in a ring; and two that both give to the same.
RING = [("eve", "kim", 7.5), ("kim", "lou", 40.0), ("lou", "eve", 25.0)]
SAME_TAKER = [("dan", "max", 60.0), ("tom", "max", 5.0)]


@point("three accounts in a ring lose nothing", 2)
def ring(answer):
    check_race(answer, RING)


@point("two that give to the same account lose nothing", 1)
def same_taker(answer):
    check_race(answer, SAME_TAKER)
