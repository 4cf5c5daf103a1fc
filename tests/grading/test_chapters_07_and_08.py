"""Exercises of chapters 7 and 8: what is shown is what runs; who waits for ever is told where."""

import contextlib
import re

import pytest

import tinytf as tf
from tinytf.grading import exercise
from tinytf.grading.check import check_source
from tinytf.grading.runner import load_checks


def reply(name, change):
    """The report on the solution of an exercise with a text of it exchanged."""
    found = exercise.find(name)
    before, after = change
    assert before in found.solution
    return check_source(found, found.solution.replace(before, after))


def test_the_pipelines_shown_are_those_that_run():
    found = exercise.find("ch08.ex3")
    (program,) = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)
    assert program in found.checks


def test_the_example_of_the_task_is_right():
    found = exercise.find("ch08.ex3")
    namespace = {}
    exec(found.solution, namespace)  # noqa: S102 - our own text
    right = namespace["predict"](5, 2, 5, 5)
    rows = re.findall(r"^\| (`\".*?\"`) \| .* \| (.*) \|$", found.text, flags=re.MULTILINE)
    told = {}
    for names, answers in rows:
        names = re.findall(r'"(.*?)"', names)
        answers = re.findall(r"`(.*?)`", answers)
        told |= dict(zip(names, answers * (len(names) // len(answers)), strict=True))
    assert told == {name: repr(answer) for name, answer in right.items()}


def test_a_prediction_is_asked_for_every_pipeline_of_the_program():
    source = exercise.find("ch08.ex3").checks
    names = re.findall(r'^        "(.*?)": numbers', source, flags=re.MULTILINE)
    titles = [check.title.partition(":")[0] for check in load_checks(source)]
    assert len(names) == len(titles) == 8
    assert [t.replace("batches without the rest", "drop").replace(",", "") for t in titles] == names


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (
            "ch07.ex1",
            (
                "    taken = []\n",
                "    names = tf.FIFOQueue(9, tf.string, shapes=[[]])\n"
                "    unread = tf.TextLineReader().read(names)[1]\n    tf.Session().run(unread)\n",
            ),
            "MainThread waits for a filename, in ReaderReadV2_3",
        ),
        (
            "ch07.ex2",
            (
                "    _, record = tf.TFRecordReader().read(names)\n",
                "    record = tf.FIFOQueue(1, tf.string, shapes=[[]]).dequeue()\n",
            ),
            "waits for 1 element, in fifo_queue_Dequeue",
        ),
    ],
    ids=["nobody puts names", "nobody puts records"],
)
def test_an_answer_that_waits_for_ever_is_told_where(name, change, words):
    report = reply(name, change)
    assert report.score < report.worth
    assert words in re.sub(r" +", " ", str(report)), report


@pytest.mark.slow
def test_an_endless_loop_is_told_with_its_line():
    found = exercise.find("ch07.ex1")
    source = found.solution.replace("    taken = []\n", "    while True:\n        pass\n")
    report = check_source(found, source, deadline=3)
    assert report.score == 0
    assert re.search(r"line 1[34] of your answer", report.problem)


#: Exercise -> what its example prints, with the solution.
PRINTED = {
    "ch07.ex1": "[(1.0, 2.0), (1.0, 2.0), (3.0, 4.0), (3.0, 4.0)]",
    "ch07.ex2": "'id': array([1, 2])",
    "ch08.ex1": str([f"{name}{n}" for n in (1, 2, 3) for name in "ab"] * 2),
    "ch08.ex2": "array([2, 1], dtype=int32), array([1, 0], dtype=int32)",
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_example_of_a_task_does_as_it_says(name, tmp_path, monkeypatch, capsys):
    found = exercise.find(name)
    (program,) = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)
    program = re.sub(r"print\((read_all.*?)\)  #", r"print(sorted(\1))  #", program)
    monkeypatch.chdir(tmp_path)
    namespace = {"tf": tf}
    exec(found.solution, namespace)  # noqa: S102 - our own texts
    raises = pytest.raises(tf.errors.NotFoundError, match=r"three\.csv")
    with raises if name == "ch07.ex1" else contextlib.nullcontext():
        exec(program, namespace)  # noqa: S102
    assert PRINTED[name] in capsys.readouterr().out
