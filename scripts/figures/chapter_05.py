"""The figures of chapter 5: where state lives, and four clients with two containers."""

from canvas import Box, Figure


def _session(figure: Figure, x: float, y: float, words: str) -> Box:
    return figure.box(x, y, words, width=104, height=40, mono=False, size=13)


def worlds() -> Figure:
    """A local session, a server, a cluster: where x is, and for whom."""
    figure = Figure(
        "05_worlds",
        800,
        330,
        "Three worlds of variables",
        "Left, local: two sessions, and in each of them a variable x of its own. Middle, one "
        "server: two sessions outside of it lead to one x inside of the server. "
        "Right, a cluster: sessions at worker 0 and at worker 1 "
        "both lead to the x on the parameter server ps 0.",
    )
    for x, words in ((130, "local sessions"), (385, "one server"), (655, "a cluster")):
        figure.text(x, 34, words, size=15, bold=True, anchor="middle")
    for y, words in ((56, "a session"), (166, "another session")):
        figure.region(30, y, 200, 92, words)
        figure.box(130, y + 56, "x", "variable", width=70, height=44)
    figure.region(300, 166, 170, 92)
    figure.text(385, 248, "the server", "accent", "region", 13, "middle", bold=True)
    shared = figure.box(385, 204, "x", "variable", width=70, height=44)
    for session, shift in ((325, -16), (445, 16)):
        figure.arrow(
            _session(figure, session, 84, "a session"), shared.side("top", shift), "accent"
        )
    figure.region(560, 196, 190, 94)
    figure.text(655, 280, "ps:0", "accent", "region", 13, "middle", bold=True)
    home = figure.box(655, 236, "x", "variable", width=70, height=44)
    for number, (x, shift) in enumerate(((590, -16), (720, 16))):
        worker = figure.box(x, 146, f"worker:{number}", "region", width=110, height=40)
        figure.arrow(_session(figure, x, 78, "a session"), worker)
        figure.arrow(worker, home.side("top", shift), "accent")
    for x, words in (
        (130, "each has its own"),
        (385, "one for all its sessions"),
        (655, "one place, named by the device"),
    ):
        figure.text(x, 314, words, role="quiet", size=13, anchor="middle")
    return figure


def clients() -> Figure:
    """Clients A to D, the default container and my_problem_1."""
    figure = Figure(
        "05_clients",
        800,
        300,
        "Four clients, two containers",
        "A parameter server with two containers. The default container has the variables x and y, "
        "the container my_problem_1 has another x. Arrows: client A leads to x and y of the "
        "default container, client B to its x, client C to its y and to the x of my_problem_1, "
        "client D to the x of my_problem_1.",
    )
    figure.region(70, 158, 660, 126)
    figure.text(84, 230, "ps:0", "quiet", "region", 13, bold=True)
    figure.region(150, 176, 280, 96)
    figure.text(287, 258, "default container", "quiet", "region", 13, "middle", bold=True)
    figure.region(500, 176, 200, 96)
    figure.text(600, 258, "my_problem_1", "accent", "region", 13, "middle", bold=True)
    x = figure.box(215, 214, "x", "variable", width=70, height=44)
    y = figure.box(360, 214, "y", "variable", width=70, height=44)
    other = figure.box(600, 214, "x", "variable", width=70, height=44)
    client = {
        name: figure.box(at, 48, f"client {name}", width=110, height=44, mono=False)
        for name, at in (("B", 130), ("A", 290), ("C", 480), ("D", 660))
    }
    figure.arrow(client["B"].side("bottom"), x.side("top", -14), "line")
    figure.arrow(client["A"].side("bottom", -20), x.side("top", 14), "line")
    figure.arrow(client["A"].side("bottom", 20), y.side("top", -14), "line")
    figure.arrow(client["C"].side("bottom", -20), y.side("top", 14), "line")
    figure.arrow(client["C"].side("bottom", 20), other.side("top", -14), "accent")
    figure.arrow(client["D"].side("bottom"), other.side("top", 14), "accent")
    return figure


def table() -> Figure:
    """A table of seven rows on two servers: cut into blocks, and dealt out."""
    figure = Figure(
        "05_table",
        800,
        226,
        "A table on two parameter servers",
        "Left: seven rows cut into blocks, rows 0 to 3 on ps 0 and rows 4 to 6 on ps 1; a lookup "
        "with div means this. Right: the rows dealt out in turn, 0, 2, 4, 6 on ps 0 and 1, 3, 5 on "
        "ps 1; a lookup with mod means this.",
    )
    halves = (
        (20, "cut into blocks", "div", ("0123", "456")),
        (420, "dealt out in turn", "mod", ("0246", "135")),
    )
    for left, words, strategy, parts in halves:
        figure.text(left + 180, 32, words, size=15, bold=True, anchor="middle")
        for number, rows in enumerate(parts):
            figure.region(left + 185 * number, 52, 175, 120, f"ps:{number}")
            for place, row in enumerate(rows):
                figure.bar(
                    left + 185 * number + 14 + 37 * place,
                    92,
                    34,
                    58,
                    "variable" if number == 0 else "op",
                    row,
                )
        note = f'what a lookup with "{strategy}" takes for granted'
        figure.text(left + 180, 200, note, role="quiet", size=13, anchor="middle")
    return figure


FIGURES = (worlds, table, clients)
