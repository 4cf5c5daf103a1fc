"""Checks of ch03.ex3."""

from itertools import combinations

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.memory_use import memory_use

#: Name of a table -> the number that it is full of.
TABLES = {"red": 1.0, "green": 2.0, "blue": 3.0, "white": 4.0, "black": 5.0, "grey": 6.0}
SHAPE = [512, 512]
MIB = 2**20


def built(answer, values=TABLES, shape=SHAPE):
    """The answer's sum, and the tables by name."""
    tables = {}

    def load(name):
        if name in tables:
            raise Wrong(f"load({name!r}) was called a second time", hint="load each table once")
        tables[name] = tf.fill(shape, values[name], name=name)
        return tables[name]

    total = answer(list(values), load)
    if not isinstance(total, tf.Tensor):
        raise Wrong("build_sum must return the sum", "a tensor", f"a {type(total).__name__}")
    missing = [name for name in values if name not in tables]
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


def schedule_with(three, tables):
    """The beginning of a schedule in which these are there: who is loaded, and who is used."""
    known = {}
    begun = {tables[name].op for name in three}
    begun |= set().union(*(needs(op, known) for op in begun))
    order = [op for op in tables[three[0]].graph.get_operations() if op in begun]
    turns = []
    for op in order:  # what an operation needs was built before it: this is an order
        turns += [f"load {name}" for name, table in tables.items() if table.op is op]
        turns += [f"use {name}" for name, table in tables.items() if op in table.consumers()]
    return ", ".join(turns)


def check_sum(answer, values=TABLES, shape=SHAPE):
    """The sum of the largest values."""
    total, _ = built(answer, values, shape)
    with tf.Session() as sess:
        got = sess.run(total).tolist()
    wanted = sum(values.values())
    if got != wanted:
        raise Wrong(
            f"the largest values are {', '.join(f'{one:g}' for one in values.values())}: their sum "
            "is another one",
            wanted,
            got,
            hint="of each table one number counts, its largest; and all tables count",
        )


def check_two(answer, values=TABLES, shape=SHAPE):
    """No schedule holds three tables, and two are allowed."""
    total, tables = built(answer, values, shape)
    for three in combinations(values, 3):
        if may_be_there_together([tables[name] for name in three]):
            raise Wrong(
                f"there is a schedule in which {', '.join(three)} are there at one time: it begins "
                f"with {schedule_with(three, tables)}",
                "at most two tables",
                "three",
                hint="what has to be over before a third table may be loaded?",
            )
    with tf.Session() as sess:
        used = memory_use(total, session=sess)
    most = max(used.bytes.values())
    if most > 2 * MIB + MIB // 2:
        raise Wrong("a step holds too much at one time", "2 MiB", f"{most / MIB:.1f} MiB")


@point("the sum is right", 1)
def the_sum(answer):
    check_sum(answer)


@point("no schedule holds more than two tables", 3)
def at_most_two(answer):
    check_two(answer)


@point("a table may be loaded while another one is used", 2)
def two_at_a_time(answer):
    _, tables = built(answer)
    for name in TABLES:
        others = [other for other in TABLES if other != name]
        if not any(may_be_there_together([tables[name], tables[one]]) for one in others):
            raise Wrong(
                f"while {name} is there, no other table can be, in no schedule",
                "two tables at one time",
                "one",
                hint="wait for the table before the last one, not for the last one",
            )
