"""Checks of ch03.ex3."""

from itertools import combinations

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.memory_use import memory_use

NAMES = ["red", "green", "blue", "white", "black", "grey"]
MIB = 2**20


def built(answer):
    """The answer's sum, and the tables by name."""
    tables = {}

    def load(name):
        if name in tables:
            raise Wrong(f"load({name!r}) was called a second time", hint="load each table once")
        value = float(NAMES.index(name) + 1)
        tables[name] = tf.fill([512, 512], value, name=name)
        return tables[name]

    total = answer(NAMES, load)
    if not isinstance(total, tf.Tensor):
        raise Wrong("build_sum must return the sum", "a tensor", f"a {type(total).__name__}")
    missing = [name for name in NAMES if name not in tables]
    if missing:
        raise Wrong(f"not every table was loaded: {', '.join(missing)} not")
    return total, tables


def needs(op, known):
    """Everything that has to run before an operation."""
    if op not in known:
        before = {*(tensor.op for tensor in op.inputs), *op.control_inputs}
        known[op] = before.union(*(needs(one, known) for one in before))
    return known[op]


def may_be_there_together(tables):
    """Whether there is a schedule in which all of these are in memory at one time."""
    known = {}
    begun = set().union(*(needs(table.op, known) for table in tables))
    # Of a table that is used up before the others can be there, all users are in `begun`.
    return all(any(user not in begun for user in table.consumers()) for table in tables)


@point("the sum is right", 1)
def the_sum(answer):
    total, _ = built(answer)
    with tf.Session() as sess:
        got = float(sess.run(total))
    wanted = float(sum(range(1, len(NAMES) + 1)))
    if got != wanted:
        raise Wrong("the sum of the largest values is wrong", wanted, got)


@point("no schedule holds more than two tables", 3)
def at_most_two(answer):
    total, tables = built(answer)
    for three in combinations(NAMES, 3):
        if may_be_there_together([tables[name] for name in three]):
            raise Wrong(
                f"there is a schedule in which {', '.join(three)} are there at one time",
                "at most two tables", "three",
                hint="what has to be over before a third table may be loaded?",
            )  # fmt: skip
    with tf.Session() as sess:
        used = memory_use(total, session=sess)
    most = max(used.bytes.values())
    if most > 2 * MIB + MIB // 2:
        raise Wrong("a step holds too much at one time", "2 MiB", f"{most / MIB:.1f} MiB")


@point("a table may be loaded while another one is used", 2)
def two_at_a_time(answer):
    _, tables = built(answer)
    for name in NAMES:
        others = [other for other in NAMES if other != name]
        if not any(may_be_there_together([tables[name], tables[one]]) for one in others):
            raise Wrong(
                f"while {name} is there, no other table can be", "two tables at one time", "one",
                hint="wait for the table before the last one, not for the last one",
            )  # fmt: skip
