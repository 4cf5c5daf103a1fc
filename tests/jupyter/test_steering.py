"""What runs next, steered: by a list of names or a seed; errors say what is wrong with a list."""

import re

import pytest

import tinytf as tf
import tinytf.jupyter
from tinytf.jupyter.recording import record


@pytest.fixture
def session():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


@pytest.fixture
def total(session):
    a, v = tf.constant(3.0, name="a"), tf.constant(2.0, name="v")
    tf.constant(1.0, name="elsewhere")
    return tf.add(tf.square(a, name="b"), v, name="total")


def ran(recording):
    return [
        recording.names[run.node] + f"#{run.iteration}" * bool(run.iteration)
        for run in recording.runs
        if run.kind == "run"
    ]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (None, ["a", "v", "b", "total"]),
        (["v", "a", "b", "total"], ["v", "a", "b", "total"]),
        (["a", "b", "v", "total"], ["a", "b", "v", "total"]),
        (["v"], ["v", "a", "b", "total"]),  # after its end, the oldest first
        ([], ["a", "v", "b", "total"]),
    ],
)
def test_the_order_given_is_the_order_it_runs_in(total, session, order, expected):
    recorded = record(total, session=session, order=order)
    assert recorded.values == 11.0
    assert ran(recorded) == expected
    assert recorded.order == ("" if order is None else "order")


def test_tensors_and_operations_stand_for_their_names(total, session):
    b = session.graph.get_operation_by_name("b")
    recorded = record(total, session=session, order=[b.inputs[0], b, "v"])
    assert ran(recorded) == ["a", "b", "v", "total"]


@pytest.mark.parametrize(
    ("order", "error", "words"),
    [
        (["q"], ValueError, "order[0] is 'q': the step has no operation of this name. There are:"),
        (["a", "totl"], ValueError, "the step has no operation of this name. Similar: total"),
        (["a:0"], ValueError, "that is a tensor. Write the name of the operation: 'a'"),
        (["elsewhere"], ValueError, "not part of this step: nothing that is fetched needs it"),
        ("a", TypeError, "order is a list of names of operations, such as ['a', 'b'], or the seed"),
        (1.5, TypeError, "Got: 1.5"),
        (True, TypeError, "Got: True"),
        (["a", 7], TypeError, "order[1] is to be the name of an operation, got 7"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused_before_anything_runs(
    total, session, order, error, words
):
    with pytest.raises(error, match=re.escape(words)):
        tinytf.jupyter.watch(total, session=session, order=order)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (
            ["a", "total"],
            "order[1] is 'total', which is not ready at that point: it still "
            "waits for 2 inputs (b, v). Ready: v and b.",
        ),
        (["total"], "it still waits for 2 inputs (b, v). Ready: a and v."),
        (["a", "a"], "order[1] is 'a', which is not ready at that point: it has run already."),
    ],
)
def test_a_name_that_is_not_ready_when_its_turn_comes(total, session, monkeypatch, order, words):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    with pytest.raises(ValueError, match=re.escape(words)):
        tinytf.jupyter.watch(total, session=session, order=order)
    recorded = shown[0].recording  # the part that ran
    assert ran(recorded) == order[:-1]
    assert "failed with ValueError: order[" in recorded.events[-1].text


def test_iterations_are_named_by_their_number(session):
    _, product = tf.while_loop(
        lambda i, p: tf.less(i, 2),
        lambda i, p: (tf.add(i, 1), tf.multiply(p, 2.0)),
        [tf.constant(0), tf.constant(1.0)],
    )
    first = ran(record(product, session=session))
    assert "while/Mul#0" in first
    assert "while/Mul#1" in first
    again = record(product, session=session, order=first)
    assert ran(again) == first
    without_numbers = [name.partition("#")[0] for name in first]
    assert ran(record(product, session=session, order=without_numbers)) == first


@pytest.mark.parametrize("named", [False, True])
def test_what_is_skipped_may_be_left_out_of_the_order(session, named):
    x = tf.constant(5.0, name="x")
    result = tf.cond(x < 3.0, lambda: tf.add(x, 1.0), lambda: tf.multiply(x, 2.0))
    first = record(result, session=session)
    skipped = [first.names[run.node] for run in first.runs if run.kind == "skip"]
    assert skipped
    order = ran(first) if not named else [first.names[run.node] for run in first.runs]
    again = record(result, session=session, order=order)
    assert again.error is None
    assert again.values == 10.0
    assert ran(again) == ran(first)


def test_names_that_were_never_ready_are_told_at_the_end(total, session):
    recorded = record(total, session=session, order=["a", "v", "b", "total", "total"])
    assert recorded.events[-1].text.endswith("In the order, but never ready: total.")


def test_with_several_threads_the_order_is_one_of_preference(total, session):
    recorded = record(total, session=session, threads=3, order=["total", "v", "b", "a"][::-1])
    assert recorded.values == 11.0
    assert recorded.error is None
    with pytest.raises(ValueError, match=re.escape("order[0] is 'total', which is not ready")):
        tinytf.jupyter.watch(total, session=session, threads=3, order=["total"])
