"""The figures of chapter 7: reading data."""

from canvas import Figure


def pipeline() -> Figure:
    """Files, a queue of names, three readers, a queue of examples, a training step."""
    figure = Figure(
        "07_pipeline",
        860,
        300,
        "A pipeline that reads files",
        "Four files on the left. Their names stand in a filename queue, which has been closed. "
        "Three readers, each in a thread of its own with a parser, take names from it: two of them "
        "read a file, the third one takes the next name. All of them put examples into one example "
        "queue. On the right the training step, in another thread, takes batches from it.",
    )
    for number in range(4):
        figure.bar(20, 84 + 44 * number, 72, 32, "constant", f"{number + 1}.csv")
    figure.region(132, 76, 120, 178, "filenames")
    for number, words in enumerate(("4.csv", "3.csv")):
        figure.bar(148, 112 + 44 * number, 88, 32, "variable", words)
    figure.text(192, 226, "closed", role="quiet", on="region", size=13, anchor="middle")
    figure.arrow((96, 165), (130, 165))
    for number in range(3):
        y = 100 + 65 * number
        read = figure.box(330, y, "reader", width=84, height=40)
        parse = figure.box(438, y, "parse", width=76, height=40)
        figure.arrow((254, 165), read)
        figure.arrow(read, parse)
        figure.arrow(parse, (528, 165), "accent")
    figure.region(530, 76, 134, 178, "examples", role="accent")
    for number, words in enumerate(("[7, 8]  0", "[4, 5]  1", "[1, 2]  0")):
        figure.bar(544, 108 + 46 * number, 106, 34, "variable", words)
    train = figure.box(772, 165, "train", width=96, height=48)
    figure.arrow((666, 165), train, "accent")
    figure.text(694, 150, "batch", role="quiet", size=13, anchor="middle")
    figure.text(192, 40, "a thread fills it", size=14, bold=True, anchor="middle")
    figure.text(384, 40, "three threads", size=14, bold=True, anchor="middle")
    figure.text(772, 40, "your thread", size=14, bold=True, anchor="middle")
    figure.text(384, 60, "each with a reader", role="quiet", size=13, anchor="middle")
    figure.text(772, 60, "sess.run(train)", role="quiet", size=13, anchor="middle")
    note = "a coordinator stops all of them, and tells what went wrong"
    figure.text(430, 284, note, role="quiet", size=13, anchor="middle")
    return figure


FIGURES = (pipeline,)
