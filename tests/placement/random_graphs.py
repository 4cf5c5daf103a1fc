"""Random graphs with random requests, one program for both libraries, given as `tf`.

`phases(tf, seed)` builds in the default graph and stops where a session should place what there is:
once, or a second time after the graph has grown. Everything depends on the seed alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

#: How many CPU devices the graphs are for, and how many graphs there are.
CPUS = 3
SEEDS = range(700)

_POSSIBLE = [
    "/cpu:0",
    "/cpu:1",
    "/cpu:2",
    "/device:CPU:1",
    "/device:CPU:2",
    "/device:cpu:0",
    "CPU:1",
    "/device:CPU:*",
    "/job:localhost",
    "/task:0",
    "/replica:0",
    "/job:localhost/replica:0/task:0",
    "/job:localhost/task:0/cpu:2",
    "/job:localhost/replica:0/task:0/device:CPU:1",
    "/job:*",
    "",
]
_ONLY_SOFT = ["/gpu:0", "/gpu:1", "/device:GPU:*", "/cpu:7", "/device:XLA_CPU:0", "/task:0/gpu:3"]
_IMPOSSIBLE = [
    "/job:ps",
    "/task:1",
    "/replica:2",
    "/job:ps/task:0/cpu:0",
    "/job:localhost/task:3/cpu:1",
    "/job:not-readable",
]


def allows_soft_placement(seed: int) -> bool:
    """Whether the graph is to be placed with soft placement."""
    return seed % 3 == 0


def phases(tf: Any, seed: int) -> Iterator[Any]:
    """Build the graph of a seed; yields an operation to run once the graph is to be placed."""
    yield from _Program(tf, seed).run()


def _by_type(op: Any) -> str:
    return {"Const": "/cpu:1", "Square": "/cpu:2", "Identity": "/cpu:*"}.get(op.type, op.device)


def _odd_names(op: Any) -> Any:
    return "/cpu:1" if len(op.name) % 2 else op.device


class _Program:
    def __init__(self, tf: Any, seed: int):
        self.tf = tf
        self.random = random.Random(seed)
        self.soft = allows_soft_placement(seed)
        #: the chance that a request cannot be met; most graphs have none of those
        self.wild = self.random.choice([0.0, 0.0, 0.0, 0.05, 0.2])
        self.values: list[Any] = []
        self.variables: list[Any] = []
        #: variables that begin with constants
        self.trained: list[Any] = []
        self.ops: list[Any] = []

    def run(self) -> Iterator[Any]:
        self.constant()
        for number in range(self.random.choice([1, 1, 2])):
            for _ in range(self.random.randint(2, 8)):
                self.block(self.random.randint(0, 3))
            with self.tf.control_dependencies(None):
                yield self.tf.no_op(name=f"go_{number}")

    def block(self, depth: int) -> None:
        """Some steps inside a scope, with blocks of their own."""
        with self.scope():
            for _ in range(self.random.randint(1, 4)):
                if depth and self.random.random() < 0.3:
                    self.block(depth - 1)
                else:
                    self.step()

    def scope(self) -> Any:
        tf, kind = self.tf, self.random.random()
        if kind < 0.6:
            return tf.device(self.request())
        if kind < 0.75 and self.ops:
            return tf.colocate_with(self.random.choice(self.ops), self.random.random() < 0.3)
        if kind < 0.85 and self.ops:
            return tf.control_dependencies([self.random.choice(self.ops)])
        if kind < 0.9:
            return tf.device(self.random.choice([_by_type, _odd_names]))
        return tf.name_scope("scope")

    def request(self) -> Any:
        draw = self.random.random()
        if draw < self.wild:
            return self.random.choice(_IMPOSSIBLE + _ONLY_SOFT)
        if self.soft and draw < 0.4:
            return self.random.choice(_ONLY_SOFT)
        if draw > 0.95:
            return None
        if draw > 0.9:
            return self.tf.DeviceSpec(device_type="CPU", device_index=self.random.randrange(CPUS))
        return self.random.choice(_POSSIBLE)

    # Steps --------------------------------------------------------------------------------------

    def step(self) -> None:
        steps = [
            (4, self.constant),
            (1, self.placeholder),
            (6, self.unary),
            (6, self.binary),
            (4, self.metadata),
            (3, self.variable),
            (5, self.use_variable),
            (1, self.tensor_array),
            (1, self.group),
            (1, self.conditional),
            (1, self.loop),
            (1, self.name_groups),
            (1, self.request_later),
            (1, self.train),
        ]
        weights, functions = zip(*steps, strict=True)
        self.random.choices(functions, weights)[0]()

    def value(self) -> Any:
        return self.random.choice(self.values)

    def keep(self, value: Any) -> None:
        self.values.append(value)
        self.ops.append(value.op)

    def constant(self) -> None:
        self.keep(self.tf.constant([1.0, 2.0]))

    def placeholder(self) -> None:
        if self.random.random() < 0.5:
            self.keep(self.tf.placeholder(self.tf.float32))
        else:
            self.keep(self.tf.placeholder_with_default(self.value(), None))

    def unary(self) -> None:
        tf = self.tf
        function = self.random.choice([tf.square, tf.identity, tf.negative, tf.exp])
        self.keep(function(self.value()))

    def binary(self) -> None:
        function = self.random.choice([self.tf.add, self.tf.multiply, self.tf.maximum])
        self.keep(function(self.value(), self.random.choice([self.value(), 3.0])))

    def metadata(self) -> None:
        function = self.random.choice([self.tf.shape, self.tf.size, self.tf.rank])
        found = function(self.value())
        self.ops.append(found.op)
        if self.random.random() < 0.5:
            self.keep_number(found)

    def keep_number(self, number: Any) -> None:
        """Keep an integer as a value whose shape nobody knows, so that it fits everywhere."""
        number = self.tf.cast(number, self.tf.float32)
        self.keep(self.tf.placeholder_with_default(number, None))

    def variable(self) -> None:
        initial = self.random.choice([None, self.value()])
        resource = self.random.random() < 0.5
        # With a device scope of its own: where there is none inside a colocation, TensorFlow asks
        # for what is around the colocation or for nothing, by how the graph became the default.
        with self.tf.device(self.request()):
            made = self.tf.Variable(
                [1.0, 2.0] if initial is None else initial,
                use_resource=resource,
                validate_shape=False,
            )
        self.variables.append(made)
        if initial is None:
            self.trained.append(made)
        self.ops.append(made.op if self.random.random() < 0.5 else made.initializer)

    def use_variable(self) -> None:
        tf = self.tf
        if not self.variables:
            self.variable()
        chosen = self.random.choice(self.variables)
        kind = self.random.randrange(6)
        if kind == 0:
            self.keep(tf.identity(chosen))
        elif kind == 1:
            self.keep(chosen + 1.0)
        elif kind == 2:
            self.keep(chosen.read_value())
        elif kind == 3:
            self.ops.append(tf.is_variable_initialized(chosen).op)
        else:
            change = self.random.choice([tf.assign, tf.assign_add, tf.assign_sub])
            changed = change(chosen, self.value())
            self.ops.append(changed.op)

    def tensor_array(self) -> None:
        tf = self.tf
        array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        self.ops.append(array.handle.op)
        with tf.device(self.request()):
            array = array.write(0, self.value())
        self.ops.append(array.flow.op)
        with tf.device(self.request()):
            self.keep(array.read(0))

    def group(self) -> None:
        chosen = self.random.sample(self.ops, min(3, len(self.ops)))
        self.ops.append(self.tf.group(*chosen))

    def conditional(self) -> None:
        tf, value = self.tf, self.value()
        first, second = self.request(), self.request()

        def squared() -> Any:
            with tf.device(first):
                return tf.square(value)

        def negated() -> Any:
            with tf.device(second):
                return tf.negative(value)

        self.keep(tf.cond(tf.constant(True), squared, negated))

    def loop(self) -> None:
        tf, device = self.tf, self.request()

        def body(count: Any) -> Any:
            with tf.device(device):
                return tf.add(count, 1)

        found = tf.while_loop(lambda count: tf.less(count, 3), body, [tf.constant(0)])
        self.keep_number(found)

    def name_groups(self) -> None:
        """Give an operation groups by name; one of them may be nobody's."""
        op = self.random.choice(self.ops)
        if "_class" in op.node_def.attr or op.name.startswith("go_"):
            return
        names = [self.random.choice(self.ops).name, self.random.choice(["nobody", "noone"])]
        groups = sorted(f"loc:@{name}".encode() for name in names[: self.random.randint(1, 2)])
        attr = self.tf.AttrValue()
        attr.list.s.extend(groups)
        if not self._is_placed(op):
            op._set_attr("_class", attr)

    def request_later(self) -> None:
        op = self.random.choice(self.ops)
        device = self.random.choice(["/cpu:0", "/cpu:1", "/device:CPU:*", ""])
        if not self._is_placed(op):
            op._set_device(device)

    def _is_placed(self, op: Any) -> bool:
        """Whether the operation was there before an earlier stop: sessions do not like changes."""
        names = [each.name for each in op.graph.get_operations()]
        return "go_0" in names and names.index(op.name) < names.index("go_0")

    def train(self) -> None:
        tf = self.tf
        if not self.trained:
            return
        chosen = self.random.choice(self.trained)
        optimizer = self.random.choice(
            [tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9)]
        )
        loss = tf.reduce_sum(tf.square(chosen) * 2.0)
        with tf.device(None):  # else its slots depend on how the graph became the default one
            self.ops.append(optimizer.minimize(loss, var_list=[chosen]))
