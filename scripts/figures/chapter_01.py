"""The figures of chapter 1: graphs and sessions."""

from itertools import pairwise

from canvas import Box, Figure


def two_phases() -> Figure:
    """Assemble, then run."""
    figure = Figure(
        "01_two_phases",
        800,
        250,
        "Two phases: assemble a graph, then run it",
        "Left, phase 1: the Python line a = tf.add(3, 5) makes a graph of the nodes x, y, Add; "
        "nothing is computed. Right, phase 2: sess.run(a) walks through the graph; 3 and 5 travel "
        "along the edges to Add, and 8 comes back to Python.",
    )
    figure.region(16, 16, 376, 218, "Phase 1: assemble")
    figure.region(408, 16, 376, 218, "Phase 2: run")
    figure.code(34, 68, ["a = tf.add(3, 5)"], on="region")
    figure.code(426, 68, ["sess.run(a)"], on="region")
    for left in (0, 392):
        running = left > 0
        x = figure.box(74 + left, 120, "x", "constant")
        y = figure.box(74 + left, 188, "y", "constant")
        add = figure.box(212 + left, 154, "Add")
        style = "accent" if running else "line"
        first, second = figure.arrow(x, add, style), figure.arrow(y, add, style)
        if running:
            figure.value(first, "3", on="region", dy=-9)
            figure.value(second, "5", on="region", dy=19)
            end = figure.arrow(add, (724, 154), style)
            figure.value(end, "8", on="region", dy=-9)
            figure.note(668, 188, ["back to Python"], on="region")
        else:
            figure.note(262, 150, ["a plan:", "no value yet"], on="region")
    return figure


def add_graph() -> Figure:
    """tf.add(3, 5): two constants that got their names from the arguments."""
    figure = Figure(
        "01_add_graph",
        800,
        230,
        "The graph of tf.add(3, 5)",
        "Three nodes. The constants, named Add/x with value 3 and Add/y with value 5, each send "
        "one tensor to the node Add. The tensor that leaves Add is called Add:0, has shape () and "
        "type int32. The names x and y are the names of the two arguments of tf.add.",
    )
    figure.code(28, 42, ["tf.add(x=3, y=5, name=None)"])
    figure.text(28, 64, "       ↑    ↑    ↑", role="accent", size=13, mono=True)
    figure.note(28, 84, ["two arguments"])
    figure.note(160, 84, ["no name given: “Add”"])
    x = figure.box(400, 62, "3", "constant")
    y = figure.box(400, 166, "5", "constant")
    add = figure.box(572, 114, ("Add", "AddV2"), width=96)
    figure.text(360, 66, "Add/x", size=14, anchor="end", mono=True)
    figure.text(360, 170, "Add/y", size=14, anchor="end", mono=True)
    figure.value(figure.arrow(x, add), "Add/x:0", dx=26, dy=-10)
    figure.value(figure.arrow(y, add), "Add/y:0", dx=26, dy=20)
    figure.value(figure.arrow(add, (776, 114)), "Add:0", dx=-4, dy=-12)
    figure.note(650, 138, ["shape=()", "dtype=int32"])
    figure.note(
        28, 178, ["node: name and type of operation", "arrow: a tensor, node name “:” output"]
    )
    return figure


def pruning() -> Figure:
    """Only what the fetch needs is run."""
    figure = Figure(
        "01_pruning",
        800,
        270,
        "Pruning: the node useless is not run",
        "The constants x = 2 and y = 3 lead to add_op and mul_op; both lead to pow_op, which is "
        "fetched: 5 to the power of 6 is 15625. The node useless takes x and add_op, but nothing "
        "that is fetched needs it. It is drawn with a dashed grey outline, and it does not run.",
    )
    x = figure.box(60, 84, "2", "constant")
    y = figure.box(60, 186, "3", "constant")
    figure.text(60, 48, "x", size=14, anchor="middle", mono=True)
    figure.text(60, 232, "y", size=14, anchor="middle", mono=True)
    useless = figure.box(410, 46, "useless", idle=True, width=106)
    add = figure.box(230, 110, "add_op", width=98)
    mul = figure.box(230, 200, "mul_op", width=98)
    power = figure.box(560, 155, "pow_op", width=98)
    for start, end in ((x, add), (y, add), (x, mul), (y, mul)):
        figure.arrow(start, end)
    figure.arrow(x, useless, "idle", bend=40)
    figure.arrow(add, useless, "idle")
    figure.value(figure.arrow(add, power), "5", dy=-9)
    figure.value(figure.arrow(mul, power), "6", dy=20)
    figure.value(figure.arrow(power, (690, 155), "accent"), "15625", dy=-11)
    figure.text(700, 160, "fetched", role="accent", size=14, bold=True)
    figure.note(480, 40, ["nothing fetched needs it:", "not run"])
    figure.note(240, 252, ["x and y are drawn once; the graph holds a constant for each use"])
    return figure


