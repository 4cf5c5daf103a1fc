"""The figure of the course as a whole: the map of the chapters."""

from canvas import Figure

CHAPTERS = (
    ("1", "Graphs and sessions"),
    ("2", "Devices, placement"),
    ("3", "Parallel execution"),
    ("4", "Clusters"),
    ("5", "Sharing state"),
    ("6", "Queues"),
    ("7", "Reading data"),
    ("8", "tf.data"),
    ("9", "Network per device"),
    ("10", "Model parallelism"),
    ("11", "Data parallelism"),
    ("12", "Fault tolerance"),
    ("13", "Estimators"),
)


def course_map() -> Figure:
    """The chapters and which stands on which."""
    figure = Figure(
        "00_course_map",
        800,
        380,
        "Map of the course",
        "Chapter 1, graphs and sessions, comes first. Chapter 2, devices and placement, and "
        "chapter 6, queues, build on it. Chapter 3, parallel execution, builds on chapter 2; "
        "chapter 4, clusters, on chapter 3; chapter 5, sharing state, on chapter 4. Chapter 7, "
        "reading data, builds on chapter 6, and chapter 8, tf.data, on chapter 7. Training on a "
        "cluster comes after these: chapter 9, one network per device, chapter 10, model "
        "parallelism, chapter 11, data parallelism, and, on that, chapter 12, fault tolerance. "
        "Chapter 13, estimators, builds on chapter 1.",
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
        "9": (102, 305),
        "10": (302, 305),
        "11": (500, 305),
        "12": (698, 305),
        "13": (102, 225),
    }
    boxes = {
        key: figure.box(*places[key], (key, words), width=160, height=50, mono=False, size=14)
        for key, words in CHAPTERS
    }
    for before, after in ("12", "16", ("1", "13"), "23", "34", "45", "67", "78", ("11", "12")):
        figure.arrow(boxes[before], boxes[after])
    figure.text(222, 40, "many devices, many machines", role="quiet", size=13, bold=True)
    figure.text(222, 260, "feeding the computation", role="quiet", size=13, bold=True)
    figure.text(
        24, 355, "training on a cluster: after chapters 4 to 6", role="quiet", size=13, bold=True
    )
    figure.text(24, 105, "start here", role="accent", size=13, bold=True)
    return figure


FIGURES = (course_map,)
