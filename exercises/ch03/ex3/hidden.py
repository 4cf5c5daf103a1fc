"""Hidden checks of ch03.ex3."""

from exercise_checks import MIB, check_sum, check_two

import tinytf as tf
from tinytf.grading import point

#: Eight tables, some with negative numbers only, in one dimension: 1 MiB each.
OTHERS = {"p": -4.0, "q": 10.0, "r": -1.5, "s": 0.25, "t": 3.0, "u": -8.0, "v": 2.0, "w": 7.0}
ROW = [MIB // 4]


@point("other tables, of another shape: the sum is right", 1)
def other_tables(answer):
    check_sum(answer, OTHERS, ROW)
    tf.reset_default_graph()
    check_sum(answer, {"alone": -2.5}, [4, 256, 256])


@point("eight tables of another shape: never more than two", 1)
def eight_tables(answer):
    check_two(answer, OTHERS, ROW)