def client_session_runtime() -> Figure:
    """Who does what between sess.run and the answer."""
    figure = Figure(
        "01_client_session_runtime",
        800,
        262,
        "Client, session and runtime",
        "Three parts. The client is your Python program or notebook: it holds the graph. The "
        "session carries a request to the runtime: what to fetch, and which values are fed; arrays "
        "come back. The runtime holds devices with kernels, such as the CPU, and the values of "
        "variables. The runtime may be in the same process, or behind a network address on "
        "another machine.",
    )
    figure.region(16, 16, 232, 230, "Client: your notebook")
    figure.region(316, 16, 152, 230, "Session")
    figure.region(536, 16, 248, 230, "Runtime")
    figure.box(132, 92, ("Graph", "nodes and edges"), "region", width=180, height=58)
    figure.box(132, 178, ("sess.run(", "  fetches, feeds)"), "region", width=180, height=58)
    figure.box(
        392,
        136,
        ("target", "“”: here", "“grpc://…”: there"),
        "region",
        width=136,
        height=84,
        size=13,
    )
    figure.box(660, 84, ("plan", "prune, place, order"), "op", width=200, height=52)
    figure.box(660, 148, ("devices", "a kernel for each op"), "op", width=200, height=52)
    figure.box(660, 212, ("variables", "stay between runs"), "variable", width=200, height=52)
    for y, forth in ((104, True), (170, False)):
        for left in (248, 468):
            ends = ((left + 2, y), (left + 66, y))
            figure.arrow(*(ends if forth else ends[::-1]), "accent")
    figure.text(282, 92, "request", role="quiet", size=12, anchor="middle")
    figure.text(502, 92, "request", role="quiet", size=12, anchor="middle")
    figure.text(282, 190, "arrays", role="quiet", size=12, anchor="middle")
    figure.text(502, 190, "arrays", role="quiet", size=12, anchor="middle")
    return figure


def feeds() -> Figure:
    """One graph, many runs: a placeholder takes what the run feeds."""
    figure = Figure(
        "01_feeds",
        800,
        220,
        "Placeholders and feeds",
        "One graph: the placeholders x and y lead to the node add, whose output is z. Two runs of "
        "it. The first feeds 3 and 4.5 and gives 7.5. The second feeds the vectors 1, 3 and 2, 4 "
        "and gives the vector 3, 7. The graph is the same in both.",
    )
    figure.text(28, 34, "the graph, built once", role="quiet", size=13, bold=True)
    x = figure.box(90, 88, "x", "placeholder", width=80, height=44)
    y = figure.box(90, 164, "y", "placeholder", width=80, height=44)
    add = figure.box(236, 126, ("add", "z"), width=84)
    figure.arrow(x, add)
    figure.arrow(y, add)
    figure.arrow(add, (320, 126))
    for left, number, values in (
        (350, "1", ("3", "4.5", "7.5")),
        (574, "2", ("[1, 3]", "[2, 4]", "[3. 7.]")),
    ):
        figure.region(left, 20, 210, 184, f"run {number}")
        for row, (name, value) in enumerate(zip(("feed x", "feed y", "fetch z"), values)):
            height = 82 + 46 * row
            figure.text(left + 16, height, name, role="quiet", on="region", size=13)
            figure.value((left + 140, height), value, on="region", dy=0)
    return figure


def variables() -> Figure:
    """A variable's value stays when the step is over; each session has its own."""
    figure = Figure(
        "01_variables_outlive_the_step",
        800,
        250,
        "Variables outlive the step",
        "Two sessions of one graph, with time from left to right. In session first the variable v "
        "is initialised to 0, then three steps each add 1: it holds 1, 2, 3, and keeps its value "
        "between the steps. In session second the same variable is initialised later and has taken "
        "one step: it holds 1. Each local session has values of its own.",
    )
    for top, name, values in ((20, "session first", "0123"), (136, "session second", "01")):
        figure.region(16, top, 768, 98, name)
        boxes: list[Box] = []
        for column, value in enumerate(values):
            left = 210 + 148 * (column + (2 if name == "session second" else 0))
            box = figure.box(left, top + 60, f"v = {value}", "variable", width=84, height=44)
            words = "initialise" if column == 0 else "add 1"
            if boxes:
                at = figure.arrow(boxes[-1], box)
            else:
                at = figure.arrow((left - 112, top + 60), box)
            figure.text(at[0], top + 48, words, role="quiet", on="region", size=12, anchor="middle")
            boxes.append(box)
    return figure


