"""The figures of chapter 11: four ways to train with replicas, and what a stale gradient is."""

from canvas import Figure


def ways() -> Figure:
    """In one graph or between graphs, in step or each at its own pace."""
    figure = Figure(
        "11_ways",
        800,
        470,
        "Four ways to train one network with three workers",
        "Four panels. Above, one client has a graph with three replicas: left in step, all three "
        "lead to one update of the parameter server; right each at its own pace, each replica has "
        "an arrow of its own to the parameter server. Below, three clients have a graph with one "
        "replica each: left, in step, they meet at a barrier before the parameter server; right, "
        "each goes to the parameter server by itself.",
    )
    figure.text(212, 30, "in step (synchronous)", size=15, bold=True, anchor="middle")
    figure.text(590, 30, "at its own pace (asynchronous)", size=15, bold=True, anchor="middle")
    for column, x in enumerate((30, 410)):
        for row, y in enumerate((46, 256)):
            _way(figure, x, y, in_step=column == 0, one_graph=row == 0)
    return figure


def _way(figure: Figure, x: float, y: float, in_step: bool, one_graph: bool) -> None:
    figure.region(x, y, 360, 196, "in one graph" if one_graph else "between graphs")
    server = figure.box(x + 304, y + 112, ("the", "variables"), "variable", 92, 60, size=13)
    meets = figure.box(x + 196, y + 112, "mean", width=62, height=40, size=13) if in_step else None
    if one_graph:
        figure.region(x + 10, y + 34, 122, 152)
    for number in range(3):
        top = y + 60 + 48 * number if one_graph else y + 58 + 54 * number
        if not one_graph:
            figure.region(x + 10, top - 24, 122, 48)
        replica = figure.box(x + 71, top, f"replica {number}", width=98, height=34, size=13)
        if meets is not None:
            figure.arrow(replica, meets, "line")
        else:
            figure.arrow(replica, server.side("left", 16 * (number - 1)), "accent")
    if meets is not None:
        figure.arrow(meets, server, "accent")
    clients = "one client" if one_graph else "three clients"
    figure.text(x + 348, y + 186, clients, "quiet", "region", 12, "end")


def stale() -> Figure:
    """Two workers at one variable: a gradient that comes late."""
    figure = Figure(
        "11_stale",
        800,
        230,
        "A gradient that comes late",
        "Versions of the variables from left to right, 4 to 8. Worker 0 reads version 4, computes, "
        "and its gradient makes version 5; it reads version 5, and makes version 7. Worker 1 reads "
        "version 4 as well, and its gradient makes version 6: one update came between. Worker 2 "
        "reads version 4, is slow, and its gradient makes version 8: three updates came between.",
    )
    left, wide = 120, 140
    for number, version in enumerate(range(4, 9)):
        x = left + wide * number
        figure.box(x, 40, f"v{version}", "variable", 52, 32, size=13)
        figure.curve([(x, 58), (x, 214)], "idle")
    lanes = (
        ("worker 0", ((4, 4, "fresh"), (5, 6, "1 update old"))),
        ("worker 1", ((4, 5, "1 update old"),)),
        ("worker 2", ((4, 7, "3 updates old"),)),
    )
    for row, (name, gradients) in enumerate(lanes):
        y = 76 + 48 * row
        figure.text(14, y + 22, name, size=13, bold=True)
        for read, changed, words in gradients:
            start, end = left + wide * (read - 4), left + wide * (changed + 1 - 4)
            figure.bar(start + 4, y, end - start - 12, 34, "op", words)
            figure.arrow((end - 8, y + 17), (end, y + 17), "accent")
    return figure


FIGURES = (ways, stale)
