"""How many threads a session has, which a step uses, what they are called, and when they end."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tinytf.framework import errors
from tinytf.runtime import blas, learning, parallel_executor, pools
from tinytf.testing import leaks

LONG = 5.0  # seconds; a test that is right never waits that long
#: After so many runs learning has come to an end.
SETTLED = 25


@pytest.fixture(autouse=True)
def graph(monkeypatch):
    """A graph of its own; every operation is worth a thread."""
    for name in ("WORTH_LEARNING", "EXPENSIVE"):
        monkeypatch.setattr(learning, name, 0.0)
    for name in ("_WORTH_TRYING", "_WORTH_KEEPING"):
        monkeypatch.setattr(learning, name, -1e9)
    monkeypatch.setattr(learning, "_LONG", 1e9)
    monkeypatch.setattr(parallel_executor, "WORTH_A_THREAD", -1.0)
    for variable in (pools.INTER_OP_VARIABLE, pools.INTRA_OP_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    with tf.Graph().as_default() as graph:
        yield graph


class Crowd:
    """Eight operations that could all run at once, and who ran them."""

    COUNT = 8

    def __init__(self, card):
        self.threads = set()
        self.most = self._now = 0
        self._lock = threading.Lock()
        self._meet = None
        card.shape(lambda c: c.input(0))
        card.kernel(self._kernel)
        self.total = tf.add_n([card(tf.constant(1.0)) for _ in range(self.COUNT)])

    def _kernel(self, x):
        with self._lock:
            self.threads.add(threading.current_thread())
            self._now += 1
            self.most = max(self.most, self._now)
        if self._meet is not None:
            self._meet.wait()
        else:
            np.ones([60, 60]) @ np.ones([60, 60])  # lets others in
        with self._lock:
            self._now -= 1
        return x

    def run(self, sess, meeting=None, **options):
        """A step in which always `meeting` kernels run at the same time; with how many at most."""
        for _ in range(SETTLED):
            assert sess.run(self.total) == self.COUNT
        self.threads, self.most = set(), 0
        self._meet = None if meeting is None else threading.Barrier(meeting, timeout=LONG)
        try:
            run_options = tf.RunOptions(**options) if options else None
            assert sess.run(self.total, options=run_options) == self.COUNT
        finally:
            self._meet = None
        return self.most

    @property
    def names(self):
        return {thread.name for thread in self.threads} - {threading.current_thread().name}


@pytest.fixture
def crowd():
    with temporary_op("TestCrowd", "x: float -> y: float") as card:
        yield Crowd(card)


def session(*option_pools, **options):
    config = tf.ConfigProto(**options)
    for threads, name in option_pools:
        config.session_inter_op_thread_pool.add(num_threads=threads, global_name=name)
    return tf.Session(config=config)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("threads", [2, 4])
def test_so_many_threads_work_at_once_and_no_more(crowd, threads, own):
    how = {"inter_op_parallelism_threads": threads, "use_per_session_threads": own}
    with leaks.none_left(), session(**how) as sess:
        assert crowd.run(sess, meeting=threads) == threads
        assert threading.current_thread() in crowd.threads
        assert crowd.names == {"tinytf-inter-op"}


@pytest.mark.parametrize("threads", [1, -1, -5])
def test_one_thread_or_fewer_is_the_callers(crowd, threads):
    with session(inter_op_parallelism_threads=threads) as sess:
        assert crowd.run(sess) == 1
        assert crowd.threads == {threading.current_thread()}


def test_none_given_means_as_many_as_processors(monkeypatch):
    monkeypatch.setattr(pools, "cores", lambda: 3)
    with session() as sess:
        assert [pool.threads for pool in sess._backend.pools.inter_op] == [3]
        assert sess._backend.pools.intra_op == 3


def test_the_environment_says_how_many_where_the_session_does_not(monkeypatch):
    monkeypatch.setenv("TF_NUM_INTEROP_THREADS", "5")
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", "6")
    with session() as sess:
        assert sess._backend.pools.inter_op[0].threads == 5
        assert sess._backend.pools.intra_op == 6
    with session(inter_op_parallelism_threads=2, intra_op_parallelism_threads=1) as sess:
        assert sess._backend.pools.inter_op[0].threads == 2
        assert sess._backend.pools.intra_op == 1
    with session((0, "")) as sess:
        assert sess._backend.pools.inter_op[0].threads == 5


@pytest.mark.parametrize("text", ["0", "-3", "many", ""])
def test_what_is_no_number_of_threads_in_the_environment_says_nothing(monkeypatch, text):
    monkeypatch.setattr(pools, "cores", lambda: 3)
    monkeypatch.setenv("TF_NUM_INTEROP_THREADS", text)
    with session() as sess:
        assert sess._backend.pools.inter_op[0].threads == 3


@pytest.mark.parametrize(
    ("pools_asked", "options", "what"),
    [
        ([], {"intra_op_parallelism_threads": -1}, "intra_op_parallelism_threads is -1"),
        ([], {"inter_op_parallelism_threads": 1 << 20}, "inter_op_parallelism_threads is 1048576"),
        ([(2, ""), (-1, "")], {}, r"session_inter_op_thread_pool\[1\].num_threads is -1"),
    ],
)
def test_a_number_that_no_pool_can_have_is_refused(pools_asked, options, what):
    with pytest.raises(errors.InvalidArgumentError, match=what) as raised:
        session(*pools_asked, **options)
    assert "from 1 to 1024, or 0 for one for each" in str(raised.value)


def test_a_step_chooses_a_pool(crowd):
    with session((1, ""), (3, "")) as sess:
        assert crowd.run(sess, inter_op_thread_pool=0) == 1
        assert crowd.run(sess, inter_op_thread_pool=-1) == 1
        assert crowd.threads == {threading.current_thread()}


@pytest.mark.parametrize("number", [2, -2])
def test_a_pool_that_is_not_there_is_refused(crowd, number):
    with session((1, ""), (3, "")) as sess:
        text = f"Invalid inter_op_thread_pool: {number}. This session has 2, counted from 0"
        with pytest.raises(errors.InvalidArgumentError, match=text):
            sess.run(crowd.total, options=tf.RunOptions(inter_op_thread_pool=number))
        assert sess.run(crowd.total) == crowd.COUNT


def test_sessions_that_name_a_pool_share_it(crowd):
    with session((3, "named")) as one, session((3, "named")) as other:
        assert one._backend.pools.inter_op == other._backend.pools.inter_op
        assert crowd.run(one, meeting=2) >= 2
        assert crowd.names == {"tinytf-inter-op-named"}
        with pytest.raises(errors.InvalidArgumentError, match="'named' has 3 threads") as raised:
            session((4, "named"))
        assert "asks for 4" in str(raised.value)


def test_sessions_that_share_threads_stay_within_their_number(crowd):
    """Each step has its caller's thread; what both ask for besides comes from one pool."""
    with session(inter_op_parallelism_threads=2) as one:
        with session(inter_op_parallelism_threads=2) as other:
            assert one._backend.pools.inter_op == other._backend.pools.inter_op
        assert crowd.run(one) <= 2  # closing the other took nothing away