def gradient_graph() -> Figure:
    """tf.gradients adds nodes to the same graph."""
    figure = Figure(
        "01_gradient_graph",
        800,
        306,
        "tf.gradients adds nodes to the graph",
        "Upper row, built by you: x and w go into Mul, Mul goes into Square, which is the loss. "
        "Lower row, built by tf.gradients, from right to left: a 1 starts at the loss; the "
        "gradient of Square needs the value of Mul; the gradient of Mul needs the value of x; what "
        "comes out is d loss / d w. Both rows are nodes of one graph.",
    )
    figure.region(16, 16, 768, 146, "built by your program")
    figure.region(16, 190, 768, 100, "added by tf.gradients(loss, w)")
    w = figure.box(220, 70, "w", "variable", width=72, height=42)
    x = figure.box(220, 130, "x", "placeholder", width=72, height=42)
    product = figure.box(400, 100, "w * x", width=94, height=42)
    loss = figure.box(580, 100, "square", width=94, height=42)
    figure.arrow(w, product)
    figure.arrow(x, product)
    figure.arrow(product, loss)
    figure.arrow(loss, (692, 100))
    figure.text(700, 105, "loss", on="region", size=14, bold=True)
    one = figure.box(716, 248, "1", "constant")
    back_square = figure.box(580, 248, "2 · (w * x)", width=122, height=42)
    back_mul = figure.box(400, 248, "· x", width=94, height=42)
    figure.arrow(one, back_square, "accent")
    figure.arrow(back_square, back_mul, "accent")
    figure.arrow(back_mul, (284, 248), "accent")
    figure.text(178, 253, "d loss / d w", role="accent", on="region", size=14, bold=True)
    figure.arrow(product, back_square)
    figure.arrow(x, back_mul)
    return figure


def journey() -> Figure:
    """What happens to a request, and where in tinytf to read about it."""
    figure = Figure(
        "01_journey_of_a_step",
        800,
        236,
        "The journey of a step",
        "Five stations, left to right. Request: fetches and feeds. Prune: keep what the fetches "
        "need. Plan: count for every node how many inputs it waits for. Segments: runs of nodes "
        "become straight code. Run: nodes whose count is zero run and lower the counts of the "
        "nodes behind them, until the fetches are there. A dotted arrow from the request to run "
        "says that a second run of the same request takes the plan that was made before.",
    )
    stations = (
        ("request", ("fetches", "and feeds")),
        ("prune", ("keep what the", "fetches need")),
        ("plan", ("count inputs", "to wait for")),
        ("segments", ("straight code", "for node runs")),
        ("run", ("count zero:", "it runs")),
    )
    boxes = []
    for index, (name, lines) in enumerate(stations):
        x = 92 + 154 * index
        boxes.append(figure.box(x, 112, name, width=112, height=46, size=15))
        figure.badge(x - 56, 89, str(index + 1))
        for row, line in enumerate(lines):
            figure.text(x, 160 + 18 * row, line, role="quiet", size=13, anchor="middle")
    for before, after in pairwise(boxes):
        figure.arrow(before, after, "accent")
    figure.arrow(boxes[0].side("top"), boxes[4].side("top"), "control", bend=76)
    figure.text(
        400, 38, "the same request again: straight to run", role="quiet", size=13, anchor="middle"
    )
    figure.text(
        400,
        216,
        "made once for each pair of fetches and fed names, then kept",
        role="quiet",
        size=13,
        anchor="middle",
    )
    return figure


def loop() -> Figure:
    """The cycle of a while_loop with one variable."""
    figure = Figure(
        "01_loop",
        800,
        300,
        "The cycle of a while_loop with one variable",
        "The number 1 goes through Enter to Merge. From Merge it goes to a condition, i < n, which "
        "leads to LoopCond, and to Switch, which LoopCond steers. If the condition is true, Switch "
        "sends the value on to the body, i * 2, then to NextIteration and back to Merge: another "
        "iteration. If it is false, Switch sends it to Exit, and it leaves the loop.",
    )
    figure.region(100, 16, 656, 268, "the loop")
    start = figure.box(48, 148, "1", "constant")
    enter = figure.box(158, 148, "Enter")
    merge = figure.box(264, 148, "Merge")
    switch = figure.box(412, 148, "Switch")
    body = figure.box(532, 148, "i * 2")
    following = figure.box(668, 148, "NextIteration")
    condition = figure.box(264, 238, "i < n")
    decision = figure.box(412, 238, "LoopCond")
    leave = figure.box(568, 238, "Exit")
    for before, after in ((start, enter), (enter, merge), (merge, switch), (body, following)):
        figure.arrow(before, after)
    figure.arrow(merge, condition)
    figure.arrow(condition, decision)
    figure.arrow(decision, switch)
    true = figure.arrow(switch, body, "accent")
    figure.value(true, "true", on="region")
    false = figure.arrow(switch, leave)
    figure.value(false, "false", dx=20, on="region")
    figure.arrow(following.side("top"), merge.side("top"), "accent", bend=-110)
    figure.text(
        466,
        68,
        "the next iteration",
        role="accent",
        on="region",
        size=13,
        anchor="middle",
        bold=True,
    )
    figure.arrow(leave, (792, 238))
    figure.note(634, 262, ["the final value"], on="region")
    return figure


FIGURES = (
    two_phases,
    add_graph,
    pruning,
    client_session_runtime,
    feeds,
    variables,
    gradient_graph,
    journey,
    loop,
)
