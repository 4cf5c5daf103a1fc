"""The figures of chapter 6: queues."""

from canvas import Figure


def queue() -> Figure:
    """A full queue: an enqueue waits, a dequeue takes the oldest element."""
    figure = Figure(
        "06_queue",
        800,
        210,
        "A queue between two threads",
        "A queue with room for three elements, 5, 4 and 3. On the left the operation enqueue wants "
        "to put in 6: the queue is full, so it waits. On the right the operation dequeue takes the "
        "element that came first, 3. Above: the queue belongs to the session and outlives steps.",
    )
    figure.region(250, 50, 300, 100, "queue: 3 of 3 elements", role="accent")
    for number, words in enumerate(("5", "4", "3")):
        figure.bar(268 + 90 * number, 88, 80, 46, "variable", words)
    put = figure.box(110, 111, "enqueue 6", width=130, height=46, idle=True)
    take = figure.box(690, 111, "dequeue", width=130, height=46)
    figure.arrow(put, (248, 111), "idle")
    figure.arrow((540, 111), take, "accent")
    figure.text(110, 160, "waits: there is no room", role="quiet", size=13, anchor="middle")
    figure.text(690, 160, "takes what came first", role="quiet", size=13, anchor="middle")
    figure.text(400, 186, "the session keeps it", role="quiet", size=13, anchor="middle")
    figure.text(110, 40, "a step in a thread", size=14, bold=True, anchor="middle")
    figure.text(690, 40, "a step in another", size=14, bold=True, anchor="middle")
    return figure


FIGURES = (queue,)
