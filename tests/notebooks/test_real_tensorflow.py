"""Chapter 1 in a real TensorFlow: the same programs print the same and fail alike."""

import json
import os
import shutil
import subprocess
import tomllib

import pytest

from tests.notebooks.reading import NOTEBOOKS, ROOT, error, printed, programs

pytestmark = [pytest.mark.tensorflow, pytest.mark.as_committed, pytest.mark.timeout(150)]

NAME = "01_graphs_and_sessions.ipynb"
#: What only tinytf has, or where the chapter says that the two differ.
OURS = {
    "setup": "magics",
    "predict-pruned": "what ran is read from a recording of `watch`",
    "graph-repr": "a drawing",
    "watch": "a widget",
    "predict-ready": "counters of a recording",
    "digits-pace-shown": "a speed",
    "watch-cond": "a widget",
    "watch-loop": "a widget",
    "curves": "a drawing",
    "predict-server": "a server of a real TensorFlow listens on all interfaces",
    "predictions-again": "a magic",
    "ex1-check": "a check",
    "ex2-check": "a check",
    "ex3-check": "a check",
}
#: What the cells that ask for a prediction give, by the names of their questions.
TRUTHS = tomllib.loads((ROOT / "tests/notebooks/truths/ch01.toml").read_text(encoding="utf-8"))
IMPORT = "import tinytf as tf", "import tensorflow.compat.v1 as tf"
#: TensorFlow 2.15.1 has a class of its own; it derives from what TensorFlow 1.x raised.
DERIVED = {"OperatorNotAllowedInGraphError": "TypeError"}

#: Reads {cell: source} and writes {cell: [what it printed, the error's class or None]}.
RUNNER = """
import contextlib, io, json, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
names, answers = {}, {}
for cell, source in json.load(sys.stdin).items():
    output, failed = io.StringIO(), None
    with contextlib.redirect_stdout(output):
        try:
            exec(source, names)
        except Exception as error:
            failed = type(error).__name__
    answers[cell] = [output.getvalue(), failed]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each cell prints and raises in a real TensorFlow."""
    from tinytf.cli import machine

    folder = tmp_path_factory.mktemp("lesson")  # the chapter writes event files
    module = (NOTEBOOKS / "digits.py").read_text(encoding="utf-8")
    (folder / "digits.py").write_text(module.replace(*IMPORT), encoding="utf-8")
    shutil.copytree(NOTEBOOKS / "optdigits", folder / "optdigits")
    sources = {
        cell["id"]: plain(cell["source"]) for cell in programs(NAME) if cell["id"] not in OURS
    }
    result = subprocess.run(
        [str(machine.tensorflow_python()), "-c", RUNNER],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return json.loads(result.stdout.splitlines()[-1])


def plain(source):
    """A cell's program without the magic of predictions: what is asked for is printed last."""
    source = source.replace(*IMPORT)
    if not source.startswith("%%predict"):
        return source
    *lines, last = source.splitlines()[1:]
    return "\n".join([*lines, f"print(str(({last})))"])


def test_every_cell_that_is_tensorflows_does_the_same_there(answers):
    different = []
    for cell in programs(NAME):
        if cell["id"] in OURS:
            continue
        theirs = answers[cell["id"]]
        if cell["source"].startswith("%%predict"):
            truth = TRUTHS[cell["source"].split()[1].removeprefix("ch01.")]
            ours, theirs = [truth, None], [theirs[0].splitlines()[-1], theirs[1]]
        else:
            ours = [printed(cell), None]
        if error(cell):
            ours[1] = error(cell)[0]
        theirs[1] = DERIVED.get(theirs[1], theirs[1])
        if ours != theirs:
            different.append((cell["id"], ours, theirs))
    assert different == []
    assert len(answers) > 35


def test_what_is_left_out_is_in_the_chapter():
    assert set(OURS) <= {cell["id"] for cell in programs(NAME)}
