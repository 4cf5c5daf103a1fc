"""docs/grading_assertions.md: its programs run, one after the other, and print what it shows."""

import re
from pathlib import Path

import pytest

import tinytf as tf
from tinytf import grading
from tinytf.grading import assertions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "grading_assertions.md").read_text("utf-8")
BLOCKS = re.findall(r"```(python|text)\n(.*?)```", PAGE, re.DOTALL)


def shortened(text):
    """Without the lines of the program, and without the space before a line's end."""
    text = re.sub(r"\n +at page:.*", "", text)
    return re.sub(r" +\n", "\n", text)


def test_the_programs_print_what_the_page_shows(capsys):
    names = {"__name__": "page"}
    try:
        for kind, text in BLOCKS:
            if kind == "python":
                exec(compile(text, "page", "exec"), names)  # noqa: S102 - ours
            else:
                printed = shortened(capsys.readouterr().out)
                assert text in printed if text.startswith("schedule") else text == printed
    finally:
        tf.devices.simulate_gpus(0)


def test_the_check_of_the_page_is_one():
    names = {"__name__": "page"}
    for kind, text in BLOCKS[:2]:
        assert kind == "python"
        exec(compile(text, "page", "exec"), names)  # noqa: S102 - ours

    def right(values):
        log = tf.no_op()
        with tf.control_dependencies([log]):
            return tf.reduce_sum(values), log

    with tf.Graph().as_default():
        names["the_sum"].function(right)
        with pytest.raises(grading.Wrong, match="by a control dependency"):
            names["the_sum"].function(lambda values: (tf.reduce_sum(values), tf.no_op()))


def test_the_page_names_all():
    shown = set(re.findall(r"`(\w+)\(", PAGE)) | set(re.findall(r"grading\.(\w+)", PAGE))
    assert set(assertions.__all__) - {"Transfer"} <= shown
    assert all(name in grading.__all__ for name in assertions.__all__)
