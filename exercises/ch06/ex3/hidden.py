"""Hidden checks of ch06.ex3."""

from exercise_checks import compare_all

from tinytf.grading import point


@point("other numbers of orders", 2)
def other_numbers(answer):
    for orders, room in ((6, 3), (9, 2), (3, 1), (7, 5)):
        compare_all(answer, orders, room)


@point("other numbers, just on the border", 1)
def border(answer):
    for orders, room in ((4, 3), (2, 1), (3, 3), (5, 4)):
        compare_all(answer, orders, room)
