# loses hidden: buffers of other sizes: of one, of more than there is
import tinytf as tf


def predict(rows, epochs, size, buffer):
    def sizes(count):  # of the batches of so many elements in a row
        full, rest = divmod(count, size)
        return [size] * full + [rest] * (rest > 0)

    return {
        "repeat batch": sizes(rows * epochs),
        "batch repeat": sizes(rows) * epochs,
        "drop repeat": list(range(rows - rows % size, rows)),
        "shuffle": list(range(buffer)),
        "take shuffle": list(range(size)),
        "shuffle take": list(range(buffer + size - 1)),
        "repeat shuffle": max(1, rows - buffer + 1) if epochs > 1 else None,
        "shuffle repeat": rows if epochs > 1 else None,
    }
