import tinytf as tf


def predict(rows, epochs, size, buffer):
    def sizes(count):  # of the batches of so many elements in a row
        full, rest = divmod(count, size)
        return [size] * full + [rest] * (rest > 0)

    return {
        # One long row of numbers; `batch` does not know where an epoch ends.
        "repeat batch": sizes(rows * epochs),
        # The batches of one epoch, again and again.
        "batch repeat": sizes(rows) * epochs,
        # The rest of each epoch is gone before `repeat` can see it.
        "drop repeat": list(range(rows - rows % size, rows)),
        # The buffer is filled, and one of it is given out.
        "shuffle": list(range(min(buffer, rows))),
        # The first few, in another order.
        "take shuffle": list(range(min(size, rows))),
        # For each number that is given out, one more comes into the buffer.
        "shuffle take": list(range(min(buffer + size - 1, rows))),
        # The second 0 is element number `rows`: it is in the buffer when so many have gone out.
        "repeat shuffle": max(1, rows - buffer + 1) if epochs > 1 else None,
        # Each epoch comes to its end first.
        "shuffle repeat": rows if epochs > 1 else None,
    }
