"""Hidden checks of ch12.ex1."""

from exercise_checks import same, score_is, training, wanted

from tinytf.grading import point


@point("called again when all is done, and then for more", 1)
def done_already(answer):
    with training(answer, goal=wanted(2)[0] + 0.1) as run:
        scores = [run.call(3, 2), run.call(3, 2), run.call(5, 2)]
        same("the steps of three calls", [[0, 1, 2], [], [3, 4]], run.steps)
        for call, score in zip(("first", "second", "third"), scores, strict=True):
            score_is(f"step 2 has the best score: what the {call} call returns", -0.1, score)


@point("it dies twice, and before anything is saved", 1)
def twice(answer):
    with training(answer) as run:
        run.call(7, 3, dies_at=2)
        run.call(7, 3, dies_at=4)
        run.call(7, 3)
        same("the steps of three calls", [[0, 1], [0, 1, 2, 3], [3, 4, 5, 6]], run.steps)
        same("weight, speed and step, at the end", wanted(7), run.values())
