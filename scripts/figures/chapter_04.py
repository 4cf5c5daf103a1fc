"""The figures of chapter 4: clusters, and what goes on between their tasks."""

from canvas import Box, Figure


def cluster() -> Figure:
    """Two jobs, three tasks, each a server; a client at one of them."""
    figure = Figure(
        "04_cluster",
        800,
        330,
        "A cluster: jobs, tasks, servers",
        "The job ps has one task, ps:0, at the address machine-a:2221. The job worker has two, "
        "worker:0 at machine-a:2222 and worker:1 at machine-b:2222. Each task is a server, a "
        "process with a CPU as its device and two services, master and worker. Arrows in both "
        "directions join every task with every other one. A client, the notebook, is connected "
        "with worker:0 only.",
    )
    figure.region(250, 24, 220, 132, "job ps")
    figure.region(250, 172, 532, 134, "job worker")
    parameters = _task(figure, 360, 102, "ps:0", "machine-a:2221")
    first = _task(figure, 360, 250, "worker:0", "machine-a:2222")
    second = _task(figure, 672, 250, "worker:1", "machine-b:2222")
    client = figure.box(100, 250, ["client", "this notebook"], width=150, height=64)
    figure.arrow(client, first, "accent", both=True)
    figure.text(203, 236, "target", role="accent", size=13, anchor="middle", bold=True)
    figure.arrow(parameters, first, both=True)
    figure.arrow(first, second, both=True)
    figure.arrow(parameters.side("right"), second.side("top"), both=True)
    figure.note(496, 50, ["Each task is a server: a process", "with an address, devices, and"])
    figure.note(496, 86, ["two services, master and worker."])
    figure.note(28, 180, ["One program. Through its", "target, it may use them all."])
    return figure


def _task(figure: Figure, x: float, y: float, name: str, address: str) -> Box:
    return figure.box(x, y, [name, address, "CPU:0"], kind="variable", width=176, height=84)


def session() -> Figure:
    """What happens between client, master service and worker services."""
    figure = Figure(
        "04_session",
        800,
        380,
        "Client, master service, worker services",
        "1: the client sends the graph to the master service of worker:0, the target of its "
        "session. 2: the master decides where each operation goes and cuts the graph. 3: it sends "
        "each part to the worker service of its task: its own, that of ps:0 and that of worker:1. "
        "4: the parts run at the same time, and send tensors to each other directly. 5: the "
        "master gives the client what it fetched.",
    )
    figure.region(230, 24, 262, 332, "worker:0", role="accent")
    figure.region(570, 24, 212, 132, "ps:0")
    figure.region(570, 224, 212, 132, "worker:1")
    client = figure.box(92, 110, ["client", "graph, fetches"], width=148, height=64)
    master = figure.box(352, 110, ["master service", "place and cut"], width=170, height=64)
    own = figure.box(352, 290, ["worker service", "runs its part"], width=170, height=64)
    parameters = figure.box(676, 102, ["worker service", "runs its part"], width=170, height=64)
    other = figure.box(676, 290, ["worker service", "runs its part"], width=170, height=64)
    figure.arrow(client.side("right", -14), master.side("left", -14), "accent")
    figure.arrow(master.side("left", 16), client.side("right", 16))
    figure.arrow(master.side("bottom", -30), own.side("top", -30))
    figure.arrow(master.side("right", -8), parameters.side("left"))
    figure.arrow(master.side("right", 12), other.side("left", -18))
    figure.arrow(parameters.side("bottom"), other.side("top"), "accent", both=True)
    figure.arrow(own.side("right", 14), other.side("left", 14), "accent", both=True)
    figure.badge(200, 78, "1")
    figure.badge(200, 146, "5")
    figure.badge(352, 62, "2")
    figure.badge(302, 200, "3")
    figure.badge(534, 84, "3")
    figure.badge(534, 176, "3")
    figure.badge(700, 192, "4")
    figure.badge(534, 326, "4")
    figure.note(24, 206, ["1  here is a graph,", "    and what I want"])
    figure.note(
        24,
        242,
        [
            "2  where to, and cut",
            "3  run this part",
            "4  tensors, directly",
            "5  here is the result",
        ],
    )
    figure.note(366, 200, ["Its own part", "goes the same", "way."], on="region")
    return figure


def training() -> Figure:
    """Two workers that do not wait for each other, and one parameter server."""
    figure = Figure(
        "04_training",
        800,
        250,
        "Asynchronous training with one parameter server",
        "In the middle ps:0 with the parameters w and b. On the left worker:0, on the right "
        "worker:1; each reads the parameters, computes gradients from a batch of its own, and "
        "sends them to ps:0, which subtracts them at once. No arrow joins the two workers: "
        "neither waits for the other.",
    )
    figure.region(300, 36, 200, 150, "ps:0", role="accent")
    parameters = figure.box(400, 116, ["w, b", "subtract what comes"], "variable", 176, 70)
    left = figure.box(110, 116, ["worker:0", "batch, gradients"], width=170, height=70)
    right = figure.box(690, 116, ["worker:1", "batch, gradients"], width=170, height=70)
    for worker, inner, outer in ((left, "left", "right"), (right, "right", "left")):
        figure.arrow(parameters.side(inner, -16), worker.side(outer, -16))
        figure.arrow(worker.side(outer, 18), parameters.side(inner, 18), "accent")
    for x in (248, 552):
        figure.text(x, 84, "w, b", role="value", size=13, anchor="middle", mono=True, bold=True)
    for x in (248, 552):
        figure.text(x, 158, "dw, db", role="value", size=13, anchor="middle", mono=True, bold=True)
    figure.text(110, 200, "a loop of its own", role="quiet", size=13, anchor="middle")
    figure.text(690, 200, "a loop of its own", role="quiet", size=13, anchor="middle")
    figure.text(400, 218, "nobody waits for anybody", role="quiet", size=13, anchor="middle")
    return figure


FIGURES = (cluster, session, training)
