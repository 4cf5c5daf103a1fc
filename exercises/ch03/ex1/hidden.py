"""Hidden checks of ch03.ex1."""

from exercise_checks import check_freedom, check_order, check_texts

import tinytf as tf
from tinytf.grading import point

#: More lists than before, longer ones, and one without texts.
OTHER_PARTS = [["k", "d", "x", "m", "e"], [], ["r"], ["t", "c"], ["z", "y", "w"]]


@point("other lists, one of them empty: each in its order", 2)
def other_lists(answer):
    check_texts(answer, OTHER_PARTS)
    tf.reset_default_graph()
    check_order(answer, OTHER_PARTS)


@point("other lists: they wait for nothing of each other", 1)
def other_lists_are_free(answer):
    check_freedom(answer, OTHER_PARTS)
