# loses: batches without the rest, repeat: which numbers never come
import tinytf as tf


def predict(rows, epochs, size, buffer):
    def sizes(count):  # of the batches of so many elements in a row
        full, rest = divmod(count, size)
        return [size] * full + [rest] * (rest > 0)

    return {
        "repeat batch": sizes(rows * epochs),
        "batch repeat": sizes(rows) * epochs,
        "drop repeat": [],
        "shuffle": list(range(min(buffer, rows))),
        "take shuffle": list(range(min(size, rows))),
        "shuffle take": list(range(min(buffer + size - 1, rows))),
        "repeat shuffle": max(1, rows - buffer + 1) if epochs > 1 else None,
        "shuffle repeat": rows if epochs > 1 else None,
    }
