"""Hidden checks of ch08.ex3: the same questions about other numbers."""

from exercise_checks import ask

from tinytf.grading import point

BATCHES = ("repeat batch", "batch repeat", "drop repeat")
SHUFFLES = ("shuffle", "take shuffle", "shuffle take")
AGAIN = ("repeat shuffle", "shuffle repeat")


@point("batches of other sizes: all of one size, larger than an epoch, one epoch", 3)
def other_batches(answer):
    for name in BATCHES:
        ask(answer, name, ((8, 3, 4, 2), (3, 4, 5, 2), (5, 1, 3, 2), (4, 3, 12, 1)))


@point("buffers of other sizes: of one, of more than there is", 3)
def other_buffers(answer):
    for name in SHUFFLES:
        ask(answer, name, ((6, 2, 4, 1), (4, 2, 3, 9), (3, 1, 5, 2)))


@point("again, with other buffers and epochs", 2)
def other_epochs(answer):
    for name in AGAIN:
        ask(answer, name, ((5, 1, 2, 3), (5, 3, 2, 1), (4, 2, 2, 6), (6, 2, 2, 3)))
