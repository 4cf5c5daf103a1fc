"""Chapter 13: an estimator's six steps, its cluster, a program of 2017."""

import re
import runpy
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import NOTEBOOKS, printed

pytestmark = pytest.mark.as_committed

NAME = "13_estimators.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "data": "6.4 2.8 5.6 2.2 Virginica\n5.0 2.3 3.3 1.0 Versicolor",
    "columns": "NumericColumn(key='SepalLength', shape=(1,)",
    "train": "step 400\ncheckpoint events graph model",
    "inside": "dnn/hiddenlayer_1/kernel         (10, 10)",
    "evaluate": "above 0.9: True  step 500",
    "predict-flowers": "Virginica  sure: True  expected: Virginica",
    "config": "target of its session: grpc://machine-c:2222",
    "launch": "exit code 0\nreached step 400: True",
    "doctor": "14 run, 2 run with a difference, 0 are not in tinytf.",
    "run": "accuracy above 0.8: True",
}

#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-folder": ("InvalidArgumentError", "dnn/hiddenlayer_0/bias; shape in shape_and_slice"),
}

#: Cell -> why nbval does not compare what it shows, and what looks at it instead.
UNCOMPARED = {"curves": "measured steps in a second; test_the_curves_of_the_folder_are_drawn"}


def test_the_curves_of_the_folder_are_drawn():
    text = printed(cell("curves"))
    assert re.search(r"^loss \(\.\): [5-9] points, from 4\d", text, re.MULTILINE)
    assert "accuracy (eval): 1 point" in text
    [drawing] = (output["data"]["text/html"] for output in cell("curves")["outputs"])
    assert "<svg" in "".join(drawing)


def test_the_program_reads_the_flowers_as_the_chapter_does():
    program = runpy.run_path(str(NOTEBOOKS / "estimators" / "irises.py"))
    for file, count in (("iris_training.csv", 120), ("iris_test.csv", 30)):
        features, species = program["load"](file)
        assert {name: len(one) for name, one in features.items()} == dict.fromkeys(
            ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"], count
        )
        assert sorted(set(species.tolist())) == [0, 1, 2]


def test_the_program_of_2017_has_nothing_of_ours():
    text = (NOTEBOOKS / "programs" / "mnist_softmax.py").read_text(encoding="utf-8")
    assert "import tensorflow as tf" in text
    assert "import tinytf" not in text
