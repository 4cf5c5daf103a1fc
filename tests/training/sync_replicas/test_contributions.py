"""Who gave to which step: what accumulators note of it, in one process and over a cluster."""

import pytest

import tinytf as tf
from tests.training.sync_replicas.conftest import Worker
from tests.training.sync_replicas.test_steps import part
from tinytf.training.sync_replicas import contributions
from tinytf.training.sync_replicas.contributions import Late


def seen(trained):
    chief = trained.all[0]
    return contributions(chief.optimizer, chief.session)


def names(*numbers):
    return [f"replica_{number}" for number in numbers]


def test_before_the_first_step(replicas):
    found = seen(replicas(2, part(2), 2))
    assert repr(found) == "No replica has run a step yet."
    with pytest.raises(ValueError, match="should be called after apply_gradients"):
        contributions(tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(), 1), None)


def test_who_gave_and_who_was_late(replicas):
    trained = replicas(3, part(2), 2, total_num_replicas=3)
    trained.run(0, 1)
    trained.run(2)  # late
    trained.run(0, 2)
    found = seen(trained)
    one, two, three = names(0, 1, 2)
    assert [dict(step.given) for step in found.steps] == [{one: 1, two: 1}, {one: 1, three: 1}, {}]
    assert [step.dropped for step in found.steps] == [(), (Late(three, 0, True),), ()]
    assert (found.needed, found.tokens, found.dropped) == (2, 1, 1)
    assert found.held == {"w:0/grad_accum": 0, "b:0/grad_accum": 0}
    assert found.remarks == {}
    text = repr(found)
    assert text.startswith("Step 2 has 0 of 2 gradients.\n  step  gradients of")
    assert f"     1  {one}, {three}  {three} (of step 0)" in text
    assert "Tokens that wait: 1." in text


def test_in_a_local_session():
    """Replicas that are threads of one session."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        w, step = tf.Variable(5.0), tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 3)
        train = optimizer.minimize(w * w, step)
        sess.run(tf.global_variables_initializer())
        sess.run([optimizer.chief_init_op, optimizer.get_init_tokens_op(2)])
        sess.run(train), sess.run(train)
        found = contributions(optimizer, sess)
        assert [dict(each.given) for each in found.steps] == [{"this session": 2}]
        assert not found.runs
        assert "Step 0 has 2 of 3 gradients." in repr(found)
        assert graph.finalized is False


def test_one_that_was_never_told_its_step(server, replicas):
    """It is told apart from one that is late: its session began when that step was long over."""
    trained = replicas(2, part(2), 1, total_num_replicas=2)
    for _ in range(3):
        trained.run(0)
    new = trained.all[1]
    new.session.close()
    with new.graph.as_default():
        new.session = tf.Session(server.target)
        new.session.run(tf.local_variables_initializer())  # to 0, and nothing else
    trained.run(1)
    found = seen(trained)
    uninitialised = Late(*names(1), 0, False)
    dropped = {late for each in found.steps for late in each.dropped}
    assert {late for late in dropped if late.replica in names(1)} == {uninitialised}
    assert f"{uninitialised.replica} (never initialised: of step 0)" in repr(found)
    assert "run optimizer.local_step_init_op" in found.remarks["never initialised"]


def test_not_synchronous_since_one_has_gone(replicas, capsys):
    trained = replicas(2, part(2), 2)
    for _ in range(3):
        trained.run()
    chief = trained.all[0]
    chief.session.run(chief.put_tokens)  # as those that one leaves who has died
    for _ in range(70):  # gradients, of which two make a step
        trained.run(0)
    found = seen(trained)
    remark = found.remarks["several of one"]
    first, second = names(0, 1)
    assert remark.startswith(f"Your synchronous training is not synchronous: {first} gave several")
    assert f"which 1 of 2 replicas make. {second} gave none to the last 8 steps." in remark
    # The chief has said so itself, after 16 steps, or 32.
    assert capsys.readouterr().out.count("is not synchronous") == 1


def test_each_gradient_is_a_step(replicas):
    trained = replicas(2, part(2), 1, total_num_replicas=2)
    trained.run(0), trained.run(0), trained.run(1), trained.run(1)
    [remark] = seen(trained).remarks.values()
    assert "each gradient makes a step of its own (replicas_to_aggregate=1)" in remark


def test_a_plain_optimizer_beside(replicas):
    trained = replicas(1, part(1), 1)
    chief = trained.all[0]
    with chief.graph.as_default():
        plain = tf.train.GradientDescentOptimizer(0.1).minimize(
            tf.reduce_sum(tf.trainable_variables()[0]), chief.step
        )
    trained.run()
    chief.session.run(plain)
    trained.run(), trained.run()
    [remark] = seen(trained).remarks.values()
    assert "Something else counts the global step, too" in remark


def test_another_replicas_to_aggregate(replicas):
    trained = replicas(1, part(1), 1)
    trained.run(), trained.run()
    chief = trained.all[0]
    chief.optimizer._replicas_to_aggregate = 2
    [remark] = seen(trained).remarks.values()
    assert "The chief takes 1 gradient for a step, and this program's optimizer has" in remark
    assert "replicas_to_aggregate=2" in remark


def test_over_a_cluster(cluster):
    """The accumulators of two parameter servers tell, wherever one asks; replicas are tasks."""
    workers = [Worker(cluster, number) for number in range(2)]
    workers[0].begin()
    for each in workers:
        each.open()
        each.session.run(each.train)  # for a token of the first ones
    for each in workers:
        found = contributions(each.optimizer, each.session)
        assert [dict(step.given) for step in found.steps] == [{"worker:0": 1, "worker:1": 1}]
        assert found.held == {"w:0/grad_accum": 2, "b:0/grad_accum": 2}
        assert (found.tokens, found.runs) == (0, False)
    for each in workers:
        each.session.close()
