"""Hidden checks of ch05.ex3."""

from exercise_checks import PS_0, PS_1, ask, client

from tinytf.grading import point


@point("all of it in one client", 2)
def all_of_it(answer):
    mixed = [("w", "", ""), ("b", PS_1, ""), ("w", "", "red"), ("w", PS_0, "red"), ("b", "", "")]
    ask(answer, client("worker:1", *mixed, in_turn=True))
    ask(answer, client("ps:1", *mixed))


@point("many of one name", 1)
def many(answer):
    ask(answer, client("worker:0", *[("layer", PS_1, "blue")] * 4, ("w", "", "blue")))
