"""Random programs with state and errors, and which errors a step of one may end with.

State: variables that are assigned, changed and read anywhere, in branches, loops and functions,
each time after the last time: an `order` tensor goes through the program, and control edges tie
the operations to it. So their values do not depend on the schedule. Errors: operations that refuse
some values. Which one is reported does depend on the schedule, but not every one may be.
"""

import re

import numpy as np

import tinytf as tf
from tests.runtime.test_random_graphs import CARDS, Builder
from tinytf.framework.errors import OpError
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.while_loop import while_loop
from tinytf.ops.functions.defun import Defun
from tinytf.testing import evaluator
from tinytf.testing.evaluator import DEAD, MERGES, SWITCHES, Outcome


class StateBuilder(Builder):
    """A `Builder` whose programs have two variables; `may_fail`: and operations that refuse."""

    def __init__(self, integer, may_fail=False):
        super().__init__(integer)
        self._may_fail = may_fail
        self._order = tf.constant(0, name="order")
        self._variables = [
            tf.get_variable(name, [], tf.int32, use_resource=True) for name in ("v", "w")
        ]
        for variable in self._variables:
            self._ordered(lambda v=variable: v.assign(integer(-9, 9), read_value=False))

    def program(self, inputs, depth, size):
        """The values to fetch: of the last statements, and of the variables at the end."""
        values = self.block(inputs, depth, size)[-4:]
        return values + [self._read(variable) for variable in self._variables]

    def block(self, inputs, depth, size):
        """See `Builder`; each of the statements may be preceded by one that changes state."""
        values = list(inputs)
        for _ in range(self._integer(1, size)):
            if self._integer(0, 2) == 0:
                values.append(self._change(values))
            if self._may_fail and self._integer(0, 2) == 0:
                values.append(CARDS["TestRefuse"](self.pick(values)))
            values = super().block(values, depth, 1)
        return values

    def _ordered(self, make):
        with tf.control_dependencies([self._order]):
            made = make()
        with tf.control_dependencies([made]):
            self._order = tf.identity(self._order)
        return made

    def _read(self, variable):
        return self._ordered(variable.read_value)

    def _change(self, values):
        variable, value = self.pick(self._variables), self.pick(values)
        kind = self._integer(0, 2)
        if kind == 0:
            self._ordered(lambda: variable.assign(value, read_value=False))
        elif kind == 1:
            self._ordered(lambda: variable.assign_add(value, read_value=False))
        return self._read(variable)

    def conditional(self, values, depth):
        """See `Builder`."""
        outer = self._order

        def branch():
            self._order = tf.identity(outer)
            inside = self.block(values, depth, 3)
            return [tf.identity(inside[-1]), self._order]

        result, self._order = cond(self.predicate(values), branch, branch, strict=True)
        return [result]

    def call(self, values, depth):
        """See `Builder`."""

        @Defun(tf.int32, tf.int32, tf.int32, shape_func=lambda op: [[], []])
        def function(order, a, b):
            for argument in (order, a, b):
                argument.set_shape([])
            self._order = order
            inside = self.block([a, b, tf.identity(self.pick(values))], depth, 4)
            return inside[-1], tf.identity(self._order)

        outer = self._order
        result, self._order = function(outer, self.pick(values), self.pick(values))
        return [result]

    def loop(self, values, depth):
        """See `Builder`."""
        turns = self._integer(0, 4)
        start = [tf.constant(0), self._order, self.pick(values)]

        def body(i, order, a):
            self._order = order
            inner = self.block([a, i, self.pick(values)], depth, 3)
            return CARDS["TestAdd"](i, 1), tf.identity(self._order), inner[-1]

        i, self._order, result = while_loop(
            lambda i, order, a: CARDS["TestLess"](i, turns),
            body,
            start,
            parallel_iterations=[1, 2, 10][self._integer(0, 2)],
        )
        return [tf.identity(i), tf.identity(result)]


class _Poison:
    def __repr__(self):
        return "<what an operation that failed would have given>"


POISON = _Poison()


class _Failed(list):
    """The values of an operation that failed, or needs one that did."""


class Errors(evaluator._Evaluation):
    """All that may fail in a step: one operation after another, as if errors did not end it.

    What depends on an operation that failed does not run; all else does, in every iteration. So
    `found` has the operations that fail in some order of running, however it goes: each as the
    operation of the graph, and the one in a function's body if it is a call. See `failed_at`.
    """

    def __init__(self, fetches, feeds, resources):
        super().__init__(fetches, feeds, resources, check=False)
        self.found = set()
        self._in_body = set()

    def find(self):
        """All that may fail."""
        for op in list(self._frames):
            if not op.outputs or not all(t in self._feeds for t in op.outputs):
                self.run_everywhere(op)
        return self.found

    def _lives(self, outcome):
        return not outcome.dead and not isinstance(outcome.values, _Failed)

    def _compute_steps(self, op, tag):
        failed = dead = False
        for control in evaluator.control_sources(op, self._feeds):
            outcome = yield from self._outcome(control, tag)
            dead = outcome.dead or dead
            failed = isinstance(outcome.values, _Failed) or failed
        values = []
        for tensor in op.inputs:
            values.append((yield from self._value(tensor, tag)))
        poisons = [value is POISON for value in values]
        if op.type in SWITCHES and not failed and not dead:
            failed, poisons = poisons[1], [False]
        there = [n for n, value in enumerate(values) if value is not POISON and value is not DEAD]
        if op.type in MERGES and there and not failed:  # it does not wait for the other
            return Outcome([values[there[0]], np.int32(there[0])])
        if failed or any(poisons):
            return Outcome(_Failed([POISON] * len(op.outputs)))
        return (yield from super()._compute_steps(op, tag))

    def _call(self, op, values):
        try:
            return super()._call(op, values)
        except OpError:
            self.found |= {(op.name, inner) for inner in self._in_body or {op.name}}
            self._in_body = set()
            return _Failed([POISON] * len(op.outputs))

    def call(self, function, arguments, name=""):
        """A call, in which anything may fail, too."""
        body = function.body
        feeds = dict(zip(body.inputs, arguments, strict=True))
        run = Errors([*body.outputs, *body.targets], {}, self.resources)
        run._feeds = feeds
        run._frames = evaluator._frames([t.op for t in body.outputs] + list(body.targets), feeds)
        run._memories = evaluator._Memories(run._frames)
        self._in_body = {inner for _, inner in run.find()}
        if self._in_body:
            raise OpError(None, None, "something in the body failed", 3)
        return [run.fetch(t, number) for number, t in enumerate(body.outputs)]


def failed_at(error):
    """The operation of the graph that an error is about; and the one in the body, if it calls."""
    return error.op.name, re.search(r"\{\{node (.*?)\}\}", error.message)[1]
