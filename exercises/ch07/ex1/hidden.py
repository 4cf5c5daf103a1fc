"""Hidden checks of ch07.ex1: other headings and numbers, many files, errors at other places."""

import tempfile
from pathlib import Path

from exercise_checks import call, compare, must_be_quiet, must_tell, rows_of, write

import tinytf as tf
from tinytf.grading import point

#: The readers, and the seeds of the schedules.
TRIES = ((1, 11), (2, 12), (5, 13))


@point("many small files, with another heading and other numbers", 3)
def many_files(answer):
    rows = {n: [(-1.5e3 * n, 0.25), (float(n), 0.125)][: 1 + n % 2] for n in range(45)}
    wanted = sorted(row for some in rows.values() for row in some)
    for readers, seed in TRIES:
        with tempfile.TemporaryDirectory() as folder:
            files = [
                write(folder, f"day {n}.csv", some, "time of day,temperature")
                for n, some in rows.items()
            ]
            result = call(answer, files, readers, seed)
        compare(
            wanted,
            [(float(x), float(y)) for x, y in result.rows()],
            f"readers={readers}, {len(files)} files, schedule {seed}",
        )
        must_be_quiet(result, f"{len(files)} files, schedule {seed}")


@point("wherever the error is: in the first file, in the last row, in a row that is too long", 3)
def errors_elsewhere(answer):
    for readers, seed in TRIES:
        with tempfile.TemporaryDirectory() as folder:
            good = [write(folder, f"{n}.csv", rows_of(n, 5)) for n in range(2)]
            last = write(folder, "last.csv", [*rows_of(5, 3), "5.0,seven"])
            longer = write(folder, "longer.csv", ["1.0,2.0,3.0", *rows_of(6, 3)])
            lost = str(Path(folder) / "gone.csv")
            for files, error, word, what in (
                ([lost, *good], tf.errors.NotFoundError, "gone.csv", "the first file is missing"),
                ([last, *good], tf.errors.InvalidArgumentError, "seven", "the last row is broken"),
                (
                    [*good, longer],
                    tf.errors.InvalidArgumentError,
                    "longer.csv",
                    "a row has three numbers",
                ),
            ):
                result = call(answer, files, readers, seed)
                must_tell(result, f"readers={readers}, schedule {seed}: {what}", error, word)
                must_be_quiet(result, f"schedule {seed}, {what}")
