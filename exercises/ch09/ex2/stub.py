import numpy as np

import tinytf as tf


def collect(sess, take, question, members, milliseconds):
    """Collect the scores of an ensemble's members; never wait for ever.

    sess: the session to run `take` in
    take: the tensors of a dequeue: a question's number, a member, its scores
    question: the number of the question that is asked now
    members: how many members there are
    milliseconds: how long to wait for the next answer
    return: the digit, and the sorted list of the members that have answered
    """
    raise NotImplementedError("write this function")
