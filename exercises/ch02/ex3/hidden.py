"""Hidden checks of ch02.ex3."""

from exercise_checks import fitting, look, look_at_the_large, started

from tinytf.grading import point

CARD = 96
NEEDS = {"left": 12, "right": 12, "judge": 44, "log": 6, "world": 120}


@point("other programs share another card", 2)
def another_card(answer):
    names = fitting(NEEDS, CARD)[::-1]
    look(answer, started(answer, names, NEEDS, CARD), NEEDS, CARD)


@point("another program is too large for another card", 1)
def another_large_one(answer):
    look_at_the_large(answer, NEEDS, CARD)
