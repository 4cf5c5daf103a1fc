"""Programs of reference variables give what TensorFlow gives, however they are run.

`variable_programs` makes them, `scripts/oracle/record_variable_programs.py` asks TensorFlow. Its
rewriting of graphs is switched off there: it loses writes in loops and branches now and then.
"""

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

import tinytf as tf
from tests.runtime import variable_programs
from tests.runtime.conftest import cpu_devices, offer_thread, step_with_functions
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.executor import Executor, run_plan
from tinytf.runtime.optimise import NO_PASSES, Passes
from tinytf.runtime.partition import Devices
from tinytf.runtime.pools import Helpers
from tinytf.runtime.preparation import CompileRequest
from tinytf.session.results import finish
from tinytf.testing.evaluator import evaluate

RECORDED = Path(__file__).with_name("variable_programs.json.gz")
RUNS = 3


def recorded(kind):
    """What TensorFlow gave, by seed."""
    with gzip.open(RECORDED) as file:
        return {int(seed): steps for seed, steps in json.load(file)[kind].items()}


ORDERED, UNORDERED = recorded("ordered"), recorded("unordered")
SHARDS = 20


def plain(values):
    return [np.asarray(value).tolist() for value in values]


def by_plans(program, step, **how):
    """The values of three runs of a program whose plans `step(plan, values)` runs."""
    resources = ResourceManager()
    fetches, done = program.fetches[:-1], program.fetches[-1]
    tensors = [tf.convert_to_tensor(f) if isinstance(f, tf.Tensor) else f._ref() for f in fetches]
    run_plan_of(compile_plan(CompileRequest([], [], [program.setup], resources)), None)
    plan = compile_plan(CompileRequest([], tensors, [done], resources, **how))
    return [plain(finish(plan, step(plan, plan.root.values.copy()))) for _ in range(RUNS)]


def run_plan_of(plan, threads):
    return run_plan(plan, plan.root.values.copy(), step_with_functions(), threads)


def straight(plan, values):
    return run_plan(plan, values, step_with_functions())


def on_threads(plan, values):
    return run_plan(plan, values, step_with_functions(), Helpers(2, offer_thread, offer_thread))


def in_random_order(seed):
    chooser = random.Random(seed)

    def step(plan, values):
        executor = Executor(
            plan, step_with_functions(), values, choose=lambda ready: chooser.randrange(len(ready))
        )
        executor.run()
        return executor.values

    return step


def scattered(seed):
    """Every operation on one of three devices, by chance; variables with what writes to them."""
    devices = cpu_devices(3)

    def of(op):
        has_reference = any(t.dtype.is_ref for t in (*op.inputs, *op.outputs))
        name = "state" if has_reference else op.name
        return random.Random(f"{seed} {name}").choice(devices)

    return lambda ops: Devices(devices[0], of)


def evaluated(program):
    resources = ResourceManager()
    evaluate([program.setup], resources=resources)
    tensors = [f if isinstance(f, tf.Tensor) else f._ref() for f in program.fetches[:-1]]
    everything = [*tensors, program.fetches[-1]]
    return [plain(evaluate(everything, resources=resources)[:-1]) for _ in range(RUNS)]


def first_steps(program, schedules):
    """What the first step gives in some of the orders that the graph allows, one after another."""
    resources = ResourceManager()
    setup = compile_plan(CompileRequest([], [], [program.setup], resources))
    tensors = [f if isinstance(f, tf.Tensor) else f._ref() for f in program.fetches[:-1]]
    plan = compile_plan(CompileRequest([], tensors, [program.fetches[-1]], resources, by_node=True))
    for seed in range(schedules):
        run_plan_of(setup, None)
        yield plain(finish(plan, in_random_order(seed)(plan, plan.root.values.copy())))


@pytest.mark.parametrize("seed", sorted(UNORDERED))
def test_where_the_graph_leaves_the_order_open(seed):
    program = variable_programs.build_small(tf, seed)
    wanted = [variable_programs.run(tf, program, runs=1)[0], UNORDERED[seed][0]]
    for found in first_steps(program, schedules=5000):
        wanted = [values for values in wanted if values != found]
        if not wanted:
            break
    assert wanted == [], "no order that the graph allows gives this"


def test_some_programs_have_several_right_answers():
    several = 0
    for seed in sorted(UNORDERED)[:20]:
        with tf.Graph().as_default():
            steps = first_steps(variable_programs.build_small(tf, seed), 40)
            several += len({str(values) for values in steps}) > 1
    assert several >= 3


@pytest.mark.parametrize(
    "shard", [pytest.param(n, marks=[pytest.mark.slow] if n > 1 else []) for n in range(SHARDS)]
)
def test_in_every_way_of_running(shard):
    for seed in sorted(ORDERED)[shard::SHARDS]:
        with tf.Graph().as_default():
            program = variable_programs.build(tf, seed)
            expected = ORDERED[seed]
            assert variable_programs.run(tf, program) == expected, f"session, seed {seed}"
            ways = {
                "unoptimised": (straight, {"passes": NO_PASSES}),
                "node by node": (in_random_order(seed), {"by_node": True}),
                "on devices": (straight, {"passes": Passes(), "place": scattered(seed)}),
                "on threads": (on_threads, {"passes": Passes(), "place": scattered(seed + 1)}),
            }
            for name, (step, how) in ways.items():
                assert by_plans(program, step, **how) == expected, f"{name}, seed {seed}"
            assert evaluated(program) == expected, f"evaluator, seed {seed}"
