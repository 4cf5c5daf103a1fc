"""Checks of ch05.ex1."""

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.placement import bytes_by_task

SERVERS = [f"/job:ps/task:{number}" for number in range(3)]
#: Three parts are enough; this many are still a few.
A_FEW = 12
#: Three of each kind, in turn; no variable has to be cut.
EVEN = {f"{kind}{layer}": [60, 40] if kind == "w" else [40] for layer in range(3) for kind in "wbg"}
#: In this order a strategy that does not look ahead fails.
GROWING = {"a": [30], "b": [30], "c": [30], "d": [90]}
TABLE = {"bias": [10], "table": [1000, 64], "out": [64, 10]}
#: What is largest by far has a row only: wide, and not to be cut along its rows.
ROWS = {"one": [1, 60], "two": [2, 30], "three": [60], "flat": [5, 12], "long": [60, 1]}


def placed(answer, shapes, most=0.4):
    """(what the answer returned, the table of bytes) in a graph of its own."""
    with tf.Graph().as_default():
        variables = answer(dict(shapes), most)
        if not isinstance(variables, dict):
            raise Wrong(
                "place_variables must return a dictionary",
                "name -> variable",
                type(variables).__name__,
            )
        return variables, bytes_by_task()


def shown(shapes):
    """The shapes, short."""
    return ", ".join(f"{name} {shape}" for name, shape in shapes.items())


def balanced(answer, shapes, most, hint):
    """The table, if no server has more than its share."""
    variables, table = placed(answer, shapes, most)
    complete(variables, table, shapes)
    for row in table:
        if row.share > most:
            raise Wrong(
                f"of the variables {shown(shapes)}, {row.task or 'no task'} has too many bytes",
                f"at most {most:.0%}",
                f"{row.share:.0%}\n{table!r}",
                hint=hint,
            )
    return variables


def part_shapes(variable):
    """The shapes of the parts of a variable; its own if it was not cut."""
    if hasattr(variable, "as_tensor") and not isinstance(variable, tf.Variable):
        return [part.shape.as_list() for part in variable]
    if not isinstance(variable, tf.Variable):
        raise Wrong(
            "a value of the dictionary is no variable",
            "what tf.get_variable returned",
            f"a {type(variable).__name__}",
        )
    return [variable.shape.as_list()]


def complete(variables, table, shapes):
    """Wrong unless every variable is there, with its shape, on one of the servers."""
    if sorted(variables) != sorted(shapes):
        raise Wrong("the names are others", sorted(shapes), sorted(variables))
    for name, shape in shapes.items():
        parts = part_shapes(variables[name])
        whole = [sum(part[0] for part in parts), *parts[0][1:]]
        if whole != shape:
            raise Wrong(
                f"variable {name!r} has another shape",
                shape,
                whole,
                hint="a partitioner gives the rows that are left over to the first parts",
            )
    elsewhere = [row.task or "no task at all" for row in table if row.task not in SERVERS]
    if elsewhere:
        raise Wrong(
            "some variables are not on one of the three servers",
            SERVERS,
            elsewhere,
            hint="a job without a task does not say which of its tasks",
        )


@point("every variable is there, with its shape, on a parameter server", 2)
def everything_is_there(answer):
    for shapes in (EVEN, TABLE, ROWS):
        complete(*placed(answer, shapes), shapes)


@point("variables that need not be cut: bytes count, not variables", 2)
def even(answer):
    balanced(
        answer,
        EVEN,
        0.4,
        "in turn, each third variable comes to the same server: all of the weights",
    )


@point("variables in an unlucky order", 2)
def unlucky(answer):
    balanced(answer, GROWING, 0.5, "which of them should have its place first?")


@point("a table that no server can take alone is cut", 2)
def a_table(answer):
    variables = balanced(answer, TABLE, 0.4, "a partitioner cuts a variable along its rows")
    if (parts := len(part_shapes(variables["table"]))) > A_FEW:
        raise Wrong("the table is in many parts", f"a few, {A_FEW} at most", parts)


@point("what has few rows stays whole", 2)
def few_rows(answer):
    variables, table = placed(answer, ROWS)
    complete(variables, table, ROWS)
    for name in ("one", "two"):
        if (parts := len(part_shapes(variables[name]))) > 1:
            raise Wrong(
                f"{name!r} has the shape {ROWS[name]}, and was cut",
                "1 part",
                parts,
                hint="three parts need three rows; and do not cut what need not be cut",
            )
    balanced(answer, ROWS, 0.4, "do not cut what need not be cut")
