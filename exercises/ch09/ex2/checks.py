"""Checks of ch09.ex2."""

import tinytf as tf
from tinytf.grading import Wrong, point

#: How long an answer may wait for what is not there: much longer than to take what is there.
MILLISECONDS = 3000


def collected(answer, elements, question, members, seen=None, wait=MILLISECONDS):
    """What an answer returns, with these elements in the queue: (question, member, scores)."""
    with tf.Graph().as_default(), tf.Session() as sess:
        kinds = [tf.int32, tf.int32, tf.float32]
        queue = tf.FIFOQueue(50, kinds, shapes=[[], [], [3]])
        given = [tf.placeholder(kind) for kind in kinds]
        put, take, size = queue.enqueue(given), queue.dequeue(), queue.size()
        for element in elements:
            sess.run(put, dict(zip(given, element, strict=True)))
        try:
            got = answer(sess, take, question, members, wait)
        except tf.errors.DeadlineExceededError:
            raise Wrong(
                "when nothing comes in time",
                "the answer of those who answered",
                "a DeadlineExceededError",
                hint="catch it: it says that nobody else is in time",
            ) from None
        if seen is not None:
            seen.append(int(sess.run(size)))
    return plain(got)


def plain(got):
    """(digit, members) as Python has them; Wrong for anything else."""
    try:
        digit, members = got
        return (None if digit is None else int(digit)), [int(member) for member in members]
    except (TypeError, ValueError):
        raise Wrong("collect must return two things", "a digit, a list", repr(got)[:60]) from None


def compare(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


ALL = [(7, 2, [0.0, 1.0, 0.9]), (7, 0, [1.1, 0.0, 1.0]), (7, 1, [0.0, 1.1, 1.0])]


@point("all have answered: the digit with the highest sum", 1)
def everybody(answer):
    got = collected(answer, ALL, 7, 3)
    compare("the sums are 1.1, 2.1 and 2.9", (2, [0, 1, 2]), got, "scores are added up, not votes")


@point("what comes after the last one stays in the queue", 1)
def takes_no_more(answer):
    seen = []
    collected(answer, [*ALL, (8, 0, [0.0, 0.0, 0.0])], 7, 3, seen)
    compare("elements left in the queue", [1], seen)


@point("late answers to the question before do not count", 3)
def late(answer):
    before = [(6, 1, [50.0, 0.0, 0.0]), (6, 2, [50.0, 0.0, 0.0])]
    got = collected(answer, [*before, *ALL], 7, 3)
    compare(
        "question 7, with two answers to question 6 in front",
        (2, [0, 1, 2]),
        got,
        "what is thrown away is none of the three answers",
    )


@point("a member that answers twice counts once", 2)
def twice(answer):
    again = [(7, 0, [2.0, 0.0, 1.0])] * 3
    got = collected(answer, [ALL[0], *again, ALL[2]], 7, 3)
    compare("member 0 has answered three times", (2, [0, 1, 2]), got, "the sums are 2.0, 2.1, 2.9")


@point("a member is missing: the answer of the others", 2)
def missing(answer):
    got = collected(answer, ALL[1:], 7, 3)
    compare("the sums of members 0 and 1 are 1.1, 1.1 and 2.0", (2, [0, 1]), got)


@point("nobody answers", 1)
def nobody(answer):
    got = collected(answer, [(6, 1, [1.0, 0.0, 0.0])], 7, 3, wait=MILLISECONDS // 10)
    compare("only a late answer came", (None, []), got)
