"""The rendezvous of a step: which requests for tensors of other tasks travel together."""

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.worker.rendezvous import StepRendezvous
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.pending import Pending

PS, OWN = "/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0"
A, B, C = (f"{PS}/device:CPU:0;1;{OWN}/device:CPU:0;{name};0:0" for name in "abc")


def test_the_first_receive_asks_for_all_that_comes_from_that_task():
    asked = {}

    def ask(peers, task, keys, cancellation):
        assert (peers, task) == (None, PS)
        assert not asked.keys() & set(keys)
        found = {key: (tuple(keys), Pending()) for key in keys}
        asked.update(found)
        return [pending for _, pending in found.values()]

    step, cancellation = StepRendezvous(OWN, None, ask), CancellationManager()
    step.groups = {A: [A, B], B: [A, B], C: [C]}
    second = step.receive(B, cancellation)
    assert list(asked) == [A, B]
    assert second is asked[B][1]
    assert step.receive(A, cancellation) is asked[A][1]
    assert step.receive(C, cancellation) is asked[C][1]
    assert {keys for keys, _ in asked.values()} == {(A, B), (C,)}


def test_a_part_knows_what_it_receives_together(monkeypatch):
    asked, receive = [], Peers.receive
    monkeypatch.setattr(
        Peers, "receive", lambda *args: asked.append(len(args[3])) or receive(*args)
    )
    with FakeCluster(ps=1, worker=2) as cluster, tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v, w = (tf.get_variable(name, initializer=[1.0, 2.0]) for name in "vw")
        with tf.device("/job:worker/task:1"):
            other = tf.identity(v)
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(v * w + other)
        with tf.Session(cluster.target("worker")) as session:
            session.run(tf.global_variables_initializer())
            asked.clear()
            assert session.run(total) == 1 + 4 + 1 + 2
        # On worker:0 v and w; `other` comes alone, from another task, as does v there.
        assert sorted(asked) == [1, 1, 2]
        assert cluster.methods("worker:0", "ps:0").count("RecvTensor") == 2
