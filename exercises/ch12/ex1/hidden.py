"""Hidden checks of ch12.ex1."""

from exercise_checks import same, score_is, training, wanted

from tinytf.grading import point


@point("called again when all is done, and then for more", 1)
def done_already(answer):
    with training(answer, goal=wanted(5)[0] + 0.2) as run:
        first = run.call(3, 2)
        again = run.call(3, 2)
        more = run.call(5, 2)
        same("the steps of three calls", [[0, 1, 2], [], [3, 4]], run.steps)
        best = -abs(wanted(3)[0] - wanted(5)[0] - 0.2)
        score_is("the best score of the first call", best, first)
        score_is("the best score of the second call", best, again)
        score_is("the best score of the third call", -0.2, more)


@point("it dies twice, and before anything is saved", 1)
def twice(answer):
    with training(answer) as run:
        run.call(7, 3, dies_at=2)
        run.call(7, 3, dies_at=4)
        run.call(7, 3)
        same("the steps of three calls", [[0, 1], [0, 1, 2, 3], [3, 4, 5, 6]], run.steps)
        same("weight, speed and step, at the end", wanted(7), run.values())
