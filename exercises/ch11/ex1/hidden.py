"""Hidden checks of ch11.ex1."""

from exercise_checks import Training, compare

from tinytf.grading import equal_to, point


@point("with a backup worker: three of four gradients make a step", 1)
def backup(answer):
    training = Training(4, 6, needed=3)
    training.run(answer, [[1.0], [2.0, 3.0], [4.0] * 5, [5.0] * 9])
    for worker, returned in sorted(training.returned.items()):
        equal_to(returned, len(training.gave[worker]), what=f"what worker {worker} returns")


@point("the list of batches stays as it is", 1)
def batches_stay(answer):
    before, after = [[1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0]], []

    def watched(sess, ops, batches):
        after.append(batches)
        return answer(sess, ops, batches)

    Training(2, 3).run(watched, before)
    compare("the lists of the two workers after the training", before, sorted(after))
