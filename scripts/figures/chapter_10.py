"""The figures of chapter 10: four ways to cut a network, and the wave."""

from canvas import Figure


def cuts() -> Figure:
    """By layers, vertically, partially connected, recurrent."""
    figure = Figure(
        "10_cuts",
        800,
        330,
        "Four ways to cut a network over two devices",
        "By layers: pixels and layer 1 on device 0, layer 2 and the scores on device 1. "
        "Vertically: half of layer 1 and half of layer 2 on each device. Partially connected: each "
        "device has two layers of its own. Recurrent: a row of cells on each device. Of each it is "
        "asked what crosses.",
    )
    _by_layers(figure, 24)
    _in_halves(figure, 218, "vertically", ("half of 2", "half of 1"))
    _in_halves(figure, 412, "partially connected", ("its own 2", "its own 1"))
    _recurrent(figure, 606)
    return figure


def _by_layers(figure: Figure, x: float) -> None:
    figure.text(x + 85, 34, "by layers", size=14, bold=True, anchor="middle")
    figure.region(x, 50, 170, 112, "device 1")
    figure.region(x, 186, 170, 112, "device 0")
    above = figure.box(x + 85, 120, "layer 2", width=110, height=42)
    below = figure.box(x + 85, 254, "layer 1", width=110, height=42)
    figure.arrow(below, above, "idle")
    _asked(figure, x)


def _in_halves(figure: Figure, x: float, title: str, words: tuple[str, str]) -> None:
    figure.text(x + 85, 34, title, size=14, bold=True, anchor="middle")
    for half in range(2):
        left = x + 88 * half
        figure.region(left, 50, 82, 248, f"device {half}")
        above, below = (
            figure.box(left + 41, y, text.rsplit(" ", 1), width=70, height=50, size=12, mono=False)
            for text, y in zip(words, (134, 244), strict=True)
        )
        figure.arrow(below, above)
    _asked(figure, x)


def _asked(figure: Figure, x: float) -> None:
    figure.text(x + 85, 319, "what crosses?", role="quiet", size=13, anchor="middle")


def _recurrent(figure: Figure, x: float) -> None:
    figure.text(x + 85, 34, "recurrent", size=14, bold=True, anchor="middle")
    figure.region(x, 50, 170, 112, "device 1")
    figure.region(x, 186, 170, 112, "device 0")
    for y in (254, 120):
        for step in range(4):
            left = x + 14 + 37 * step
            figure.bar(left, y - 17, 28, 34, "op")
            if step:
                figure.arrow((left - 9, y), (left, y))
    figure.arrow((x + 85, 180), (x + 85, 152), "idle")
    _asked(figure, x)


def wave() -> Figure:
    """Sixteen cells on two devices, and when each runs."""
    figure = Figure(
        "10_wave",
        800,
        250,
        "The wave: two layers, eight steps, two devices",
        "Time goes from left to right, in nine units. On worker:0, layer 1 computes rows 0 to 7 in "
        "the units 1 to 8. On worker:1, layer 2 computes rows 0 to 7 in the units 2 to 9: always "
        "the row that layer 1 has just finished. An arrow leads from each cell of layer 1 to the "
        "cell of layer 2 with the same row. In the first unit worker:1 has nothing to do, and in "
        "the last one worker:0.",
    )
    figure.region(16, 40, 768, 84, "worker:0, layer 1")
    figure.region(16, 136, 768, 84, "worker:1, layer 2")
    wide = 64
    for row in range(8):
        left = 180 + wide * row
        figure.bar(left, 62, wide - 6, 40, "op", f"row {row}")
        figure.bar(left + wide, 158, wide - 6, 40, "variable", f"row {row}")
        figure.arrow((left + wide - 14, 102), (left + wide + 8, 158), "accent")
    figure.bar(180, 158, wide - 6, 40, idle=True, label="waits")
    figure.bar(180 + 8 * wide, 62, wide - 6, 40, idle=True, label="done")
    figure.text(180, 28, "time →", role="quiet", size=13)
    return figure


FIGURES = (cuts, wave)
