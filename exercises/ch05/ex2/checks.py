"""Checks of ch05.ex2."""

from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import tinytf as tf
from tinytf.distributed.cluster.ports import reserve
from tinytf.grading import Wrong, point


@contextmanager
def a_cluster():
    """The targets of two workers beside one parameter server; all in this process."""
    names = [("ps", 0), ("worker", 0), ("worker", 1)]
    with ExitStack() as stack:
        # Kept to the end: nobody else may get the port of a server that is just being started.
        kept = [stack.enter_context(reserve()) for _ in names]
        addresses = [f"localhost:{socket.getsockname()[1]}" for socket in kept]
        spec = tf.train.ClusterSpec({"ps": addresses[:1], "worker": addresses[1:]})
        servers = [stack.enter_context(tf.train.Server(spec, job, index)) for job, index in names]
        yield [server.target for server in servers[1:]]


class Team(NamedTuple):
    """A client, as an answer opened it."""

    add: object
    start_over: object


def opened(answer, target, name):
    """A client of a team; Wrong unless the answer returns two functions."""
    team = answer(target, name)
    if not isinstance(team, tuple | list) or len(team) != 2 or not all(map(callable, team)):
        raise Wrong("open_team must return two functions", "(add, start_over)", repr(team)[:60])
    return Team(*team)


def scores(team, *turns):
    """What `add` returned, turn by turn: ("ann", 3) is ann's 3 points."""
    found = []
    for player, points in turns:
        score = team.add(player, points)
        try:
            found.append(float(score))
        except (TypeError, ValueError):
            raise Wrong("add() must return the score", "a number", repr(score)[:60]) from None
    return found


def compare(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


@point("a client counts", 1)
def counts(answer):
    with a_cluster() as (one, _):
        team = opened(answer, one, "red")
        compare(
            "ann got 3, bob 4, ann 2",
            [3.0, 4.0, 5.0],
            scores(team, ("ann", 3), ("bob", 4), ("ann", 2)),
        )


@point("clients of one team share its scores, through any server", 2)
def shares(answer):
    with a_cluster() as (one, other):
        first, second = opened(answer, one, "red"), opened(answer, other, "red")
        third = opened(answer, one, "red")
        compare("ann got 3 from the first client", [3.0], scores(first, ("ann", 3)))
        compare(
            "and 2 from a client at another server",
            [5.0],
            scores(second, ("ann", 2)),
            "where is the variable? and who may initialise it?",
        )
        compare("and 1 from a third one", [6.0], scores(third, ("ann", 1)))
        compare("and 1 from the first one again", [7.0], scores(first, ("ann", 1)))


@point("teams do not touch each other's scores", 2)
def apart(answer):
    with a_cluster() as (one, other):
        red, blue, same = (
            opened(answer, one, "red"),
            opened(answer, other, "blue"),
            opened(answer, one, "green"),
        )
        got = [*scores(red, ("ann", 3)), *scores(blue, ("ann", 10)), *scores(same, ("ann", 20))]
        compare("red, blue and green each have an ann", [3.0, 10.0, 20.0], got)
        compare("red's ann got 1 more", [4.0], scores(red, ("ann", 1)))


@point("starting over forgets the team's own players, all of them", 3)
def starts_over(answer):
    with a_cluster() as (one, other):
        first, second = opened(answer, one, "red"), opened(answer, other, "red")
        scores(first, ("ann", 3))
        scores(second, ("eve", 8))
        first.start_over()
        compare(
            "ann got 1 after the team started over",
            [1.0],
            scores(first, ("ann", 1)),
            "is the score forgotten, and can the client go on?",
        )
        compare(
            "eve, whom only the other client knew, got 1",
            [1.0],
            scores(opened(answer, one, "red"), ("eve", 1)),
            "everything in the team's container goes",
        )


@point("and nobody else's", 2)
def others_stay(answer):
    with a_cluster() as (one, other):
        red, blue = opened(answer, one, "red"), opened(answer, other, "blue")
        scores(red, ("ann", 3))
        scores(blue, ("ann", 10), ("bob", 4))
        red.start_over()
        compare(
            "red started over; blue's ann and bob got 1",
            [11.0, 5.0],
            scores(blue, ("ann", 1), ("bob", 1)),
        )
        compare(
            "so did another client's of blue",
            [12.0],
            scores(opened(answer, one, "blue"), ("ann", 1)),
        )
