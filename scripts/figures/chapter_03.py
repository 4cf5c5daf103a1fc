"""The figures of chapter 3: parallel execution."""

from canvas import Box, Figure


def corner(box: Box) -> tuple[float, float]:
    """The place for a counter: the lower right corner of a box."""
    return box.x + box.width / 2 - 2, box.y + box.height / 2


def schedule() -> Figure:
    """Counters, the ready queue, two threads."""
    figure = Figure(
        "03_schedule",
        800,
        290,
        "Counters, a ready queue, and threads",
        "A graph in the middle of a step. x goes to a and b; a and b go to c; b goes to d; c and d "
        "go to e. a and b have run. c and d wait for nothing more: their counters are 0, and they "
        "lie in the ready queue, from which thread 1 takes c and thread 2 takes d. e has a counter "
        "of 2: it still waits for both.",
    )
    x = figure.box(70, 146, "x", "placeholder", width=64, height=42)
    a = figure.box(190, 86, "a", width=72, height=42)
    b = figure.box(190, 206, "b", width=72, height=42)
    c = figure.box(320, 86, "c", width=72, height=42)
    d = figure.box(320, 206, "d", width=72, height=42)
    e = figure.box(440, 146, "e", width=72, height=42, idle=True)
    for start, end in ((x, a), (x, b), (a, c), (b, c), (b, d)):
        figure.arrow(start, end)
    for start in (c, d):
        figure.arrow(start, e, "idle")
    for box, words in ((a, "0"), (b, "0"), (c, "0"), (d, "0"), (e, "2")):
        figure.badge(*corner(box), words)
    figure.text(190, 46, "have run", role="quiet", size=13, anchor="middle")
    figure.text(320, 46, "ready", role="accent", size=13, anchor="middle", bold=True)
    figure.text(440, 110, "waits", role="quiet", size=13, anchor="middle")
    figure.region(520, 56, 116, 190, "ready queue", role="accent")
    queued = [
        figure.box(578, 124, "c", width=72, height=42),
        figure.box(578, 202, "d", width=72, height=42),
    ]
    for number, box in enumerate(queued, start=1):
        thread = figure.box(
            722, box.y, f"thread {number}", "region", width=108, height=46, mono=False
        )
        figure.arrow(box, thread, "accent")
    figure.badge(34, 264, "n")
    figure.text(52, 269, "inputs that it still waits for", role="quiet", size=13)
    return figure


def pools() -> Figure:
    """Inter-op: operations side by side. Intra-op: shards of one."""
    figure = Figure(
        "03_pools",
        800,
        250,
        "Inter-op and intra-op threads",
        "Two pictures of work over time. Left, inter-op: thread 1 runs the operation left while "
        "thread 2 runs the operation right. Right, intra-op: one operation is split into four "
        "shards; the thread that runs it takes the shards 1 and 3, a thread of the intra-op pool "
        "the shards 2 and 4.",
    )
    figure.text(20, 34, "inter-op: several operations", size=15, bold=True)
    figure.text(420, 34, "intra-op: one operation, in shards", size=15, bold=True)
    lanes = (
        (20, 78, "thread 1", ("left",)),
        (20, 148, "thread 2", ("right",)),
        (420, 78, "thread 1", ("1 of 4", "3 of 4")),
        (420, 148, "intra-op", ("2 of 4", "4 of 4")),
    )
    for left, top, name, parts in lanes:
        figure.text(left, top + 28, name, role="quiet", size=13)
        width = 250 / len(parts)
        for number, part in enumerate(parts):
            kind = "op" if left < 400 else "constant"
            figure.bar(left + 84 + number * width, top, width - 6, 46, kind, part)
    for left in (104, 504):
        figure.arrow((left, 218), (left + 256, 218))
        figure.text(left + 128, 238, "time", role="quiet", size=13, anchor="middle")
    return figure


def five_nodes() -> Figure:
    """Five operations, two devices, a kernel in shards."""
    figure = Figure(
        "03_five_nodes",
        800,
        400,
        "Five operations on two devices",
        "Two devices, each with a ready queue and inter-op threads. On device 0, A and B have a "
        "counter of 0 and lie in the queue; one thread takes A, another takes B. The kernel of A "
        "is split into four shards, which go to the intra-op pool. On device 1, C has a counter of "
        "0 and is taken by a thread. D and E wait for C, and have a counter of 1.",
    )
    figure.region(16, 16, 430, 368, "device 0", role="accent")
    figure.region(470, 16, 314, 368, "device 1", role="accent")
    for left, name in ((36, "ready queue"), (182, "inter-op threads"), (328, "intra-op pool")):
        figure.text(left, 66, name, role="quiet", on="region", size=13)
    for left, name in ((490, "ready queue"), (636, "inter-op threads")):
        figure.text(left, 66, name, role="quiet", on="region", size=13)
    _, run_a = _taken(figure, 76, 118, "A", 234)
    _taken(figure, 76, 268, "B", 234)
    for number in range(4):
        top = 84 + 44 * number
        figure.bar(330, top, 100, 34, "constant", f"A {number + 1} of 4")
        figure.arrow(run_a.side("right"), (329, top + 17))
    c, _ = _taken(figure, 530, 118, "C", 690)
    for y, name in ((232, "D"), (320, "E")):
        waiting = figure.box(660, y, name, width=80, height=44, idle=True)
        figure.arrow((c.x, c.y + 24), waiting, "idle")
        figure.badge(*corner(waiting), "1")
    figure.note(488, 296, ["wait for C:", "when it is done,", "both come to 0"], on="region")
    figure.note(36, 340, ["Whoever is free in the pool takes", "the next shard of A."], on="region")
    return figure