def test_threads_of_a_session_end_with_it(crowd):
    before = set(threading.enumerate())
    sess = session(inter_op_parallelism_threads=3, use_per_session_threads=True)
    crowd.run(sess, meeting=2)
    mine = [thread for thread in crowd.threads if thread not in before]
    assert mine
    sess.close()
    for thread in mine:
        thread.join(LONG)
    assert not any(thread.is_alive() for thread in mine)


def test_kernels_split_over_the_intra_op_threads(monkeypatch):
    x = tf.placeholder(tf.float32, [1000, 1000])
    root = tf.sqrt(x)
    meeting, used = threading.Barrier(2, timeout=LONG), set()
    with session(inter_op_parallelism_threads=1, intra_op_parallelism_threads=3) as sess:
        pool = sess._backend.pools.intra_op_pool
        assert pool.threads == 3
        # On a busy machine helpers are left alone for a while, and nobody would come to meet.
        monkeypatch.setattr(pool._luck, "helpers", lambda wanted: wanted)
        run = pool.run

        def watched(count, work):
            def note(index):
                used.add(threading.current_thread().name)
                if index < 2:  # two threads are at work
                    meeting.wait()
                work(index)

            run(count, note)

        monkeypatch.setattr(pool, "run", watched)
        for _ in range(SETTLED):
            assert sess.run(root, {x: np.full([1000, 1000], 4, np.float32)})[7, 7] == 2.0
        assert len(used) > 1
        assert used <= {threading.current_thread().name, "tinytf-intra-op_0", "tinytf-intra-op_1"}


@pytest.mark.skipif(not blas.has_switch(), reason="BLAS has no switch for its threads that we know")
def test_a_step_with_convolutions_has_the_same_bits_on_any_number_of_threads():
    random = np.random.default_rng(0)
    image = tf.placeholder(tf.float32, [None, 14, 14, 8])
    filter = tf.constant(random.standard_normal([5, 5, 8, 32]), tf.float32)
    dense = tf.constant(random.standard_normal([7 * 7 * 32, 64]), tf.float32)
    layer = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(image, filter, 1, "SAME")), 2, 2, "SAME")
    loss = tf.reduce_sum(tf.tanh(tf.matmul(tf.reshape(layer, [-1, 7 * 7 * 32]), dense)))
    step = tf.gradients(loss, [image, filter, dense])
    feed = {image: random.standard_normal([16, 14, 14, 8]).astype(np.float32)}
    found = set()
    for threads in (1, 2, 3, 0):
        with session(intra_op_parallelism_threads=threads) as sess:
            for _ in range(SETTLED):
                found.add(b"".join(value.tobytes() for value in sess.run(step, feed)))
    assert len(found) == 1


def test_steps_with_large_convolutions_have_the_threads_of_the_pool():
    def operations(batch, size):
        x = tf.placeholder(tf.float32, [batch, size, size, 16])
        y = tf.nn.conv2d(x, tf.ones([3, 3, 16, 16]), 1, "SAME")
        return [y.op, *(gradient.op for gradient in tf.gradients(y, [x]))]

    small, large, unknown = operations(1, 8), operations(8, 28), operations(None, 8)
    with session(intra_op_parallelism_threads=2) as sess:
        asked = sess._backend.pools
        assert asked.holds_blas_for(small)
        assert asked.intra_op_pool_for(large) is asked.intra_op_pool
    with session() as sess:
        own = sess._backend.pools
        assert not own.holds_blas_for(small)
        assert own.intra_op_pool_for(small) is own.intra_op_pool
        for ops in (large, unknown) if pools.cores() > 1 else ():
            assert own.holds_blas_for(ops)
            assert own.intra_op_pool_for(ops).holds_blas
            assert own.intra_op_pool_for(ops) is own.intra_op_pool_for(ops)
