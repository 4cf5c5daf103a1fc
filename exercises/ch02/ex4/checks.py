"""Checks of ch02.ex4: a prediction, compared with what the placer does."""

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.placement import explain

#: The program of the task.
PROGRAM = """\
with tf.device("/cpu:0"):
    table = tf.Variable(tf.ones([4, 4]), name="table")
with tf.device("/gpu:1"):
    weights = tf.Variable(tf.ones([4, 4]), name="weights")
    rounds = tf.Variable(0, name="rounds")
bias = tf.Variable(tf.ones([4, 4]), name="bias")
steps = tf.Variable(0, name="steps")

product = tf.matmul(table, weights, name="product")
with tf.device("/gpu:1"):
    output = tf.add(product, bias, name="output")
scores = tf.nn.softmax(output, name="scores")
shown = tf.Print(scores, [steps], name="shown")
grow = tf.assign_add(weights, product, name="grow")
tick = tf.assign_add(steps, 1, name="tick")
with tf.colocate_with(table):
    beside = tf.negative(output, name="beside")
"""
_FREE = (
    "it asks for no device, so it goes to GPU 0 if there is one and a kernel for it. Where its "
    "inputs lie does not matter (they are copied), nor who uses it, and nothing is spread over the "
    "GPUs"
)
_PINNED = "it asks for a device, with tf.device, and the device is there: only that counts"
_SOFT = (
    "it asks for a GPU that this machine does not have. With soft placement that is a wish: "
    "it goes to another GPU, and to the CPU only if there is none"
)
_INTEGER = (
    "a variable of type int32 has no kernel for GPUs, whatever it asks for (soft placement makes "
    "of that the CPU and not an error)"
)
#: Why each is where it is on a machine with two GPUs.
WHY = {
    "bias": _FREE,
    "product": _FREE,
    "scores": _FREE,
    "table": _PINNED,
    "weights": _PINNED,
    "output": _PINNED,
    "grow": "it changes `weights`, so it must be where that is: a variable does not move, and "
    "what works on it goes there",
    "beside": "it is colocated with `table`, so it is where that is; its input is copied",
    "steps": _INTEGER,
    "rounds": _INTEGER,
    "tick": "it changes `steps`, so it must be where that is",
    "shown": "tf.Print has no kernel for GPUs, so the question for a GPU is not even asked",
}


def placed(gpus):
    """Where the placer puts everything, by name, on a machine with so many GPUs."""
    tf.devices.simulate_gpus(0)  # leave the machine of the check before
    if gpus:
        tf.devices.simulate_gpus(gpus, memory="64MiB")
    with tf.Graph().as_default() as graph:
        exec(PROGRAM, {"tf": tf})  # noqa: S102 - the text above
        config = tf.ConfigProto(allow_soft_placement=True)
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            devices = {
                name: explain(graph.get_operation_by_name(name), session).device for name in WHY
            }
            return {name: device.rpartition("device:")[2] for name, device in devices.items()}


def compare(answer, names, gpus):
    """The predictions for some names against the placer."""
    truth = placed(gpus)
    for name in names:
        got = answer(name, gpus)
        if not isinstance(got, str) or short(got) != truth[name]:
            raise Wrong(
                f"{name}, on a machine with {gpus} GPU{'' if gpus == 1 else 's'}: "
                f"{reason(name, gpus)}",
                truth[name],
                got if isinstance(got, str) else repr(got),
            )


def short(device):
    """A device as the task writes it, "GPU:0", however long its name is."""
    return device.upper().rpartition("DEVICE:")[2].lstrip("/")


def reason(name, gpus):
    """Why it is where it is."""
    if not gpus:
        return "there is no GPU, and with soft placement what asks for one goes to the CPU"
    if gpus == 1 and name in ("weights", "output"):
        return _SOFT
    return WHY[name]


@point("what asks for no device is on GPU 0", 2)
def free(answer):
    compare(answer, ["bias", "product", "scores"], 2)


@point("what asks for a device is there", 1)
def pinned(answer):
    compare(answer, ["table", "weights", "output"], 2)


@point("what must be with another is with it", 1)
def together(answer):
    compare(answer, ["grow", "beside"], 2)


@point("what has no kernel for GPUs is on the CPU", 2)
def without_kernel(answer):
    compare(answer, ["steps", "rounds", "tick", "shown"], 2)
