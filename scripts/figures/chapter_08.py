"""The figures of chapter 8: stages of a pipeline, and interleave step by step."""

from itertools import pairwise

from canvas import Figure


def pipeline() -> Figure:
    """Stages that ask each other for elements."""
    figure = Figure(
        "08_pipeline",
        800,
        190,
        "A pipeline is a chain of stages",
        "Four boxes in a row, from left to right: from_tensor_slices, map, batch, iterator; then "
        "the program. Above them dashed arrows go from right to left: the program asks the "
        "iterator, it asks batch, batch asks map twice, map asks the slices. Below, elements come "
        "from left to right: 1 2 3 4; 1 4 9 16; then the batches [1 4] and [9 16].",
    )
    names = ("slices", "map", "batch", "iterator", "sess.run")
    kinds = ("op", "op", "op", "variable", "region")
    places = (84, 242, 400, 558, 716)
    boxes = [
        figure.box(x, 95, name, kind, width=100, height=46)
        for x, name, kind in zip(places, names, kinds, strict=True)
    ]
    for left, right in pairwise(boxes):
        figure.arrow((right.x - 14, 66), (left.x + 14, 66), "control", bend=-34)
        figure.arrow(left, right, "accent")
    figure.text(400, 24, "asks for the next element", role="quiet", size=13, anchor="middle")
    comes = ("1 2 3 4", "1 4 9 16", "[1 4] [9 16]", "one for each step")
    for x, words in zip(places, comes, strict=False):
        figure.text(x + 79, 146, words, role="value", size=13, anchor="middle", mono=x < 500)
    figure.text(400, 176, "elements come", role="quiet", size=13, anchor="middle")
    return figure


#: File -> its turns, each at the column where it begins.
TURNS = {
    "a": [(0, ("a1", "a2")), (4, ("a3", "a4"))],
    "b": [(2, ("b1", "b2"))],
    "c": [(6, ("c1", "c2")), (8, ("c3",))],
}


def interleave() -> Figure:
    """Files in turns, with two open at a time."""
    figure = Figure(
        "08_interleave",
        800,
        262,
        "interleave with cycle_length=2 and block_length=2",
        "Time runs from left to right, an element in each column. File a has four lines, b two, c "
        "three; two files are open at a time, and two lines come from each in turn. a1 a2 of file "
        "a; b1 b2 of file b; a3 a4 of file a. Then it is the turn of b, which is at its end, and "
        "of a, which is at its end as well. Now c is opened: c1 c2, and in its next turn c3.",
    )
    left, wide, first, high = 150, 66, 58, 50
    for row, (name, turns) in enumerate(TURNS.items()):
        y = first + row * 62
        figure.text(28, y + 31, f"file {name}", size=14, bold=True)
        opened, closed = {"a": (0, 6), "b": (0, 6), "c": (6, 9)}[name]
        figure.region(left + wide * opened - 4, y - 4, wide * (closed - opened) + 4, high + 8)
        for start, lines in turns:
            for place, line in enumerate(lines, start=start):
                figure.bar(left + wide * place, y, wide - 4, high, "variable", line)
    figure.text(28, 34, "turn", role="quiet", size=13)
    for number, (column, length) in enumerate(((0, 2), (2, 2), (4, 2), (6, 2), (8, 1)), start=1):
        figure.badge(left + wide * (column + length / 2) - 2, 30, str(number))
    figure.text(
        28,
        250,
        "grey: open. No more than two files at a time; c waits until one is at its end.",
        role="quiet",
        size=13,
    )
    return figure


FIGURES = (pipeline, interleave)
