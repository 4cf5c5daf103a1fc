"""The figures of chapter 2: devices and placement."""

from canvas import Box, Figure


def rooms() -> Figure:
    """Devices as rooms; what goes through a wall is copied."""
    figure = Figure(
        "02_rooms",
        800,
        270,
        "Devices as rooms, operations in them",
        "Three rooms. In CPU:0 are the placeholder batch and the variable w. In GPU:0 are MatMul, "
        "which needs both of them, and Relu. In GPU:1 are another MatMul, which needs the output "
        "of Relu, and Sum. What goes from room to room is copied, and the arrows say how much: "
        "batch 1 MiB, w 64 KiB, the output of Relu 1 MiB. The result of Sum goes back to the CPU, "
        "4 bytes.",
    )
    for left, name in ((16, "CPU:0"), (300, "GPU:0"), (584, "GPU:1")):
        figure.region(left, 16, 200, 178, name, role="accent")
    batch = figure.box(104, 74, "batch", "placeholder", width=104, height=42)
    w = figure.box(104, 146, "w", "variable", width=104, height=42)
    product = figure.box(376, 92, "MatMul", width=92, height=42)
    relu = figure.box(424, 156, "Relu", width=84, height=42)
    second = figure.box(660, 92, "MatMul", width=92, height=42)
    total = figure.box(708, 156, "Sum", width=84, height=42)
    figure.arrow(product, relu)
    figure.arrow(second, total)
    figure.arrow(batch, product, "accent")
    figure.arrow(w, product, "accent")
    figure.arrow(relu, second, "accent")
    figure.value((258, 68), "1 MiB", dy=0)
    figure.value((258, 142), "64 KiB", dy=0)
    figure.value((542, 106), "1 MiB", dy=0)
    figure.arrow(total.side("bottom"), (116, 196), "accent", bend=96)
    figure.value((400, 222), "4 bytes", dy=0)
    figure.text(400, 258, "the result, for Python", role="quiet", size=13, anchor="middle")
    return figure


WIDE = 290  # a GPU's memory in the picture, 64 MiB


def three_ways() -> Figure:
    """How two programs can share two GPUs."""
    figure = Figure(
        "02_three_ways",
        800,
        326,
        "Three ways for two programs to share two GPUs",
        "Each GPU has 64 MiB. By default program A takes 56 MiB of both, and B finds 8 MiB. "
        "Way 1, CUDA_VISIBLE_DEVICES: A takes 56 MiB of GPU 0, B takes 56 MiB of GPU 1. Way 2, a "
        "fraction of 0.4: A and B take 25.6 MiB each of both GPUs. Way 3, allow_growth: on GPU 0 A "
        "has taken regions of 2, 4 and 8 MiB, B of 2 and 8 MiB, and 40 MiB are free; GPU 1 is "
        "free.",
    )
    figure.text(180, 34, "GPU 0: 64 MiB", role="quiet", size=13, bold=True)
    figure.text(492, 34, "GPU 1: 64 MiB", role="quiet", size=13, bold=True)
    growth = (("A", 2), ("A", 4), ("A", 8), ("B", 2), ("B", 8))
    rows = (
        ("by default", "A came first", (("A", 56),), (("A", 56),)),
        ("1: visible", "one card each", (("A", 56),), (("B", 56),)),
        ("2: fraction", "0.4 for each", *[(("A", 25.6), ("B", 25.6))] * 2),
        ("3: growth", "as it is needed", growth, ()),
    )
    for number, (name, remark, *gpus) in enumerate(rows):
        top = 50 + 66 * number
        figure.text(20, top + 18, name, size=15, bold=True)
        figure.text(20, top + 37, remark, role="quiet", size=13)
        for left, regions in zip((180, 492), gpus):
            _memory(figure, left, top, regions)
    figure.note(20, 316, ["A, B: taken by that program      dashed: free"])
    return figure


def _memory(figure: Figure, left: float, top: float, regions: tuple[tuple[str, float], ...]):
    """One GPU's memory as a bar, with the regions that programs have taken."""
    figure.bar(left, top, WIDE, 44, "op", idle=True)
    for owner, size in regions:
        width = WIDE * size / 64
        words = f"{owner} {size:g}" if width > 90 else owner if width > 15 else ""
        figure.bar(left, top, width, 44, "op" if owner == "A" else "constant", words)
        left += width


