"""What is run, and the session: tools that get them the other way round say how it goes."""

import gc

import pytest

import tinytf as tf
from tinytf import jupyter
from tinytf.grading.question import UnknownQuestionError, find
from tinytf.jupyter import attempt, elements, pipeline, placed, queue, ratio, timeline


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("tool", [jupyter.parts, pipeline, placed, queue])
def test_the_session_comes_second(tool):
    a = tf.constant(1, name="a")
    with pytest.raises(TypeError, match=r"must be a tf\.Session, got .*'a:0'.*: write what is run"):
        tool(tf.Session(), a)


@pytest.mark.parametrize("tool", [timeline, placed])
def test_a_session_is_not_run(tool):
    with pytest.raises(TypeError, match=r"is not run\. Got <tf\.Session local>: \(fetches, s"):
        tool(tf.Session())


def test_an_attempt_begins_with_the_session():
    with pytest.raises(TypeError, match=r"write attempt\(sess, fetches\)"):
        attempt(tf.constant(1), tf.Session())


@pytest.mark.parametrize("what", [[1, 2], "a dataset"])
def test_elements_of_what_is_no_dataset(what):
    with pytest.raises(TypeError, match=r"elements\(\) takes a tf\.data\.Dataset, got"):
        elements(what)


def test_elements_without_an_end():
    many = tf.data.Dataset.range(1).repeat().batch(2)
    with pytest.raises(ValueError, match=r"perhaps without an end: elements\(dataset\.take"):
        elements(many)
    assert elements(many.take(2)) == [[0, 0], [0, 0]]


def test_ratio_times_functions():
    with pytest.raises(TypeError, match=r"ratio\(lambda: sess\.run\(a\)"):
        ratio(1.0, 2.0)


def test_a_view_of_queues_asks_for_the_session():
    with pytest.raises(ValueError, match=r"queue\(q, sess\), pipeline\(batch, sess\)"):
        pipeline(tf.constant(1))


@pytest.mark.filterwarnings("error")
def test_a_cluster_that_cannot_be_seen_leaves_nothing_half_made():
    with pytest.raises(tf.errors.UnavailableError, match="No server answers"):
        jupyter.cluster("grpc://localhost:1")
    gc.collect()  # what its end may raise is a warning


def test_a_prediction_without_a_name():
    with pytest.raises(UnknownQuestionError, match=r"Name the question, as in  %%predict"):
        find("")
