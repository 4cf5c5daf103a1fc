"""Checks of ch07.ex1."""

import functools
import tempfile
import threading
from pathlib import Path

import tinytf as tf
from tinytf.grading import Wrong, point
from tinytf.testing.schedules.running import run_with_seed

#: Schedules in which each call is tried.
SEEDS = 4
#: More than any answer takes; one that takes more has no end.
TURNS = 30_000
#: Threads of tinytf itself, which end by themselves.
OWN = ("tinytf-", "Coordinator.join")


def rows_of(number, count):
    """The rows of a file; no two files have one in common."""
    return [(float(number), float(row) / 2) for row in range(count)]


def write(folder, name, rows, heading="x,y"):
    """Write a file with a header; return its name."""
    path = Path(folder) / name
    lines = [heading, *(row if isinstance(row, str) else f"{row[0]},{row[1]}" for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def call(answer, files, readers, seed):
    """What a call of the answer gives in one schedule: an `Outcome`."""
    graph = tf.Graph()

    def program():
        before = set(threading.enumerate())
        value = error = None
        try:
            with graph.as_default():
                tf.set_random_seed(seed)
                value = answer(files, readers)
        except NotImplementedError:
            raise
        except Exception as raised:
            error = raised
        new = [thread for thread in threading.enumerate() if thread not in before]
        left = sorted(t.name for t in new if t.is_alive() and not t.name.startswith(OWN))
        return value, error, left

    run = run_with_seed(program, seed, max_turns=TURNS)
    if isinstance(run.error, NotImplementedError):
        raise run.error
    return Outcome(run, graph)


class Outcome:
    """What a call of the answer gave, the graph it built, and the threads it left.

    Attributes:
      value, error: what it returned or raised. left: names of threads.
      problem: `Wrong` if it did not come to an end.
    """

    def __init__(self, run, graph):
        self.graph, self.problem, self.seed = graph, None, run.seed
        self.value, self.error, self.left = run.value or (None, None, [])
        if run.error is not None:  # in a thread of the answer's own
            self.error = run.error
            self.left = [run.broken.partition(" raised ")[0] + ", which has failed"]
        elif run.broken:
            self.problem = Wrong(
                f"schedule {run.seed}: read_all does not return",
                "an end",
                f"\n{run.broken}",
                hint="who closes each queue, at the end and after an error?",
            )

    def ended(self):
        """Itself, unless it did not come to an end."""
        if self.problem is not None:
            raise self.problem
        return self

    def went_well(self):
        """Itself; its error is raised, if it has one."""
        error = self.ended().error
        if isinstance(error, tf.errors.InvalidArgumentError) and ".csv:1;" in str(error):
            raise Wrong(
                "the header of a file was taken for a row",
                "rows only",
                first_line(error),
                hint="a reader can skip lines at the beginning",
            )
        if error is not None:
            raise error
        return self

    def rows(self):
        """The rows it returned, sorted."""
        value = self.went_well().value
        try:
            return sorted((float(x), float(y)) for x, y in value)
        except (TypeError, ValueError):
            shown = repr(value)[:80]
            raise Wrong("read_all must return a list of pairs", "[(x, y), ...]", shown) from None


def first_line(error):
    return f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"


#: Rows of each file, and readers, of a call that goes well.
CALLS = {"good": ((7, 0, 71, 1, 18), 3), "alone": ((5,) * 4, 1), "four": ((5,) * 4, 4)}


@functools.cache  # each call is made once for all checks
def outcome(answer, kind, seed=0):
    """What the answer does with files of a kind: a key of CALLS, or one of `broken`."""
    with tempfile.TemporaryDirectory() as folder:
        if kind not in CALLS:
            return call(answer, broken(folder, kind)[0], 2, seed)
        sizes, readers = CALLS[kind]
        files = [write(folder, f"{n}.csv", rows_of(n, size)) for n, size in enumerate(sizes)]
        return call(answer, files, readers, seed)


def compare(wanted, got, where):
    """Both are sorted rows."""
    if len(got) != len(wanted):
        if len(got) < len(wanted):
            hint = f"{len(wanted)} rows are not a multiple of most batches: what about the last?"
            raise Wrong(f"{where}: rows are lost", len(wanted), len(got), hint)
        hint = "who counts how often each file comes, and says when it is over?"
        raise Wrong(f"{where}: there are too many rows", len(wanted), len(got), hint)
    if got != wanted:
        first = next(pair for pair in zip(wanted, got, strict=True) if pair[0] != pair[1])
        raise Wrong(f"{where}: the rows are not those of the files", *first)


@point("every row of every file, once", 3)
def all_rows(answer):
    wanted = sorted(r for n, size in enumerate(CALLS["good"][0]) for r in rows_of(n, size))
    for seed in range(SEEDS):
        compare(wanted, outcome(answer, "good", seed).rows(), f"schedule {seed}")


@point("as many readers as asked for, on one queue of names", 2)
def several_readers(answer):
    for kind, readers in (("alone", 1), ("four", 4)):
        operations = outcome(answer, kind).went_well().graph.get_operations()
        found = [op for op in operations if op.type.startswith("TextLineReader")]
        if len(found) != readers:
            raise Wrong(
                f"read_all(files, {readers}) built another number of readers in the default graph",
                readers,
                len(found),
                hint="each thread needs a reader of its own: call tf.TextLineReader for each",
            )
        reads = [op for op in operations if op.type in ("ReaderReadV2", "ReaderReadUpToV2")]
        queues = {op.inputs[1].op.name for op in reads}
        if len(queues) != 1:
            raise Wrong(
                "the readers take their names from several queues",
                "one queue",
                len(queues),
                hint="with one queue, a reader that is done takes the next file",
            )


def broken(folder, kind):
    """Files, one of which is broken; the error that says so, and a word of it."""
    files = [write(folder, f"{n}.csv", rows_of(n, 12)) for n in range(3)]
    if kind == "missing":
        return [*files, str(Path(folder) / "lost.csv")], tf.errors.NotFoundError, "lost.csv"
    rows = [*rows_of(8, 3), "8.0,oops", *rows_of(9, 9)]
    return [*files, write(folder, "bad.csv", rows)], tf.errors.InvalidArgumentError, "oops"


def must_tell(result, what, error, word):
    """The call has to raise an error of that class, with that word in it."""
    raised = result.ended().error
    if raised is None:
        raise Wrong(
            f"{what}, and read_all returned as if all was well",
            f"{error.__name__}",
            f"{len(result.value or [])} rows",
            hint="which call raises what has ended a thread?",
        )
    if not isinstance(raised, error) or word not in str(raised):
        raise Wrong(
            f"{what}; the error says something else",
            f"{error.__name__} that names {word}",
            first_line(raised),
        )
    if result.left and result.left[0].endswith("has failed"):
        raise Wrong(
            f"{what}; a thread failed, and read_all did not raise its error",
            f"{error.__name__} raised by read_all",
            result.left[0],
        )


#: Kind -> what is wrong with a file.
KINDS = {"missing": "a file is missing", "bad row": "a row is broken"}


@point("a broken file is told, and not passed over", 3)
def broken_is_told(answer):
    for kind, what in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            _, error, word = broken(folder, kind)
        for seed in range(SEEDS):
            must_tell(outcome(answer, kind, seed), f"schedule {seed}: {what}", error, word)


def must_be_quiet(result, what):
    """The call has come to an end, and left no thread."""
    left = result.ended().left
    if left:
        raise Wrong(
            f"{what}: threads still run after read_all",
            "none",
            ", ".join(left)[:300],
            hint="request_stop and join, in a `finally`",
        )


@point("nothing is left running, with good files and with a broken one", 2)
def nothing_left(answer):
    for kind, what in {"good": "good files", **KINDS}.items():
        for seed in range(SEEDS):
            result = outcome(answer, kind, seed)
            must_be_quiet(result, f"schedule {seed}, {what}")
            if kind == "good":
                result.rows()  # where nothing was done, nothing is left
