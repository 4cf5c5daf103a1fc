"""The figure of chapter 9: a fleet of trials, and an ensemble of the best."""

from canvas import Figure


def fleet() -> Figure:
    """A line of trials in front of three workers; three members that answer together."""
    figure = Figure(
        "09_fleet",
        800,
        330,
        "A fleet, and an ensemble",
        "Left: trials with the rates 0.2, 0.3 and 5.0 wait in a line. Arrows lead from the line to "
        "three workers, and in each worker is a network in a container of its own. Right: three "
        "members get the same question and send their scores to an aggregator. The arrow of the "
        "third member, which is dead, is missing.",
    )
    figure.text(200, 34, "a fleet of trials", size=15, bold=True, anchor="middle")
    figure.text(610, 34, "an ensemble", size=15, bold=True, anchor="middle")
    figure.region(24, 56, 96, 220, "the line")
    waiting = [
        figure.box(72, y, words, "op", width=64, height=40, mono=False, size=13)
        for y, words in ((116, "0.2"), (172, "0.3"), (228, "5.0"))
    ]
    for number, y in enumerate((58, 134, 210)):
        figure.region(200, y, 190, 66)
        network = figure.box(262, y + 33, f"trial{number}", "variable", 96, 42, size=13)
        figure.text(352, y + 38, f"worker:{number}", "quiet", "region", 12, "middle", bold=True)
        figure.arrow(waiting[1].side("right", 14 * (number - 1)), network, "line")
    asked = figure.box(480, 167, "question", "placeholder", width=104, height=44, mono=False)
    adds = figure.box(722, 167, ("adds up", "in time"), width=104, height=60, mono=False)
    for number, y in enumerate((92, 167, 242)):
        dead = number == 2
        words = "dead" if dead else f"member{number}"
        member = figure.box(606, y, words, width=104, height=44, idle=dead, size=13)
        figure.arrow(asked, member, "line")
        if not dead:
            figure.arrow(member, adds, "accent")
    for x, words in (
        (200, "each in a container of its own"),
        (610, "the answer of those who answered"),
    ):
        figure.text(x, 312, words, role="quiet", size=13, anchor="middle")
    return figure


FIGURES = (fleet,)
