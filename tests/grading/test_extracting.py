"""The answer in a notebook that was handed in: what is taken, what is left, what is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tinytf.grading import exercise
from tinytf.grading.collecting import CannotCollectError
from tinytf.grading.extracting import extract


def run(source):
    namespace = {}
    exec(compile(source, "answer", "exec"), namespace)  # noqa: S102 - our own cells
    return namespace


def test_what_the_answer_uses_comes_along_and_nothing_else():
    cells = [
        "import math\nimport os as system",
        "scale = 2\nprint('an experiment')\nraise_this = 1 / 0",
        "class Circle:\n    def area(self, r):\n        return math.pi * r ** 2",
        "def helper(r):\n    return Circle().area(r) * scale",
        "while True:\n    pass",
        "def answer(r):\n    return helper(r)",
    ]
    source = extract(cells, "answer")
    assert round(run(source)["answer"](1), 3) == 6.283
    for left_out in ("experiment", "while", "1 / 0", "system"):
        assert left_out not in source


def test_the_last_definition_counts():
    source = extract(["def answer():\n    return 1", "def answer():\n    return 2"], "answer")
    assert run(source)["answer"]() == 2


def test_decorators_defaults_and_bases_are_used_as_well():
    cells = [
        "def twice(function):\n    return lambda: 2 * function()",
        "class Base: value = 5",
        "number = 3",
        "class Derived(Base): pass",
        "@twice\ndef answer(n=number):\n    return Derived.value + n",
    ]
    assert run(extract(cells, "answer"))["answer"]() == 16


def test_names_bound_in_blocks_and_by_star():
    cells = [
        "from math import *",
        "try:\n    import json as reader\nexcept ImportError:\n    reader = None",
        "for step in range(4):\n    last = step",
        "a, (b, *c) = 1, (2, 3, 4)",
        "total = 0\ntotal += b",
        "if (seen := 7) > 3:\n    def inner():\n        return seen",
        "def answer():\n    return [floor(2.5), reader.__name__, last, a, b, c, total, inner()]",
    ]
    assert run(extract(cells, "answer"))["answer"]() == [2, "json", 3, 1, 2, [3, 4], 2, 7]


def test_an_answer_may_be_assigned():
    cells = ["def attempt():\n    return 4", "answer = attempt"]
    assert run(extract(cells, "answer"))["answer"]() == 4


@pytest.mark.parametrize(
    "command",
    ["%matplotlib inline", "!pip install this", "  !ls", "tf.Session?", "tf.Session??", "%%time"],
)
def test_commands_of_the_notebook_are_no_hindrance(command):
    cell = f"{command}\ndef answer():\n    return '%d of them?'"
    if command.startswith(" "):
        cell = "if True:\n" + command + "\ndef answer():\n    return '%d of them?'"
    assert run(extract([cell], "answer"))["answer"]() == "%d of them?"


def test_a_cell_of_another_language_is_left_out():
    cells = ["%%bash\ndef answer", "%%task worker:0\nx = 1", "def answer():\n    return 1"]
    assert run(extract(cells, "answer"))["answer"]() == 1


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([], "Define a function called answer first"),
        (["", "   \n"], "Define a function called answer first"),
        (["def other(): pass"], "Define a function called answer first"),
        (["def answer(:\n    pass"], r"SyntaxError: .*code cell 1, line 1.*def answer\(:"),
        (["x = 1", "def answer():\nreturn 1"], r"code cell 2, line 2"),
        # An older one that works does not stand in for the one that was handed in.
        (["def answer():\n    return 1", "def answer() return 2"], "SyntaxError"),
        (["def answer():\n\treturn 1\n        return 2"], "SyntaxError"),
        (["def answer():\n    return '\0'"], "SyntaxError: source code string cannot contain"),
    ],
)
def test_what_is_missing_or_no_python_is_said(cells, said):
    with pytest.raises(CannotCollectError, match=said):
        extract(cells, "answer")


def test_a_broken_cell_elsewhere_is_no_hindrance():
    assert "return 1" in extract(["this is no Python", "def answer():\n    return 1"], "answer")


@pytest.mark.parametrize("name", exercise.names())
def test_every_solution_comes_out_of_a_notebook(name):
    found = exercise.find(name)
    cells = ["import tinytf as tf\nimport numpy as np\nprint(1)", found.stub, found.solution]
    assert callable(run(extract(cells, found.symbol))[found.symbol])


@examples(60)
@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_text_in_other_cells_leaves_the_answer_alone(texts):
    cells = [text for text in texts if "answer" not in text and "import" not in text]
    source = extract([*cells, "def answer():\n    return 'mine'"], "answer")
    assert "return 'mine'" in source


@examples(60)
@given(st.text(max_size=60))
def test_any_text_is_an_answer_or_is_refused(text):
    try:
        source = extract([f"def answer():\n{text}"], "answer")
    except CannotCollectError:
        return
    compile(source, "answer", "exec")
