"""The figure of chapter 12: steps, checkpoints, a death, and what has to be done again."""

from canvas import Figure

FIRST, STEP = 70, 6.6  # where step 0 is, and how wide a step


def at(step: float) -> float:
    """Where a step is, from the left."""
    return FIRST + STEP * step


def recovery() -> Figure:
    """A first life up to step 57; a second one that begins at the checkpoint of step 40."""
    figure = Figure(
        "12_recovery",
        800,
        300,
        "A death, and a recovery",
        "Two lines of steps, one above the other. The first begins at step 0. It saves a "
        "checkpoint at steps 0, 20 and 40, and dies at step 57. An arrow leads from the checkpoint "
        "of step 40 to the second line, which begins there and saves at steps 60, 80 and 100. "
        "The part of the first line between 40 and 57 is dashed: it has to be done again.",
    )
    upper, lower = 84, 210
    figure.text(24, 34, "the steps of a training", size=15, bold=True)
    for first, y in ((0, upper), (20, upper), (40, lower), (60, lower), (80, lower)):
        figure.bar(at(first), y, STEP * 20, 34, "op", f"{first + 1} … {first + 20}")
    figure.bar(at(40), upper, STEP * 17, 34, idle=True, label="41 … 57")
    figure.text(
        at(57) + 12,
        upper + 23,
        "dies at step 57: 17 steps are lost",
        role="accent",
        size=14,
        bold=True,
    )
    for step, y in ((0, upper), (20, upper), (40, upper), (60, lower), (80, lower), (100, lower)):
        figure.curve([(at(step), y - 8), (at(step), y + 42)], "accent")
        figure.text(at(step), y - 14, f"{step}", role="accent", size=13, anchor="middle", bold=True)
    figure.arrow((at(40), upper + 46), (at(40), lower - 6), "accent")
    figure.text(at(40) + 12, 164, "restored from the checkpoint of step 40", size=13)
    figure.text(24, 282, "upright lines: a checkpoint, every 20 steps", role="quiet", size=13)
    return figure


FIGURES = (recovery,)
