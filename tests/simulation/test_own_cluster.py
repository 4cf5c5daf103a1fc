"""A cluster of one's own: calibrated on one worker, predicted for more."""

import pytest

from tinytf.simulation.own_cluster import Comparison, OwnCluster

OWN = OwnCluster(alone=0.010, step=0.016, request=0.001, elements=100_000, cores=2, batch=20)


@pytest.mark.parametrize("request_seconds", [0.0, 0.001, 0.1])
def test_the_one_worker_that_was_measured_comes_out(request_seconds):
    own = OwnCluster(0.010, 0.016, request_seconds, 100_000, 2)
    assert own.steps_per_second(1) == pytest.approx(1 / 0.016)


def test_workers_share_the_cores():
    assert OWN.steps_per_second(2) > 1.5 * OWN.steps_per_second(1)
    assert OWN.steps_per_second(4) < 1.2 * OWN.steps_per_second(2)
    many = OwnCluster(0.010, 0.0101, 0.0, 1000, cores=64)
    assert many.steps_per_second(16) == pytest.approx(16 * many.steps_per_second(1), rel=0.2)


def test_a_worker_that_keeps_all_cores_busy_leaves_none_to_others():
    own = OwnCluster(0.010, 0.010, 0.0, 1000, cores=2, busy=2.0)
    assert own.steps_per_second(3) == pytest.approx(own.steps_per_second(1))
    own = OwnCluster(0.010, 0.010, 0.0, 1000, cores=2, busy=1.5)
    assert own.steps_per_second(2) == pytest.approx(4 / 3 * own.steps_per_second(1))


def test_what_only_exchanges_is_held_up_by_the_server():
    own = OwnCluster(0.0, 0.016, 0.0, 100_000, cores=64)
    # All are alike: all fetch, then all send.
    assert own.steps_per_second(16) == pytest.approx(1 / 0.016)


def test_an_exchange_that_took_no_time():
    own = OwnCluster(0.010, 0.009, 0.001, 1000, 1)  # measured: it happens
    assert own.steps_per_second(1) == pytest.approx(1 / 0.009)


def test_both_are_printed():
    shown = repr(Comparison(OWN, {1: 60.0, 3: 100.0}))
    assert shown.splitlines()[0] == (
        "one worker: a step of 16.00 ms, 10.00 ms of them computing; 1.0 of 2 cores busy"
    )
    assert shown.splitlines()[2] == "      1        62.5        60.0   +4%"
    assert "100.0" in shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((float("nan"), 0.1, 0.0, 10, 1), "steps of nan s"),
        ((0.1, 0.0, 0.0, 10, 1), "measured times"),
        ((0.1, 0.1, 0.0, 0, 1), "0 numbers"),
        ((0.1, 0.1, 0.0, 10, 0), "0 cores"),
        ((0.1, 0.1, 0.0, 10, 2, 1, 2.5), "2.5 cores are busy, of 2"),
    ],
)
def test_what_cannot_have_been_measured(given, message):
    with pytest.raises(ValueError, match=message):
        OwnCluster(*given)