def _taken(figure: Figure, x: float, y: float, name: str, thread_x: float) -> tuple[Box, Box]:
    """An operation in the queue, and the thread that takes it."""
    queued = figure.box(x, y, name, width=80, height=44)
    figure.badge(*corner(queued), "0")
    thread = figure.box(thread_x, y, f"runs {name}", "region", width=104, height=44, mono=False)
    figure.arrow(queued, thread, "accent")
    return queued, thread


def memory() -> Figure:
    """Eight tables: all at once, and in turn."""
    figure = Figure(
        "03_memory",
        800,
        236,
        "Memory over time, all at once and in turn",
        "Two pictures of memory over time. All at once: eight tables of 1 MiB are computed one "
        "after the other and kept; the memory grows to 8 MiB; then they are used one after the "
        "other, and it shrinks. In turn: each table is used and given back before the next one is "
        "computed; the memory is never more than 1 MiB.",
    )
    heights = ([*range(1, 9), *range(7, 0, -1)], [1] * 8)
    for left, words, bars in zip((20, 440), ("all at once", "in turn"), heights, strict=True):
        figure.text(left, 34, words, size=15, bold=True)
        for number, height in enumerate(bars):
            figure.bar(left + 24 * number, 198 - 17 * height, 20, 17 * height, "op")
        figure.arrow((left, 206), (left + 345, 206))
        figure.text(left + 172, 226, "time", role="quiet", size=13, anchor="middle")
    figure.value((200, 56), "8 MiB", dy=0)
    figure.value((536, 172), "1 MiB", dy=0)
    return figure


def late() -> Figure:
    """When eight copies lie on the GPU: early, and late."""
    figure = Figure(
        "03_late",
        800,
        262,
        "Eight copies on a GPU: early and late",
        "Two pictures, each with eight rows, a row for each vector, over time. Early: all vectors "
        "arrive at the start, and each one waits on the GPU until it is added; the later its turn, "
        "the longer its bar. Late: each vector arrives just before it is added, so that all bars "
        "are short and follow each other.",
    )
    for left, words in ((20, "as early as possible"), (440, "as late as possible")):
        figure.text(left, 34, words, size=15, bold=True)
        for number in range(8):
            end = 100 + 30 * number
            begin = 0 if left == 20 else max(end - 45, 0)
            figure.bar(left + begin, 46 + 22 * number, end - begin, 16, "op")
        figure.arrow((left, 232), (left + 330, 232))
        figure.text(left + 165, 252, "time", role="quiet", size=13, anchor="middle")
    return figure


def race() -> Figure:
    """Two steps, one lost update."""
    figure = Figure(
        "03_race",
        800,
        232,
        "A lost update",
        "Two steps over time, and the variable below them. Step one reads 0. Step two reads 0. "
        "Step one writes 1, and the variable is 1. Step two writes 1, and the variable is still 1. "
        "Two visits were counted as one.",
    )
    times = (170, 305, 440, 575)
    for y, words in ((50, "step one"), (116, "step two"), (194, "visits")):
        figure.text(24, y + 5, words, size=15, bold=True)
    moves = ((0, 50, "reads 0"), (1, 116, "reads 0"), (2, 50, "writes 1"), (3, 116, "writes 1"))
    for when, y, words in moves:
        kind = "placeholder" if words.startswith("reads") else "op"
        box = figure.box(times[when], y, words, kind, width=112, height=40)
        value = figure.box(times[when], 194, "0" if when < 2 else "1", "variable", width=64)
        ends = (value, box) if when < 2 else (box, value)
        figure.arrow(*ends, "line" if when < 3 else "accent")
    figure.text(664, 190, "two visits,", role="accent", size=14, bold=True)
    figure.text(664, 208, "one counted", role="accent", size=14, bold=True)
    return figure


def amdahl() -> Figure:
    """Speed-up against threads, by how much of the work can be spread."""
    figure = Figure(
        "03_amdahl",
        800,
        340,
        "Amdahl's law",
        "Curves of the speed-up against the number of threads, from 1 to 64. If all of the work "
        "can be spread, it is a straight line up to 64. With 99 percent it bends, and comes to 39 "
        "at 64 threads. With 90 percent it stays below 9, with 50 percent below 2.",
    )
    left, bottom, step, rise = 70, 290, 8.6, 4.2
    figure.arrow((left, bottom), (left + 600, bottom))
    figure.arrow((left, bottom), (left, 12))
    for threads in (1, 16, 32, 48, 64):
        at = left + step * threads
        figure.text(at, bottom + 20, str(threads), role="quiet", size=13, anchor="middle")
    for gain in (1, 16, 32, 48, 64):
        at = bottom - rise * gain
        figure.text(left - 10, at + 5, str(gain), role="quiet", size=13, anchor="end")
    figure.text(left + 300, bottom + 40, "threads", role="quiet", size=13, anchor="middle")
    figure.text(left + 14, 24, "times as fast", role="quiet", size=13)
    parts = ((1.0, "all", "control"), (0.99, "99 %", "accent"), (0.9, "90 %", "line"))
    for part, words, style in (*parts, (0.5, "50 % can be spread", "idle")):
        points = []
        for threads in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40, 48, 56, 64):
            gain = 1 / ((1 - part) + part / threads)
            points.append((left + step * threads, bottom - rise * gain))
        figure.curve(points, style)
        figure.text(points[-1][0] + 10, points[-1][1] + (5 if part > 0.5 else -3), words, size=13)
    return figure


FIGURES = (schedule, pools, five_nodes, memory, late, race, amdahl)
