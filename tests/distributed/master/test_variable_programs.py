"""Random programs of reference variables on a cluster: the variables on one task, values on two."""

import gzip
import json

import pytest

import tinytf as tf
from tests.runtime import variable_programs
from tests.runtime.test_variable_programs import RECORDED

PLACES = ("/job:ps/task:0", "/job:worker/task:0")
SHARDS = 10


@pytest.fixture(scope="module")
def cluster():
    with tf.LocalCluster(ps=1, worker=1) as running:
        yield running


@pytest.mark.parametrize(
    "shard", [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(SHARDS)]
)
def test_values_are_those_of_one_process(cluster, shard):
    with gzip.open(RECORDED) as file:
        recorded = json.load(file)["ordered"]
    for seed in sorted(recorded)[shard::SHARDS]:
        with tf.Graph().as_default():
            program = variable_programs.build(tf, int(seed), PLACES, container=f"p{seed}")
            found = variable_programs.run(tf, program, target=cluster.target("worker:0"))
            assert found == recorded[seed], f"seed {seed}"
