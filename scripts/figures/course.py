"""The figures of the course as a whole: the banner and the map of the chapters."""

from canvas import Box, Figure

BANNER = (
    "A small graph of operations. Each node shows how many inputs it still waits for; those with "
    "none left have run, one is running, and the last one waits for a single value."
)


def banner(theme: str) -> Figure:
    """The README's picture: a graph in the middle of a step, with its counters."""
    figure = Figure(
        f"banner_{theme}", 960, 240, "tinytf: a graph in the middle of a step", BANNER, theme
    )
    figure.text(40, 96, "tinytf", size=54, bold=True)
    figure.text(42, 132, "TensorFlow 1.x's graph runtime,", role="quiet", size=17)
    figure.text(42, 156, "small enough to read,", role="quiet", size=17)
    figure.text(42, 180, "open enough to watch.", role="quiet", size=17)
    x = figure.box(430, 60, "x", "placeholder", width=74, height=44, size=16)
    w = figure.box(430, 172, "w", "variable", width=74, height=44, size=16)
    product = figure.box(580, 116, "MatMul", width=104, height=44, size=16)
    bias = figure.box(580, 196, "b", "variable", width=74, height=40, size=16)
    total = figure.box(732, 116, "Add", width=84, height=44, size=16)
    relu = figure.box(868, 116, "Relu", width=92, height=44, size=16)
    figure.arrow(x, product, "accent")
    figure.arrow(w, product, "accent")
    figure.arrow(product, total, "accent")
    figure.arrow(bias, total, "accent")
    figure.arrow(total, relu, "idle")
    for box, words in ((x, "0"), (w, "0"), (product, "0"), (bias, "0"), (total, "0"), (relu, "1")):
        figure.badge(*corner(box), words)
    figure.text(732, 84, "runs", role="accent", size=14, anchor="middle", bold=True)
    figure.text(868, 84, "waits", role="quiet", size=14, anchor="middle")
    figure.text(690, 36, "inputs still to come", role="quiet", size=13)
    figure.badge(672, 32, "n")
    return figure


def corner(box: Box) -> tuple[float, float]:
    """The place for a counter: the lower right corner of a box."""
    return box.x + box.width / 2 - 4, box.y + box.height / 2 + 2


CHAPTERS = (
    ("1", "Graphs and sessions"),
    ("2", "Devices, placement"),
    ("3", "Parallel execution"),
    ("4", "Clusters"),
    ("5", "Sharing state"),
    ("6", "Queues"),
    ("7", "Reading data"),
    ("8", "tf.data"),
)


def course_map() -> Figure:
    """The chapters and which stands on which."""
    figure = Figure(
        "00_course_map",
        800,
        290,
        "Map of the course",
        "Chapter 1, graphs and sessions, comes first. Chapter 2, devices and placement, and "
        "chapter 6, queues, build on it. Chapter 3, parallel execution, builds on chapter 2; "
        "chapter 4, clusters, on chapter 3; chapter 5, sharing state, on chapter 4. Chapter 7, "
        "reading data, builds on chapter 6, and chapter 8, tf.data, on chapter 7. All eight "
        "exist.",
    )
    places = {
        "1": (102, 145),
        "2": (302, 80),
        "3": (500, 80),
        "4": (698, 80),
        "5": (698, 145),
        "6": (302, 210),
        "7": (500, 210),
        "8": (698, 210),
    }
    boxes = {
        key: figure.box(*places[key], (key, words), width=160, height=50, mono=False, size=14)
        for key, words in CHAPTERS
    }
    for before, after in ("12", "16", "23", "34", "45", "67", "78"):
        figure.arrow(boxes[before], boxes[after])
    figure.text(222, 40, "many devices, many machines", role="quiet", size=13, bold=True)
    figure.text(222, 260, "feeding the computation", role="quiet", size=13, bold=True)
    figure.text(24, 105, "start here", role="accent", size=13, bold=True)
    return figure


FIGURES = (lambda: banner("light"), lambda: banner("dark"), course_map)
