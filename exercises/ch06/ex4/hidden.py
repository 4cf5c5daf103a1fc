"""Hidden checks of ch06.ex4."""

from exercise_checks import FEW, serves_all

from tinytf.grading import point


@point("all of the room is used: an order may need one that comes room - 1 later", 2)
def all_the_room(answer):
    serves_all(answer, 7, 3, {0: 2, 1: 2, 4: 6})
    serves_all(answer, 6, 5, dict.fromkeys(range(4), 4), seeds=FEW)


@point("other numbers of orders", 1)
def other_numbers(answer):
    serves_all(answer, 1, 2, seeds=FEW)
    serves_all(answer, 9, 4, {0: 1, 2: 3, 6: 8}, seeds=FEW)
