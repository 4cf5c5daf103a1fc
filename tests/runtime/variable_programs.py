"""Random programs of reference variables, the same for tinytf and for TensorFlow.

Every operation waits for the one built before it, in branches and loops as well, so the graph says
in which order variables are read and written, and the values do not depend on the schedule. What
was read earlier is kept and computed with later, after further writes: then it shows whether a read
is the variable's memory or a value. `unordered` programs leave most of these edges out.

    build(tf, seed) -> Program
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: Numbers stay small, so that whoever computes gets the same.
LIMIT = 1009
#: Rows of 16 int32 begin where TensorFlow shares memory.
SHAPES = ([], [2], [3, 16], [2, 1, 3])


@dataclass
class Program:
    """What to run: `setup` first, then the fetches, several times."""

    setup: Any
    fetches: list[Any]


@dataclass
class _Builder:
    tf: Any
    choose: random.Random
    is_ordered: bool
    #: where values may be computed
    devices: tuple[str | None, ...] = (None,)
    variables: list[Any] = field(default_factory=list)
    #: a read of each variable, in the loop or branch that is being built
    reads: list[Any] = field(default_factory=list)
    last: Any = None

    # Order --------------------------------------------------------------------------------------

    def then(self, make: Any) -> Any:
        """Build something that waits for what was built before."""
        if self.last is None or not (self.is_ordered or self.choose.random() < 0.25):
            made = make()
        else:
            with self.tf.control_dependencies([self.last]):
                made = make()
        self.last = made
        return made

    # Values -------------------------------------------------------------------------------------

    def value(self, values: list[Any], shape: list[int]) -> Any:
        """One of the values as one of this shape."""
        source = self.choose.choice(values)
        if source.shape.as_list() == shape:
            return source
        if shape == []:
            return self.then(lambda: self.tf.reduce_max(source))
        if not source.shape.as_list():
            return self.then(lambda: source + self.tf.zeros(shape, self.tf.int32))
        return self.then(lambda: self.tf.reduce_sum(source) + self.tf.zeros(shape, self.tf.int32))

    def small(self, tensor: Any) -> Any:
        return self.then(lambda: self.tf.floormod(tensor, LIMIT))

    def read(self, values: list[Any]) -> Any:
        """A read of a variable; it may be its memory."""
        tf, read = self.tf, self.choose.choice(self.reads)
        return self.then(
            self.choose.choice(
                [lambda: tf.identity(read), lambda: tf.stop_gradient(read), lambda: read + 1]
            )
        )

    def handed_on(self, values: list[Any]) -> Any:
        """Something in another form, which may be the same memory."""
        tf, source = self.tf, self.choose.choice(values)
        sizes = source.shape.as_list()
        forms = [
            lambda: tf.identity(source),
            lambda: tf.reshape(source, [-1]),
            lambda: tf.reshape(source, sizes),
            lambda: tf.expand_dims(source, 0),
            lambda: tf.stop_gradient(source),
            lambda: tf.reduce_sum(source, axis=[]),
            lambda: tf.tuple([source])[0],
            lambda: tf.identity_n([source, source])[1],
            lambda: tf.stack([source]),
            lambda: tf.bitcast(tf.bitcast(source, tf.float32), tf.int32),
        ]
        if sizes:
            forms += [
                lambda: tf.concat([source], 0),
                lambda: tf.transpose(source, list(range(len(sizes)))),
                lambda: tf.unstack(source)[-1],
                lambda: tf.split(source, sizes[0])[0],
                lambda: source[-1:],
                lambda: source[0],
                lambda: tf.slice(source, [0] * len(sizes), [-1] * len(sizes)),
                lambda: tf.tile(source, [1] * len(sizes)),
                lambda: tf.squeeze(source) if 1 in sizes else tf.identity(source),
            ]
        made = self.then(self.choose.choice(forms))
        return made if made.shape.ndims <= 4 else self.then(lambda: tf.reshape(made, sizes))

    def computed(self, values: list[Any]) -> Any:
        """A value made of two."""
        tf, one = self.tf, self.choose.choice(values)
        other = self.value(values, one.shape.as_list())
        compute = self.choose.choice(
            [
                lambda: one + other,
                lambda: one - other,
                lambda: one * 2 + other,
                lambda: tf.maximum(one, other),
                lambda: one + 0,
                lambda: one * 1,
                lambda: tf.negative(-one),
            ]
        )
        built = len(tf.get_default_graph().get_operations())
        with tf.device(self.devices[built % len(self.devices)]):
            return self.small(self.then(compute))

    def written(self, values: list[Any]) -> Any:
        """A write to a variable: what it gives is a reference, or a read."""
        tf, number = self.tf, self.choose.randrange(len(self.variables))
        variable, shape = self.variables[number], self.variables[number].shape.as_list()
        # What is written waits for what was built before; a reference comes into a loop freely.
        source = self.value(values, shape)
        value = self.then(lambda: tf.identity(source))
        writes = [
            lambda: tf.assign(variable, value),
            lambda: tf.assign_add(variable, value),
            lambda: tf.assign_sub(variable, value),
        ]
        if shape:
            row = self.then(lambda: value[0])
            writes += [
                lambda: tf.scatter_update(variable, 0, row),
                lambda: tf.scatter_add(variable, 0, row),
            ]
        write = self.choose.choice(writes)
        reference = self.then(write)
        if self.choose.random() < 0.5:  # keep the numbers small, in another write
            rest = self.then(lambda: tf.floormod(self.reads[number], LIMIT))
            reference = self.then(lambda: tf.assign(variable, rest))
        return self.then(lambda: tf.identity(reference))

    # Statements ---------------------------------------------------------------------------------

    def block(self, values: list[Any], depth: int, size: int) -> list[Any]:
        """Random statements; all values, those given first."""
        values = list(values)
        for _ in range(self.choose.randint(1, size)):
            kind = self.choose.random()
            if depth and kind < 0.1:
                values.append(self.conditional(values, depth - 1))
            elif depth and kind < 0.2:
                values.append(self.loop(values, depth - 1))
            else:
                make = self.choose.choice(
                    [
                        self.read,
                        self.read,
                        self.written,
                        self.written,
                        self.handed_on,
                        self.handed_on,
                        self.computed,
                    ]
                )
                values.append(make(values))
        return values

    def bring_in(self, values: list[Any]) -> list[Any]:
        """What comes into a loop or branch, before anything there waits for something else.

        Who takes what comes in anew waits for that alone, not for what was built before him.
        """
        self.reads = [self.tf.identity(read) for read in self.reads]
        return [self.tf.identity(value) for value in values]

    def conditional(self, values: list[Any], depth: int) -> Any:
        tf = self.tf
        number = self.value(values, [])
        predicate = self.then(lambda: tf.equal(tf.floormod(number, 2), 0))
        chosen = self.choose.choice(values)
        before, outside = predicate, self.reads

        def branch() -> Any:
            self.last, self.reads = None, outside
            values_here = self.bring_in([chosen, *values])
            inside = self.block(values_here, depth, 3)
            result = self.then(lambda: tf.identity(self.value(inside, [])))
            return tf.identity(result)

        with tf.control_dependencies([before]):
            result = tf.cond(predicate, branch, branch)
        self.last, self.reads = result, outside
        return self.then(lambda: tf.identity(result))

    def loop(self, values: list[Any], depth: int) -> Any:
        tf = self.tf
        turns = self.choose.randint(0, 3)
        start = self.choose.choice(values)
        before = self.then(self.tf.no_op)
        watched = self.choose.choice(
            [n for n, read in enumerate(self.reads) if not read.shape.ndims]
        )
        outside = self.reads

        def condition(i: Any, *rest: Any) -> Any:
            return tf.less(i, turns)

        def body(i: Any, value: Any, seen: Any) -> Any:
            self.reads = outside
            values_here = self.bring_in(values)
            with tf.control_dependencies([i, value, seen]):
                self.last = tf.identity(i)
            inside = self.block([value, seen, *values_here], depth, 3)
            seen = self.then(lambda: self.reads[watched] + 0)
            value = self.value(inside, start.shape.as_list())
            following = self.then(lambda: i + 1)
            with tf.control_dependencies([following]):
                return tf.identity(following), tf.identity(value) + 0, tf.identity(seen)

        with tf.control_dependencies([before]):
            begin = [tf.constant(0), tf.identity(start) + 0, tf.constant(7)]
            i, value, seen = tf.while_loop(condition, body, begin, parallel_iterations=1)
        with tf.control_dependencies([i, value, seen]):
            self.last, self.reads = tf.identity(i), outside
        return self.then(lambda: self.small(tf.reduce_sum(value) + seen))


def build(
    tf: Any, seed: int, devices: tuple[str | None, ...] = (None,), container: str = ""
) -> Program:
    """The program of a seed, in the default graph; each operation waits for the one before it.

    Args:
      tf: the library.
      devices: where values are computed; all else is on the first. container: of the variables.
    """
    choose = random.Random(seed)
    builder = _Builder(tf, choose, True, devices)
    with tf.device(devices[0]), tf.container(container):
        for number, shape in enumerate([[], *choose.choices(SHAPES, k=2)]):
            start = (np.arange(np.prod(shape)).reshape(shape) + number).astype(np.int32)
            builder.variables.append(tf.Variable(start, name=f"v{number}", use_resource=False))
        builder.reads = [variable.value() for variable in builder.variables]
        setup = tf.group(*[variable.initializer for variable in builder.variables])
        values = builder.block([tf.constant(3)], 2, 8)
        kept = choose.sample(values, min(len(values), 6))
        return Program(setup, [*kept, *builder.variables, builder.then(tf.no_op)])


def run(tf: Any, program: Program, runs: int = 3, **session: Any) -> list[Any]:
    """What the steps of a program give, as nested lists of numbers."""
    with tf.Session(**session) as opened:
        opened.run(program.setup)
        steps = [opened.run(program.fetches)[:-1] for _ in range(runs)]
    return [[np.asarray(value).tolist() for value in step] for step in steps]


def build_small(tf: Any, seed: int) -> Program:
    """A program of few operations, of which the graph orders some: several values are right."""
    choose = random.Random(seed)
    builder = _Builder(tf, choose, False)
    builder.variables = [tf.Variable(n + 1, name=f"v{n}", use_resource=False) for n in range(2)]
    builder.reads = [variable.value() for variable in builder.variables]
    setup = tf.group(*[variable.initializer for variable in builder.variables])
    values = [tf.constant(3)]
    for _ in range(3):
        values = builder.block(values, 0, 4)
    return Program(setup, [*values[1:], *builder.variables, builder.then(tf.no_op)])