def simple_placer() -> Figure:
    """The questions of the simple placer."""
    figure = Figure(
        "02_simple_placer",
        800,
        330,
        "The simple placer's questions",
        "From top to bottom. Has it a value in this session already? Yes: it stays where it is. "
        "No: does tf.device ask for a device? Yes: that device, if it exists and has a kernel; if "
        "not, an error, or with soft placement the next question. No: is there a GPU, and a kernel "
        "for it? Yes: GPU 0. No: the CPU.",
    )
    questions = (
        ("has a value already?", "it stays where it is"),
        ("tf.device asks?", "that device"),
        ("a GPU, and a kernel?", "GPU 0"),
    )
    boxes: list[Box] = []
    for number, (question, outcome) in enumerate(questions):
        y = 52 + 88 * number
        box = figure.box(150, y, question, width=224, height=46, mono=False, size=15)
        figure.badge(38, y - 23, str(number + 1))
        end = figure.box(450, y, outcome, "region", width=204, height=46, mono=False, size=15)
        figure.value(figure.arrow(box, end, "accent"), "yes")
        if boxes:
            middle = figure.arrow(boxes[-1], box)
            figure.value(middle, "no", dx=18, dy=5)
        boxes.append(box)
    last = figure.box(150, 298, "CPU 0", "region", width=224, height=42, mono=False, size=15)
    figure.value(figure.arrow(boxes[-1], last), "no", dx=18, dy=5)
    figure.box(724, 140, "error", "region", width=104, height=46, mono=False, size=15)
    figure.arrow((552, 140), (672, 140), "idle")
    figure.text(612, 116, "not there,", role="quiet", size=13, anchor="middle")
    figure.text(612, 131, "or no kernel", role="quiet", size=13, anchor="middle")
    figure.arrow((400, 163), (262, 208), "control")
    figure.note(372, 192, ["not there, or no kernel, and soft placement"])
    return figure


def send_recv() -> Figure:
    """Edges that cross become one Send and one Recv."""
    figure = Figure(
        "02_send_recv",
        800,
        268,
        "Edges between devices become Send and Recv",
        "Left, the graph as you build it: x on CPU:0 has three edges to GPU:0, two to product and "
        "one to shifted. Right, the graph as it runs: on CPU:0 x goes to one Send; 262144 bytes "
        "travel to one Recv on GPU:0; from there three edges go to product and shifted.",
    )
    figure.text(20, 34, "as you build it", role="quiet", size=13, bold=True)
    figure.text(350, 34, "as it runs", role="quiet", size=13, bold=True)
    figure.region(16, 48, 110, 200, "CPU:0", role="accent")
    figure.region(176, 48, 124, 200, "GPU:0", role="accent")
    x = figure.box(70, 150, "x", width=64)
    figure.box(238, 112, "product", width=96)
    figure.box(238, 204, "shifted", width=96)
    figure.arrow((102, 144), (190, 104))
    figure.arrow((102, 152), (190, 120))
    figure.arrow((102, 160), (190, 202))
    figure.region(346, 48, 166, 200, "CPU:0", role="accent")
    figure.region(590, 48, 194, 200, "GPU:0", role="accent")
    x = figure.box(384, 150, "x", width=52)
    send = figure.box(462, 150, "Send", width=72)
    receive = figure.box(634, 150, "Recv", width=72)
    figure.box(732, 112, "product", width=92)
    figure.box(732, 204, "shifted", width=92)
    figure.arrow(x, send)
    figure.arrow(send, receive, "accent")
    figure.value((551, 136), "262144", dy=0)
    figure.value((551, 172), "bytes", dy=0)
    figure.arrow((670, 144), (686, 104))
    figure.arrow((670, 152), (686, 122))
    figure.arrow((670, 158), (686, 198))
    return figure


def greedy() -> Figure:
    """One step under both placers, in virtual time."""
    figure = Figure(
        "02_greedy",
        800,
        318,
        "The same step under two placers, in virtual time",
        "Two time lines of one step, as the cost model predicts them. Simple placer: GPU 0 "
        "computes left/m0, right/m0, left/m1 and right/m1 one after the other, each half a "
        "millisecond; GPU 1 is idle; the step takes 2.1 milliseconds. Cost model: GPU 0 computes "
        "left/m0 and left/m1. At the same time x is copied to GPU 1, in 0.4 milliseconds, which "
        "then computes right/m0 and right/m1; the step takes 1.4 milliseconds.",
    )
    start, one = 96.0, 300.0  # where time begins, and a millisecond

    def at(milliseconds: float) -> float:
        return start + one * milliseconds

    product = 0.51
    on_one_gpu = [
        (product * n, name) for n, name in enumerate(("left/m0", "right/m0", "left/m1", "right/m1"))
    ]
    plans = (
        ("Simple placer", 50, on_one_gpu, [], 2.1),
        (
            "Cost model",
            176,
            [(0.01, "left/m0"), (0.52, "left/m1")],
            [(0.37, "right/m0"), (0.88, "right/m1")],
            1.44,
        ),
    )
    for name, top, first, second, end in plans:
        figure.text(20, top - 14, name, size=15, bold=True)
        for row, runs in enumerate((first, second)):
            y = top + 44 * row
            figure.text(20, y + 24, f"GPU {row}", role="quiet", size=13)
            figure.bar(start, y, one * 2.2, 38, "op", idle=True)
            if row and runs:
                figure.bar(at(0.01), y, one * 0.35, 38, "constant", "copy of x")
            for begins, words in runs:
                figure.bar(at(begins), y, one * product, 38, "op", words)
        figure.arrow((at(end), top - 24), (at(end), top - 2), "accent")
        figure.text(
            at(end) - 8, top - 12, f"{end:.1f} ms", role="accent", size=13, anchor="end", bold=True
        )
    for tick in (0, 0.5, 1, 1.5, 2):
        figure.text(at(tick), 288, f"{tick:g} ms", role="quiet", size=13, anchor="middle")
    figure.note(20, 310, ["virtual time, as the cost model predicts it      dashed: idle"])
    return figure


FIGURES = (rooms, three_ways, simple_placer, send_recv, greedy)
