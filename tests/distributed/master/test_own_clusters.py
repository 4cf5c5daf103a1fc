"""Sessions with their own picture of the cluster: what they may reach, and what they leave."""

import contextlib

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tinytf.distributed.cluster import ports


@pytest.fixture
def servers():
    """Two servers that do not know each other."""
    with contextlib.ExitStack() as stack:
        kept = [stack.enter_context(ports.reserve()) for _ in range(2)]
        yield [
            stack.enter_context(
                tf.train.Server({"alone": [f"localhost:{each.getsockname()[1]}"]}, "alone", 0)
            )
            for each in kept
        ]


def picture(**jobs):
    config = tf.ConfigProto(operation_timeout_in_ms=30_000)
    config.cluster_def.CopyFrom(tf.train.ClusterSpec(jobs).as_cluster_def())
    return config


def addresses(servers):
    return [server.target.removeprefix("grpc://") for server in servers]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("address", ["192.0.2.1:2222", "example.invalid:2222"])
def test_only_this_machine_is_reached(servers, address):
    [mine, _] = addresses(servers)
    with tf.Session(servers[0].target, config=picture(w=[mine, address])) as session:
        with pytest.raises(tf.errors.PermissionDeniedError, match="allow_remote_clients=True"):
            session.run(tf.constant(1))


@pytest.mark.parametrize("address", ["unix:/tmp/socket", "", "a:b:c"])
def test_what_is_no_address_is_refused(servers, address):
    [mine, _] = addresses(servers)
    with tf.Session(servers[0].target, config=picture(w=[mine, address])) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not interpret"):
            session.run(tf.constant(1))


def test_nothing_of_it_is_left_when_it_is_closed(servers):
    workers = [server._worker for server in servers]
    for _ in range(3):
        with tf.Session(servers[0].target, config=picture(w=addresses(servers))) as session:
            with tf.device("/job:w/task:1"):
                assert session.run(tf.constant(3) + 5) == 8
            assert len(workers[0].sessions()) == 2  # one is for masters that open none
            [view] = {each.peers for each in workers[0].sessions()} - {None}
            assert view._transports
        assert not view._transports
        assert until(lambda: len(workers[1].sessions()) == 1)  # it is told without an answer
    assert len(workers[0].sessions()) == 1


def test_the_server_goes_on_when_a_task_of_a_picture_does_not_answer(servers):
    with ports.reserve() as kept:
        nobody = f"localhost:{kept.getsockname()[1]}"
        config = picture(w=[addresses(servers)[0], nobody])
        config.operation_timeout_in_ms = 300
        with tf.Session(servers[0].target, config=config) as session:
            with pytest.raises(tf.errors.DeadlineExceededError, match="/job:w/replica:0/task:1"):
                session.run(tf.constant(1))
    with tf.Session(servers[0].target) as session:
        assert session.run(tf.constant(3) + 5) == 8


def test_an_error_names_the_task_as_the_picture_has_it(servers):
    with tf.device("/job:w/task:1"):
        wrong = tf.debugging.check_numerics(tf.log(-tf.ones([])), "wrong")
    with tf.Session(servers[0].target, config=picture(w=addresses(servers))) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="/job:w/replica:0/task:1"):
            session.run(wrong)
