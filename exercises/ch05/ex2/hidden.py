"""Hidden checks of ch05.ex2."""

from exercise_checks import a_cluster, compare, opened, scores

from tinytf.grading import point


@point("teams and players of other names", 1)
def other_names(answer):
    with a_cluster() as (one, other):
        old, new = opened(answer, one, "old.hands"), opened(answer, other, "new.comers")
        compare("old.hands' w got 5, and v 6", [5.0, 6.0], scores(old, ("w", 5), ("v", 6)))
        compare("new.comers' w got 7", [7.0], scores(new, ("w", 7)))
        new.start_over()
        compare("new.comers started over, and w got 2", [2.0], scores(new, ("w", 2)))
        again = opened(answer, other, "old.hands")
        compare("old.hands' w and v got 1 each", [6.0, 7.0], scores(again, ("w", 1), ("v", 1)))


@point("the team's clients at another server go on after a start over", 2)
def others_go_on(answer):
    with a_cluster() as (one, other):
        first, second = opened(answer, one, "red"), opened(answer, other, "red")
        scores(first, ("ann", 3))
        scores(second, ("ann", 2), ("eve", 8))
        first.start_over()
        compare(
            "the team started over; ann got 1 from a client at another server, and eve 2",
            [1.0, 2.0],
            scores(second, ("ann", 1), ("eve", 2)),
            "who is new is for the server to say, every time",
        )
        compare("and ann got 4 from the client that started over", [5.0], scores(first, ("ann", 4)))
