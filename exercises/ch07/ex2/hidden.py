"""Hidden checks of ch07.ex2: other numbers, tags, sizes and schedules."""

from exercise_checks import batches, must_be_in_order, must_have_values

from tinytf.grading import Wrong, point


@point("large and negative numbers; tags that are empty, or no text", 2)
def other_values(answer):
    files = (
        (((1 << 40) + (1 << 20), b""), (-3, None)),
        ((0, b"\xff\x00"), (1 << 62, b"none"), (8, b"one")),
    )
    taken = batches(answer, files, 3, 1)
    must_have_values(taken, files)
    if sum(len(one["id"]) for one in taken) != 5:
        raise Wrong("5 records in two files", 5, sum(len(one["id"]) for one in taken))


@point("more epochs, files of one record, a batch that holds everything", 3)
def other_sizes(answer):
    for sizes, size, epochs, seed in (((1,) * 6, 5, 4, 21), ((2, 9), 7, 3, 22), ((3,), 50, 2, 23)):
        must_be_in_order(answer, sizes, size, epochs, seed)
