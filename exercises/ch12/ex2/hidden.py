"""Hidden checks of ch12.ex2."""

from exercise_checks import same, training

from tinytf.grading import point


@point("from step 9 to step 10, and moved twice", 1)
def nine_and_ten(answer):
    with training(answer) as run:
        begun = []
        for until in (9, 10, 11):
            begun.append(run.call(until))
            run.move()
        same("calls to step 9, 10 and 11 begin at", [0, 9, 10], begun)


@point("two trainings in two folders", 1)
def two_folders(answer):
    with training(answer) as one, training(answer) as other:
        begun = [one.call(2), other.call(3), one.call(4), other.call(5)]
        same("two steps here, three there, and on: they begin at", [0, 0, 2, 3], begun)
