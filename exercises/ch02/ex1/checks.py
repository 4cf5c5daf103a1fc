"""Checks of ch02.ex1."""

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.placement import explain


def expect(op, wanted, why, hint=""):
    """The device that was asked for, for one operation."""
    asked = tf.DeviceSpec.from_string(op.device).to_string()
    if asked != wanted:
        raise Wrong(
            f"{op.name}, of type {op.type}, {why}",
            wanted or "no device",
            asked or "no device",
            hint=hint,
        )


def answered(answer, op):
    """The answer for an operation that is there already."""
    result = answer(op)
    if isinstance(result, tf.DeviceSpec):  # as tf.device takes it from a function, too
        result = result.to_string()
    if not isinstance(result, str):
        raise Wrong(
            "choose(op) must return a string for every operation",
            "a string",
            f"{result!r} for {op.name}",
            hint="to leave an operation as it is, return op.device",
        )
    return result


def building(answer):
    """A device function that says what is wrong with an answer that is no string."""

    def choose(op):  # errors name it
        return answered(answer, op)

    return choose


#: The two kinds of variables, by whether it is the newer one.
KINDS = {"older": False, "newer": True}


def variable(name, newer):
    return tf.get_variable(name, [2, 2], initializer=tf.zeros_initializer(), use_resource=newer)


@point("variables of both kinds are on the CPU, also in a tower", 2)
def variables(answer):
    with tf.device(building(answer)):
        for kind, newer in KINDS.items():
            made = variable(f"free_{kind}", newer)
            hint = "print op.type for every operation: what are variables called there?"
            expect(made.op, "/device:CPU:0", "is a variable", hint)
            made = variable(f"tower1/inside_{kind}", newer)
            hint = "is it a variable? Ask that before you look at the tower"
            expect(made.op, "/device:CPU:0", "is a variable, in a tower", hint)


@point("a tower's operations are on the GPU of its number", 2)
def towers(answer):
    with tf.device(building(answer)):
        for number in (0, 1, 7, 12):
            with tf.name_scope(f"tower{number}"):
                made = tf.zeros([2, 2]) + 1.0
                with tf.name_scope("layer3"):
                    inner = tf.nn.relu(made)
            for tensor in (made, inner):
                hint = "a number may have more than one digit" if number > 9 else ""
                expect(tensor.op, f"/device:GPU:{number}", f"is of tower {number}", hint)


@point("everything else stays as it was asked for", 1)
def others(answer):
    with tf.device(building(answer)):
        free = tf.constant(1.0, name="loss")
        like = tf.constant(1.0, name="layer/tower1/x")
        with tf.device("/gpu:1"):
            pinned = tf.constant(1.0, name="pinned")
    expect(free.op, "", "is of no tower, and asked for nothing")
    expect(like.op, "", "is of no tower: its name only contains that of one")
    expect(
        pinned.op,
        "/device:GPU:1",
        "had asked for a device in an inner block",
        "op.device is what has been asked for so far: return it",
    )


@point("a model of two towers runs, each on its GPU", 1)
def model(answer):
    tf.devices.simulate_gpus(2, memory="64MiB")
    with tf.device(building(answer)):
        weights = variable("weights", False)
        losses = []
        for number in range(2):
            with tf.name_scope(f"tower{number}"):
                losses.append(tf.reduce_sum(tf.matmul(tf.ones([3, 2]), weights) + 1.0))
        total = tf.add_n(losses, name="total")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run(total)
        if got != 12:
            raise Wrong("the model computes something else", 12, got)
        for number, loss in enumerate(losses):
            device = explain(loss, session).device.rpartition("device:")[2]
            if device != f"GPU:{number}":
                raise Wrong(f"{loss.op.name} runs elsewhere", f"GPU:{number}", device)
