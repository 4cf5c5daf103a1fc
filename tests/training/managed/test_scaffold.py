"""Scaffolds: what they hold of a graph that grows, and resources of one's own."""

import collections

import pytest

import tinytf as tf

Resource = collections.namedtuple("Resource", "handle create is_initialized")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def start():
    """A session as it is at its beginning."""
    return tf.train.SingularMonitoredSession()


def test_variables_that_come_later_are_initialised_and_saved_too(tmp_path):
    """TensorFlow's second session knows nothing of them: a notebook's cell that is run again."""
    one = tf.Variable(1.0, name="one")
    with start() as sess:
        assert sess.run(one) == 1.0
    two = tf.Variable(2.0, name="two")
    local = tf.Variable(3.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.summary.scalar("loss", two)
    scaffold = tf.train.Scaffold()
    with tf.train.SingularMonitoredSession(scaffold=scaffold) as sess:
        assert sess.run([one, two, local]) == [1.0, 2.0, 3.0]
        path = scaffold.saver.save(sess.raw_session(), str(tmp_path / "model"))
        assert sess.run(scaffold.summary_op)
    assert [name for name, _ in tf.train.list_variables(path)] == ["one", "two"]
    for name in ("init_op", "ready_op", "ready_for_local_init_op", "local_init_op", "savers"):
        assert len(tf.get_collection(name)) == 1, name


def test_what_is_up_to_date_stays(graph):
    tf.Variable(1.0)
    with start():
        before = len(graph.get_operations())
    with start():
        assert len(graph.get_operations()) == before
    tf.constant(1)
    with start():
        assert len(graph.get_operations()) == before + 1


def test_what_the_user_put_there_stays():
    one = tf.Variable(1.0, name="one")
    tf.add_to_collection(tf.GraphKeys.INIT_OP, one.initializer)
    with start():
        pass
    tf.Variable(2.0, name="two")
    with pytest.raises(RuntimeError, match="Variables not initialized: two"):
        start()
    assert tf.get_collection(tf.GraphKeys.INIT_OP) == [one.initializer]


def test_a_graph_that_is_final_is_taken_as_it_is(graph):
    one = tf.Variable(1.0, name="one")
    with start():
        pass
    tf.Variable(2.0, name="two")
    graph.finalize()
    with start() as sess:
        assert sess.run(one) == 1.0


def test_resources_are_created_and_looked_at():
    created = tf.Variable(False, name="created", collections=[], use_resource=False)
    local = tf.Variable(False, name="of_mine", collections=[], use_resource=False)

    def resource(variable):
        return Resource(
            variable,
            tf.assign(variable, True).op,
            tf.is_variable_initialized(variable),
        )

    tf.add_to_collection(tf.GraphKeys.RESOURCES, resource(created))
    tf.add_to_collection(tf.GraphKeys.LOCAL_RESOURCES, resource(local))
    with start() as sess:
        assert sess.run([created, local]) == [True, True]
    with pytest.raises(RuntimeError, match=r"Variables not initialized: .*of_mine:0"):
        tf.train.SingularMonitoredSession(scaffold=tf.train.Scaffold(local_init_op=tf.no_op()))
    with pytest.raises(RuntimeError, match=r"not make model ready for local_init.*created:0"):
        tf.train.SingularMonitoredSession(scaffold=tf.train.Scaffold(init_op=tf.no_op()))


def test_a_collection_with_several_names_them():
    tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.no_op("one"))
    tf.add_to_collection(tf.GraphKeys.INIT_OP, tf.no_op("two"))
    with pytest.raises(RuntimeError, match=r"tf\.Scaffold\(init_op=item to use\).*one, two"):
        tf.train.Scaffold().finalize()


def test_the_graph_of_a_session_can_be_exported(tmp_path):
    """With a saver, and with one of a graph without variables."""
    for build in (lambda: tf.Variable(1.0, name="v"), lambda: tf.constant(1)):
        with tf.Graph().as_default():
            build()
            with start():
                tf.train.export_meta_graph(str(tmp_path / "graph.meta"))
        with tf.Graph().as_default():
            tf.train.import_meta_graph(str(tmp_path / "graph.meta"))
            assert tf.get_collection(tf.GraphKeys.INIT_OP)[0].name == "group_deps"
            with start():
                pass
