"""Default graphs and sessions: left in any order, in any thread; interactive ones above all."""

import itertools
import threading
import warnings

import pytest

import tinytf as tf
from tinytf.framework.stacks import default_graphs, default_sessions

VIOLATED = "Nesting violated for default stack of <class '.*'> objects"


@pytest.fixture(autouse=True)
def graph():
    before = list(default_graphs.items), list(default_sessions.items)
    with tf.Graph().as_default() as graph:
        tf.constant(1)
        yield graph
    assert before == (default_graphs.items, default_sessions.items)


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_the_stack_is_right_after_a_violation():
    one, other = tf.Graph(), tf.Graph()
    first, second = one.as_default(), other.as_default()
    first.__enter__()
    second.__enter__()
    with pytest.raises(AssertionError, match=VIOLATED):
        first.__exit__(None, None, None)
    assert tf.get_default_graph() is other
    second.__exit__(None, None, None)


def test_one_graph_twice_is_no_violation(graph):
    with graph.as_default(), tf.Graph().as_default(), graph.as_default():
        assert tf.get_default_graph() is graph


def test_a_session_that_is_left_too_early_is_closed():
    first, second = tf.Session(), tf.Session()
    first.__enter__()
    second.__enter__()
    with pytest.raises(AssertionError, match=VIOLATED):
        first.__exit__(None, None, None)
    assert first.is_closed
    assert tf.get_default_session() is second
    second.__exit__(None, None, None)


@pytest.mark.usefixtures("quiet")
def test_interactive_sessions_are_closed_in_any_order():
    sessions = [tf.InteractiveSession() for _ in range(3)]
    sessions[1].close()
    assert tf.get_default_session() is sessions[2]
    sessions[2].close()
    assert tf.get_default_session() is sessions[0]
    sessions[0].close()
    assert tf.get_default_session() is None


@pytest.mark.usefixtures("quiet")
def test_an_interactive_session_is_closed_by_another_thread():
    session = tf.InteractiveSession()
    thread = threading.Thread(target=session.close)
    thread.start()
    thread.join()
    assert session.is_closed
    default_sessions.forget(session)  # of this thread, which did not close it


def test_the_warning_names_the_line_and_counts():
    first = tf.InteractiveSession()
    with pytest.warns(UserWarning, match=r"already active \(1 more in all\)") as caught:
        second = tf.InteractiveSession()
    assert caught[0].filename == __file__
    second.close()
    first.close()


def test_the_callers_configuration_stays_as_it_is():
    config = tf.ConfigProto(allow_soft_placement=True)
    tf.InteractiveSession(config=config).close()
    assert not config.HasField("graph_options")


def test_costs_are_the_longest_that_were_seen():
    config = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=1))
    y = tf.reduce_sum(tf.tanh(tf.placeholder_with_default(tf.ones([50, 50]), None)), name="y")
    costs = []
    with tf.Session(config=config) as sess:
        for _ in range(4):
            metadata = tf.RunMetadata()
            assert sess.run(y, run_metadata=metadata) > 0
            costs.append({node.name: node.compute_cost for node in metadata.cost_graph.node})
    assert "y" in costs[0]
    for before, after in itertools.pairwise(costs):
        assert all(after[name] >= cost for name, cost in before.items())


def test_what_is_evaluated_after_its_block_says_that_the_session_is_gone(graph):
    constant, nothing = tf.constant(1.0), tf.no_op()
    with tf.Session() as sess:
        pass
    for call, words in ((constant.eval, "evaluate tensor"), (nothing.run, "execute operation")):
        with pytest.raises(ValueError, match="No default session is registered") as info:
            call()
        assert words in str(info.value)
        assert "ended with its `with tf.Session():` block" in str(info.value)
        assert "move this line into the block" in str(info.value)
    with pytest.raises(RuntimeError, match=r"Attempted to use a closed Session\..*move this call"):
        sess.run(constant)


def test_a_thread_is_told_that_it_has_no_default_session_of_its_own(graph):
    said = []

    def evaluate(tensor):
        with pytest.raises(ValueError, match="No default session") as info:
            tensor.eval()
        said.append(str(info.value))

    with tf.Session():
        thread = threading.Thread(target=evaluate, args=[tf.constant(1.0)])
        thread.start()
        thread.join()
    assert "Every thread has a default session of its own" in said[0]
