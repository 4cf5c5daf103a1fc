"""Lookup tables on a server: shared by its sessions, in containers, until a reset."""

import pytest

import tinytf as tf
from tinytf.python.ops import lookup_ops


@pytest.fixture
def server(tmp_path):
    (tmp_path / "words.txt").write_text("emerson\nlake\npalmer\n")
    with tf.train.Server({"a": ["localhost:0"]}, file_root=tmp_path) as server:
        yield server


def ask(server, build):
    """What a program of its own gives, in a session of its own."""
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        return build(session)


def named(container="", name="words"):
    with tf.container(container):
        return tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, shared_name=name)


def put(session):
    session.run(named().insert(["lake"], [7]))


def found(session, *where):
    return session.run(named(*where).lookup(["lake"])).tolist()


def test_sessions_share_a_table_by_name_until_a_reset(server):
    ask(server, put)
    assert ask(server, found) == [7]
    assert ask(server, lambda session: found(session, "box")) == [-1]
    assert ask(server, lambda session: found(session, "", "others")) == [-1]
    tf.Session.reset(server.target)
    assert ask(server, found) == [-1]


def test_files_are_read_where_the_table_is(server):
    def index(session):
        words = lookup_ops.index_table_from_file("words.txt", num_oov_buckets=2)
        session.run(tf.tables_initializer())
        return session.run(words.lookup(tf.constant(["palmer", "lake"]))).tolist()

    assert ask(server, index) == [2, 1]
    assert ask(server, index) == [2, 1]  # filled already, under the file's name


def test_large_tables_of_a_client_take_no_memory_but_for_their_entries(server):
    def entries(session):
        table = tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, initial_num_buckets=2**60
        )
        one = tf.constant([1], tf.int64)
        session.run(table.insert(one, one))
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(table.export())
        return session.run(table.size())

    assert ask(server, entries) == 1


def test_a_table_in_a_dataset_of_a_server(server):
    def looked_up(session):
        words = lookup_ops.index_table_from_file("words.txt")
        data = tf.data.TextLineDataset("words.txt").map(words.lookup).batch(3)
        iterator = tf.data.make_initializable_iterator(data)
        session.run([tf.tables_initializer(), iterator.initializer])
        return session.run(iterator.get_next()).tolist()

    assert ask(server, looked_up) == [0, 1, 2]
