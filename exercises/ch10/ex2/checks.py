"""Checks of ch10.ex2."""

from contextlib import contextmanager

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, does_not_depend_on, equal_to, placed_on, point, transfers

UNITS = 3


class Cells:
    """The layers of a network; remembers which cells they were asked for."""

    def __init__(self, count):
        self.made = [[] for _ in range(count)]
        self.layers = [self._layer(number) for number in range(count)]

    def _layer(self, number):
        def layer(value, state):
            with tf.variable_scope(f"layer{number}", reuse=tf.AUTO_REUSE):
                weights = tf.get_variable("weights", initializer=np.float32(number + 2))
            step = len(self.made[number])
            new = tf.multiply(value, weights, name=f"layer{number}_step{step}")
            if state is not None:
                new = tf.add(new, 3.0 * state, name=f"layer{number}_state{step}")
            self.made[number].append(new)
            return new

        return layer


def wanted_states(values, count):
    """What the highest layer remembers after each step."""
    for number in range(count):
        state, states = np.zeros(UNITS, np.float32), []
        for value in values:
            state = value * np.float32(number + 2) + 3 * state
            states.append(state)
        values = states
    return [np.float32(state) for state in values]


@contextmanager
def built(answer, steps=5, count=2):
    """The states that the answer gives, the cells, the values that went in, and a session."""
    devices = [f"/cpu:{number}" for number in range(count)]
    values = [np.full(UNITS, step + 1, np.float32) for step in range(steps)]
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            inputs = [tf.Variable(value, name="input").read_value() for value in values]
        cells = Cells(count)
        states = answer(list(inputs), list(cells.layers), list(devices))
        if not isinstance(states, list | tuple) or not all(
            isinstance(state, tf.Tensor) for state in states
        ):
            raise Wrong(
                "build_pipeline must return the states of the highest layer",
                f"a list of {steps} tensors",
                repr(states)[:80],
            )
        for number, made in enumerate(cells.made):
            if len(made) != steps:
                raise Wrong(
                    f"layer {number} was asked for another number of cells",
                    f"{steps}, one for each step",
                    len(made),
                )
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": count})) as sess:
            sess.run(tf.global_variables_initializer())
            yield list(states), cells.made, values, sess


def check_states(answer, steps, count):
    """What comes out."""
    with built(answer, steps, count) as (states, _, values, sess):
        equal_to(
            sess.run(states),
            wanted_states(values, count),
            what=f"the states of the highest of {count} layers after {steps} steps",
            hint="a cell takes the state of its own layer, and the new state of the layer below",
        )


def check_crossing(answer, steps, count):
    """What goes from device to device."""
    with built(answer, steps, count) as (states, _, _, sess):
        moved = transfers([state.op for state in states], sess)
        for number in range(count - 1):
            here, there = f"CPU:{number}", f"CPU:{number + 1}"
            way = [m for m in moved if m.source.endswith(here) and m.target.endswith(there)]
            if len(way) != steps or any(one.bytes != 4 * UNITS for one in way):
                raise Wrong(
                    f"something else goes from {here} to {there}",
                    f"{steps} states of {4 * UNITS} bytes",
                    ", ".join(map(str, way)) or "nothing",
                )
        if len(moved) != steps * (count - 1):
            raise Wrong(
                f"more crosses than states on their way up: {', '.join(map(str, moved))}",
                f"{steps * (count - 1)} tensors",
                len(moved),
            )


@point("the states are right", 2)
def the_states(answer):
    check_states(answer, 5, 2)


@point("each layer is on its device, with its weights", 2)
def the_places(answer):
    with built(answer) as (_, made, _, sess):
        for number, cells in enumerate(made):
            for cell in cells:
                placed_on(cell, f"/cpu:{number}", sess)
        for variable in tf.global_variables():
            if variable.op.name.startswith("layer"):
                placed_on(variable, f"/cpu:{variable.op.name[5]}", sess)


@point("a state crosses for each step, and nothing else", 2)
def what_crosses(answer):
    check_crossing(answer, 5, 2)


@point("no cell waits longer than it has to: the wave", 3)
def the_wave(answer):
    with built(answer) as (_, made, _, _):
        low, high = made
        for step, cell in enumerate(high):
            for later in low[step + 1 :]:
                does_not_depend_on(
                    cell, later, hint="a state is sent up as soon as it is there, step by step"
                )
            for below in low:
                does_not_depend_on(below, cell, hint="the lowest layer waits for nobody above it")
