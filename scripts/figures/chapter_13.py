"""The figures of chapter 13: the six steps around an estimator, and TensorFlow's layers."""

from itertools import pairwise

from canvas import Box, Figure


def six_steps() -> Figure:
    """Data, columns and a model make an estimator; three calls of it use one folder."""
    figure = Figure(
        "13_six_steps",
        800,
        336,
        "An estimator, in six steps",
        "On the left, data (step 1), feature columns (step 2) and a kind of model (step 3) go into "
        "an estimator, in the middle. On the right are its calls: train (step 4), which writes "
        "checkpoints and summaries into a folder, the model_dir; evaluate (step 5) and predict "
        "(step 6), which read the latest checkpoint from that folder. Each call builds a graph of "
        "its own.",
    )
    data = figure.box(120, 72, ["input_fn", "a table, read in batches"], width=196, height=58)
    columns = figure.box(
        120, 164, ["feature columns", "what the columns mean"], width=196, height=58
    )
    model = figure.box(120, 256, ["DNNClassifier", "units, classes"], width=196, height=58)
    estimator = figure.box(362, 164, ["estimator", "no graph yet"], kind="op", width=150, height=70)
    calls = [
        figure.box(540, y, words, kind="placeholder", width=124, height=50)
        for y, words in ((72, "train"), (164, "evaluate"), (256, "predict"))
    ]
    folder = figure.box(
        714, 164, ["model_dir", "checkpoints,", "events"], kind="variable", width=132
    )
    figure.arrow(data, calls[0])
    figure.arrow(columns, estimator)
    figure.arrow(model, estimator)
    for call in calls:
        figure.arrow(estimator, call)
    figure.arrow(calls[0], folder, "accent")
    for call in calls[1:]:
        figure.arrow(folder, call)
    for x, y, words in (
        (22, 43, "1"),
        (22, 135, "2"),
        (22, 227, "3"),
        (540, 47, "4"),
        (540, 139, "5"),
        (540, 231, "6"),
    ):
        figure.badge(x, y, words)
    figure.note(
        22,
        314,
        ["Each call builds a graph, runs it and forgets it. What stays is in the folder."],
    )
    return figure


#: From what a learner writes down to the hardware: name, what is in it, where the course has it.
LAYERS = (
    ("estimators, layers", "train, evaluate, predict; tf.layers, tf.losses", "this chapter"),
    ("the client", "builds the graph: tf.matmul, tf.gradients, tf.Session", "chapter 1"),
    ("the master", "prunes, places, cuts the graph, one part for each device", "chapters 2 and 4"),
    ("the executor", "counts inputs, starts what is ready, on a pool of threads", "chapter 3"),
    ("kernels", "one for each operation and each kind of device", "chapter 2"),
    ("devices, network", "CPU, GPU, TPU; gRPC between tasks", "chapters 4 and 10"),
)


def layers() -> Figure:
    """What lies between an estimator and the hardware."""
    figure = Figure(
        "13_layers",
        800,
        440,
        "TensorFlow, layer by layer",
        "Six layers, one on top of the other. Estimators and layers stand on the client, which "
        "builds the graph. Below it the master prunes, places and cuts the graph. The executor "
        "counts inputs and starts what is ready. Kernels do the work, one for each operation and "
        "each kind of device; beside them, dashed, is XLA, which compiles a part of the graph. At "
        "the bottom are the devices and the network. Beside each layer stands the chapter of this "
        "course that it is in.",
    )
    height, top = 52, 34
    boxes: list[Box] = []
    for number, (name, what, where) in enumerate(LAYERS):
        y = top + number * (height + 12)
        kind = "variable" if number == len(LAYERS) - 1 else "op"
        figure.bar(24, y, 420 if name == "kernels" else 580, height, kind)
        figure.text(44, y + 22, name, on=kind, size=14, bold=True)
        figure.text(44, y + 41, what, on=kind, size=13)
        figure.text(626, y + 31, where, role="quiet", size=13)
        boxes.append(Box(314, y + height / 2, 580, height))
    for upper, lower in pairwise(boxes):
        figure.arrow(upper.side("bottom", -230), lower.side("top", -230))
    figure.bar(456, top + 4 * (height + 12), 148, height, label="XLA", idle=True)
    figure.note(24, 428, ["dashed: what tinytf does not have"])
    return figure


FIGURES = (six_steps, layers)
