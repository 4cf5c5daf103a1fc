"""Hidden checks of ch13.ex2."""

import numpy as np
from exercise_checks import learnt, same

from tinytf.grading import point


@point("a town of 400 blocks, parks wherever", 3)
def a_large_town(answer):
    edges = [float(number) for number in range(19)]
    parks = np.random.RandomState(13).randint(0, 2, [20, 20])
    right, of = learnt(answer, edges, edges, lambda a, b: parks[a, b])
    same("blocks that the model says right", of, right, "no two blocks may share a weight")
