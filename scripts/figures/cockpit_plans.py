"""Where everything stands in the README's picture: on a wide page, and on a narrow one."""

from dataclasses import dataclass

from canvas import Point


@dataclass(frozen=True)
class Plan:
    """The places of one picture.

    Attributes:
      nodes: the middle of each operation. downwards: whether tensors go down, or to the right.
      headings: the lines above the graph, the queue and the cluster: place and words.
      queue: the left of its first chip. lanes: left, right, and the top of each.
      cards: of each task: left, top, width, height. ways: of each tensor that crosses: its points
        (a start, two that bend it, an end), and where its name and its size stand.
    """

    name: str
    width: int
    height: int
    nodes: dict[str, Point]
    downwards: bool
    headings: tuple[tuple[float, float, str], ...]
    queue: Point
    lanes: tuple[float, float, tuple[float, ...]]
    cards: dict[str, tuple[float, float, float, float]]
    ways: dict[str, tuple[tuple[Point, Point, Point, Point], Point, Point]]


WIDE = Plan(
    name="cockpit",
    width=960,
    height=538,
    nodes={
        "w": (58, 88),
        "x": (206, 132),
        "v": (58, 176),
        "w/read": (206, 88),
        "v/read": (206, 176),
        "MatMul": (396, 88),
        "MatMul_1": (396, 176),
        "Tanh": (566, 88),
        "Sigmoid": (566, 176),
        "mul": (732, 132),
        "L2Loss": (884, 132),
    },
    downwards=False,
    headings=(
        (28, 42, "Each operation counts the inputs still to come"),
        (28, 242, "At 0 it is ready, and the next free thread takes it"),
        (28, 402, "The same graph on three processes: where it is cut, tensors cross"),
    ),
    queue=(150, 270),
    lanes=(150, 932, (292, 328)),
    cards={
        "worker:0": (28, 418, 272, 74),
        "ps:0": (408, 418, 236, 74),
        "worker:1": (750, 418, 182, 74),
    },
    ways={
        "w/read": (((408, 459), (372, 459), (336, 459), (300, 459)), (354, 450), (354, 480)),
        "v/read": (((644, 459), (680, 459), (714, 459), (750, 459)), (697, 450), (697, 480)),
        "Sigmoid": (((841, 492), (841, 530), (164, 530), (164, 492)), (492, 512), (562, 512)),
    },
)
NARROW = Plan(
    name="cockpit_narrow",
    width=400,
    height=884,
    nodes={
        "w": (100, 76),
        "x": (200, 140),
        "v": (300, 76),
        "w/read": (100, 140),
        "v/read": (300, 140),
        "MatMul": (100, 210),
        "MatMul_1": (300, 210),
        "Tanh": (100, 274),
        "Sigmoid": (300, 274),
        "mul": (200, 344),
        "L2Loss": (200, 404),
    },
    downwards=True,
    headings=(
        (20, 34, "Each counts the inputs still to come"),
        (20, 456, "At 0 it is ready; a free thread takes it"),
        (20, 632, "On three processes, tensors cross"),
    ),
    queue=(112, 482),
    lanes=(20, 380, (520, 574)),
    cards={
        "ps:0": (82, 648, 236, 70),
        "worker:0": (20, 766, 150, 110),
        "worker:1": (264, 766, 116, 110),
    },
    ways={
        "w/read": (((130, 718), (130, 740), (110, 744), (110, 766)), (68, 738), (68, 756)),
        "v/read": (((270, 718), (270, 740), (300, 744), (300, 766)), (344, 738), (344, 756)),
        "Sigmoid": (((264, 820), (233, 820), (201, 820), (170, 820)), (217, 810), (217, 840)),
    },
)
