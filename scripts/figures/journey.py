"""The figure of docs/journey.md: one call of sess.run through the code."""

from canvas import Box, Figure

WIDTH, HEIGHT = 134, 36
DOWN = 6
SESSION, LEFT, RIGHT, KERNELS = 134, 330, 494, 690
#: Number of the stop -> (its function, where it is drawn).
STOPS = {
    1: ("run", SESSION, 66),
    2: ("resolve_feed", SESSION, 115),
    3: ("FetchPlan", SESSION, 164),
    4: ("compile", SESSION, 213),
    5: ("compile_plan", LEFT, 66),
    6: ("prepare", LEFT, 115),
    7: ("prune", LEFT, 164),
    8: ("devices_of", SESSION, 262),
    9: ("optimise", LEFT, 213),
    10: ("kernel_for", KERNELS, 213),
    11: ("gather", RIGHT, 272),
    12: ("write", RIGHT, 321),
    13: ("compile_chunk", LEFT, 321),
    14: ("Plan", LEFT, 272),
    15: ("convert", SESSION, 346),
    16: ("place_feeds", SESSION, 395),
    17: ("run_plan", 412, 395),
    18: ("_mat_mul_kernel", KERNELS, 395),
    19: ("finish", SESSION, 444),
}


def journey() -> Figure:
    """The stops of a first call; dashed, what the second one leaves out."""
    figure = Figure(
        "journey_sess_run",
        800,
        514,
        "One sess.run through the code",
        "Nineteen stops in three parts of the code. In session: run, resolve_feed, FetchPlan and "
        "compile. In runtime: compile_plan, prepare and prune; back in session devices_of; in "
        "runtime optimise; in kernels kernel_for; in runtime gather, write, compile_chunk, Plan. "
        "Then the values: in session convert and place_feeds, in runtime run_plan, in ops the "
        "kernel, and in session finish. Stops 2 to 14 are drawn dashed: the second call goes from "
        "run straight to convert.",
    )
    figure.region(16, 16, 208, 462, "session", role="accent")
    figure.region(240, 16, 342, 462, "runtime", role="accent")
    figure.region(598, 16, 186, 462, "ops and kernels", role="accent")
    boxes = {
        number: figure.box(
            x, y + DOWN, name, width=WIDTH, height=HEIGHT, size=13, idle=2 <= number <= 14
        )
        for number, (name, x, y) in STOPS.items()
    }
    _only_once(figure, boxes)
    _each_time(figure, boxes)
    for number, (_, x, y) in STOPS.items():
        figure.badge(x + WIDTH / 2 - 4, y + DOWN - HEIGHT / 2, str(number))
    figure.note(20, 502, ["dashed: the first call only      solid: each call"])
    return figure


def _only_once(figure: Figure, boxes: dict[int, Box]) -> None:
    for first in (1, 2, 3, 5, 6, 11, 12, 13):
        figure.arrow(boxes[first], boxes[first + 1], "idle")
    figure.arrow(boxes[4].side("right"), boxes[5].side("left"), "idle")
    figure.arrow(boxes[7].side("left"), boxes[8].side("right", -6), "idle")
    figure.arrow(boxes[8].side("right", 6), boxes[9].side("left", 4), "idle")
    figure.arrow(boxes[9], boxes[10], "idle")
    figure.arrow(boxes[10].side("bottom", -20), boxes[11].side("right"), "idle")
    figure.arrow(boxes[14].side("left", 6), boxes[15].side("right"), "idle")


def _each_time(figure: Figure, boxes: dict[int, Box]) -> None:
    figure.arrow(boxes[1].side("left", 8), boxes[15].side("left", -4), "accent", bend=-64)
    figure.arrow(boxes[15], boxes[16], "accent")
    figure.arrow(boxes[16], boxes[17], "accent")
    figure.arrow(boxes[17], boxes[18], "accent", both=True)
    figure.arrow(boxes[17].side("bottom"), boxes[19].side("right"), "accent", bend=-20)


FIGURES = (journey,)
